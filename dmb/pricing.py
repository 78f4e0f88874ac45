"""What an attempt cost: usage times the list price that held at its own instant. Unknown stays unknown."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

from dmb.contracts.attempt import Usage
from dmb.contracts.price import PriceRow

PER_TOKENS = Decimal(1_000_000)


def row_at(rows: Sequence[PriceRow], at: dt.datetime) -> PriceRow | None:
    """The row whose dates hold at that instant (UTC days, both ends included); None without one.

    Raises ``ValueError`` where two rows hold at once: then nobody can say which is the price.
    """
    day = at.astimezone(dt.UTC).date()
    found = [
        r for r in rows if (r.valid_from is None or r.valid_from <= day) and (r.valid_to is None or day <= r.valid_to)
    ]
    if len(found) > 1:
        raise ValueError(f"{len(found)} price rows of {found[0].provider} {found[0].model} hold on {day}")
    return found[0] if found else None


def attempt_cost_usd(
    rows: Sequence[PriceRow], usage: Usage | None, at: dt.datetime
) -> tuple[Decimal | None, str | None]:
    """(US dollars, why not) of one attempt. 0 only where nobody bills; a missing price or count is None with the reason."""
    row = row_at(rows, at)
    if row is None:
        return None, "no price row for this model and date"
    if row.unbilled:
        return Decimal(0), None
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None, "usage not reported"
    if row.input is None or row.output is None:
        return None, "the price row is incomplete"
    cached = usage.cached_tokens or 0
    written = usage.cache_write_tokens or 0
    if (cached and row.cached is None) or (written and row.cache_write is None):
        return None, "no price for cached tokens"
    fresh = usage.input_tokens - cached - written
    if fresh < 0:
        return None, "usage buckets exceed the input"
    cost = fresh * row.input + usage.output_tokens * row.output
    cost += cached * (row.cached or 0) + written * (row.cache_write or 0)
    return cost / PER_TOKENS, None
