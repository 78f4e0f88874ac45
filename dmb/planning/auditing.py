"""What a release would ask, score and publish, why, and at most how much it would cost."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dmb.contracts.price import PriceRow
from dmb.planning.plan import PlannedCell, PlannedRelease, finished_rows
from dmb.planning.project import Project
from dmb.pricing import row_at


def audit_release(project: Project, planned: PlannedRelease, now: dt.datetime) -> dict[str, Any]:
    """The audit as plain data.

    ``ask``: cells that would be asked, with the part of the key that changed; ``skip``: cells that get a receipt which
    says why they are not asked; ``unknown``: suites whose items are not known before a download; ``score``, ``publish``.
    ``max_cost_usd`` is a decimal string, "0" where nobody bills, null where it cannot be bounded.
    """
    # a report that carries the right key is not rebuilt, whatever of its making was lost
    cells = planned.cells if planned.unknown or planned.publishes or planned.key is None else ()
    asked = [c for c in cells if c.asks]
    return {
        "release": planned.name,
        "ask": [_ask(project, c, now) for c in asked if c.skip is None],
        "skip": [{"contender": c.contender, "suite": c.suite, "reason": c.skip} for c in asked if c.skip is not None],
        "unknown": [
            {"suite": s, "contenders": list(planned.spec.contenders), "mend": m} for s, m in planned.unknown.items()
        ],
        "score": [{"contender": c.contender, "suite": c.suite} for c in cells if c.scores],
        "publish": bool(planned.unknown) or planned.publishes,
    }


def _ask(project: Project, cell: PlannedCell, now: dt.datetime) -> dict[str, Any]:
    cost = _bound(project.price_rows(cell.contender), now)
    return {
        "contender": cell.contender,
        "suite": cell.suite,
        "calls": cell.n_expected - finished_rows(cell),
        "max_cost_usd": None if cost is None else format(cost.normalize(), "f"),
        "changed": list(cell.changed),
    }


def _bound(prices: Sequence[PriceRow], now: dt.datetime) -> Decimal | None:
    """At most this much; None where it cannot be bounded yet: billed prompts are not counted before they are sent."""
    row = row_at(prices, now)
    return Decimal(0) if row is not None and row.unbilled else None
