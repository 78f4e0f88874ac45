"""What an attempt cost: usage times the list price that held at its own instant. Unknown stays unknown."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from operator import attrgetter

from dmb.contracts.attempt import Usage
from dmb.contracts.price import PriceRow
from dmb.price_tiers import STANDARD
from dmb.price_windows import dates_meet, holds, takes_size

PER_TOKENS = Decimal(1_000_000)

#: Providers add a few hundred tokens of their own, most where a tool is forced.
TOKENS_AROUND_PROMPT = 1000

#: A billion tokens in one request are a slip of the server's, not a count.
MOST_TOKENS = 10**9

#: The fields of a usage that count tokens.
_counts = attrgetter(*(name for name in Usage.model_fields if name.endswith("_tokens")))

#: Between reserving and the end of a request lie minutes; a price that begins later than this is none of its business.
_SOON = dt.timedelta(days=1)

#: A charge that differs from the table's figure by more than this share is shown.
GAP_SHOWN_ABOVE = Decimal("0.05")


def row_at(
    rows: Sequence[PriceRow], at: dt.datetime, prompt_tokens: int | None = None, tier: str = STANDARD
) -> PriceRow | None:
    """The row that holds at that instant for a prompt of that size. None without one.

    ``prompt_tokens``: of the whole prompt, cached ones included. None where they are not known: then a row whose
    price depends on the size is not taken. Raises ``ValueError`` where two rows hold at once, which loading the table
    refuses: then nobody can say which is the price.
    """
    return _of_size(_standing(rows, at, tier), at, prompt_tokens)


def _of_size(found: list[PriceRow], at: dt.datetime, prompt_tokens: int | None) -> PriceRow | None:
    if prompt_tokens is None:
        if any(_is_step(r) for r in found):
            return None
    else:
        found = [r for r in found if takes_size(r, prompt_tokens)]
    if len(found) > 1:
        raise ValueError(f"{len(found)} price rows of {found[0].provider} {found[0].model} hold on {at}")
    return found[0] if found else None


def attempt_cost_usd(
    rows: Sequence[PriceRow], usage: Usage | None, at: dt.datetime, tier: str = STANDARD
) -> tuple[Decimal | None, str | None]:
    """(US dollars, why not) of one attempt.

    ``tier``: the one that was ordered; where the reply says which one served, that is priced. The input count is the
    provider's own total of the prompt, and its buckets are disjoint: fresh, read from a cache, written to one.
    Reasoning is inside the output. 0 only where nobody bills; what is missing or contradicts itself makes None with
    the reason.
    """
    if (dated := [r for r in rows if holds(r, at)]) and all(r.unbilled for r in dated):
        return Decimal(0), None
    tier = usage.tier if usage is not None and usage.tier is not None else tier
    standing = [r for r in dated if r.tier == tier]
    if not standing:
        return None, _no_row("", tier)
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        steps = (usage is None or usage.input_tokens is None) and any(_is_step(r) for r in standing)
        return None, "usage not reported, and the price depends on the prompt's size" if steps else "usage not reported"
    if fault := contradiction(usage):
        return None, fault
    row = _of_size(standing, at, usage.input_tokens)
    if row is None:
        return None, _no_row(", prompt size", tier)
    if row.input is None or row.output is None:
        return None, "the price row is incomplete"
    cached = usage.cached_tokens or 0
    written = usage.cache_write_tokens or 0
    if (cached and row.cached is None) or (written and row.cache_write is None):
        return None, "no price for cached tokens"
    fresh = usage.input_tokens - cached - written
    cost = fresh * row.input + usage.output_tokens * row.output
    if cached or written:
        cost += cached * (row.cached or 0) + written * (row.cache_write or 0)
    return cost / PER_TOKENS, None


def worst_case_usd(
    rows: Sequence[PriceRow], prompt_bytes: int, max_output_tokens: int, at: dt.datetime, tier: str = STANDARD
) -> Decimal | None:
    """The most that one request can cost, in US dollars, before it is sent. None where no price holds to bound it.

    ``prompt_bytes``: of the request's body in UTF-8; no tokenizer makes more tokens than bytes, and what a provider puts
    around a prompt is allowed for. The dearest row of today and tomorrow counts, whatever its hours and sizes, and the
    dearest kind of input. ``tier``: the one that is ordered; where it has no room, the standard one may serve.
    """
    standing = [r for r in rows if r.tier in (tier, STANDARD) and dates_meet(r, at, at + _SOON)]
    known = [r for r in standing if not r.unbilled]
    if not any(r.tier == tier or r.unbilled for r in standing) or any(
        r.input is None or r.output is None for r in known
    ):
        return None
    prompt = max((max(r.input or 0, r.cached or 0, r.cache_write or 0) for r in known), default=Decimal(0))
    output = max((r.output or Decimal(0) for r in known), default=Decimal(0))
    return (prompt * (prompt_bytes + TOKENS_AROUND_PROMPT) + output * max_output_tokens) / PER_TOKENS


def not_billed(status: int | None) -> bool:
    """Whether a response with this HTTP status costs nothing: the provider turned the request away unread.

    So say the price pages of the providers in the table. What broke off while a model may have been at work (500, 502,
    504, a time-out, a reset) is not among them: nobody can say what that cost.
    """
    return status is not None and (400 <= status <= 499 or status in (503, 529)) and status not in (408, 499)


def compare_with_charge(table: Decimal | None, charged: Decimal | None) -> Decimal | None:
    """How far the provider's charge lies from the table's figure, as a share of the latter: -0.25 is a quarter less.

    None where either is unknown. A charge for what the table has at 0 is infinitely far from it.
    """
    if table is None or charged is None:
        return None
    if table == 0:
        return Decimal(0) if charged == 0 else Decimal("Infinity").copy_sign(charged)
    return (charged - table) / table


def contradiction(usage: Usage) -> str | None:
    """Why the counts of a usage cannot be right; None where nothing speaks against them."""
    counts = [n for n in _counts(usage) if n is not None]
    if counts:
        if min(counts) < 0:
            return "a negative token count"
        if max(counts) > MOST_TOKENS:
            return "a token count that no model reaches"
    into, out = usage.input_tokens or 0, usage.output_tokens or 0
    not_fresh = (usage.cached_tokens or 0) + (usage.cache_write_tokens or 0)
    if not_fresh > into:
        return "usage buckets exceed the input"
    if usage.input_tokens == 0:
        return "a prompt without any tokens"
    if (usage.reasoning_tokens or 0) > out:
        return "reasoning tokens exceed the output"
    fresh, total = usage.fresh_tokens, usage.total_tokens
    if (fresh is not None and fresh != into - not_fresh) or (total is not None and total != into + out):
        return "usage buckets do not sum to the provider's total"
    return None


def sum_usd(amounts: Iterable[Decimal]) -> Decimal:
    """The exact sum: the usual 28 digits would round where a long charge meets a large total."""
    with localcontext(prec=200):
        return sum(amounts, Decimal(0))


def usd_digits(amount: Decimal) -> str:
    """The amount as a decimal string, every digit of it and no noughts behind them."""
    text = format(amount, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _standing(rows: Sequence[PriceRow], at: dt.datetime, tier: str) -> list[PriceRow]:
    return [r for r in rows if r.tier == tier and holds(r, at)]


def _is_step(row: PriceRow) -> bool:
    return bool(row.prompt_from) or row.prompt_to is not None


def _no_row(size: str, tier: str) -> str:
    named = "" if tier == STANDARD else f" in the {tier} tier"
    return f"no price row for this model{size} and date{named}"
