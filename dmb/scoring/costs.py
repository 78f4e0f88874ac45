"""What a cell's attempts cost, by the table and as charged, and how much of their input came from a cache."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import attrgetter

from dmb import metrics
from dmb.contracts.attempt import Attempt, Usage
from dmb.contracts.cell import CostRecord
from dmb.contracts.price import PriceRow
from dmb.metrics import Measure, unknown
from dmb.price_tiers import STANDARD
from dmb.pricing import attempt_cost_usd, contradiction, not_billed, sum_usd, usd_digits
from dmb.scoring.evidence import Row

Rows = Sequence[Row]

#: The counts that are summed up, and how they are read.
_TOKENS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
_NOTHING_TOLD = (None,) * len(_TOKENS)
_tokens = attrgetter(*_TOKENS)


@dataclass(frozen=True, slots=True)
class Cost:
    """``total_usd`` is None where any attempt's cost is unknown, and ``note`` then says why. No record: not billed."""

    per_1000: Measure
    unknown_rate: Measure
    total_usd: Decimal | None
    note: str | None
    record: CostRecord | None = None


@dataclass(frozen=True, slots=True)
class Priced:
    """One attempt: US dollars by the table, or why not; as charged; and in which tier."""

    usd: Decimal | None
    why: str | None
    charged_usd: Decimal | None
    tier: str | None


def costs(rows: Rows, prices: Sequence[PriceRow], tier: str = STANDARD) -> Cost:
    """US dollars per 1,000 completed decisions over every recorded attempt, and the share of attempts without a cost.

    ``tier``: the one that the contender's entry orders.
    """
    completed = [r for r in rows if r.decision.outcome != "skipped"]
    if not completed:
        nothing = unknown("no completed decisions")
        return Cost(nothing, nothing, None, "nothing was asked")
    by_decision = [[price_attempt(*pair, prices, tier) for pair in _attempts([r])] for r in completed]
    record = _record([p for decision in by_decision for p in decision])
    n_unknown = record.n_attempts - record.n_priced
    share = Measure(value=n_unknown / record.n_attempts, n=record.n_attempts, num=n_unknown, den=record.n_attempts)
    if nobody_bills(prices):
        note = "not billed: runs on your own machine"
        return Cost(
            Measure(value=0.0, n=len(completed), num=0, den=len(completed), note=note), share, Decimal(0), "not billed"
        )
    per_1000 = metrics.cost_per_1000([_together(d) for d in by_decision], [r.item.group for r in completed])
    if not record.unknown:
        return Cost(per_1000, share, Decimal(record.priced_usd), None, record)
    reasons = reasons_of(record)
    return Cost(unknown(f"{per_1000.note}: {reasons}", per_1000.n), share, None, reasons, record)


def _together(decision: Sequence[Priced]) -> Decimal | None:
    """What the attempts of one decision cost; None where that of any is not known."""
    amounts = [p.usd for p in decision]
    if None in amounts:
        return None
    return amounts[0] if len(amounts) == 1 else sum_usd(usd for usd in amounts if usd is not None)


def nobody_bills(prices: Sequence[PriceRow]) -> bool:
    """Whether all rows of a contender say that it runs on one's own machine."""
    return bool(prices) and all(p.unbilled for p in prices)


def cost_record(
    attempts: Iterable[tuple[Attempt, Usage | None]], prices: Sequence[PriceRow], tier: str = STANDARD
) -> CostRecord:
    """What attempts cost, each with the usage that its reply tells."""
    return _record([price_attempt(*pair, prices, tier) for pair in attempts])


def reasons_of(record: CostRecord) -> str:
    """Why parts of a cost are unknown, with the attempts of each reason; empty where all is known."""
    return "; ".join(f"{why} ({n} attempt{'s' * (n > 1)})" for why, n in record.unknown.items())


def _attempts(rows: Rows) -> Iterator[tuple[Attempt, Usage | None]]:
    return (pair for r in rows for pair in zip(r.attempts, r.decision.usage, strict=True))


def price_attempt(attempt: Attempt, usage: Usage | None, prices: Sequence[PriceRow], tier: str) -> Priced:
    """What one attempt cost. ``usage``: as its reply tells it; ``tier``: the one that the contender's entry orders."""
    if not _read(attempt, usage):
        return Priced(Decimal(0), None, None, None if unsent(attempt) else tier)
    at = dt.datetime.fromisoformat(attempt.timing.sent_at)
    usd, why = attempt_cost_usd(prices, usage, at, tier)
    charged, served = (None, None) if usage is None else (usage.charged_usd, usage.tier)
    return Priced(usd, why, charged, served or tier)


def unsent(attempt: Attempt) -> bool:
    """Whether nothing left this process for a server, which nobody bills for."""
    return attempt.sent is False and attempt.asker.startswith("wire:")


def _read(attempt: Attempt, usage: Usage | None) -> bool:
    """Whether a provider may have read the question: it was sent, and not turned away at the door."""
    return not unsent(attempt) and not (usage is None and not_billed(attempt.status))


def _record(attempts: Sequence[Priced]) -> CostRecord:
    priced = [p.usd for p in attempts if p.usd is not None]
    charged = [p.charged_usd for p in attempts if p.charged_usd is not None]
    both = [(p.usd, p.charged_usd) for p in attempts if p.usd is not None and p.charged_usd is not None]
    return CostRecord(
        n_attempts=len(attempts),
        n_priced=len(priced),
        priced_usd=usd_digits(sum_usd(priced)),
        unknown=dict(sorted(Counter(p.why or "unknown" for p in attempts if p.usd is None).items())),
        tiers=dict(sorted(Counter(p.tier for p in attempts if p.tier is not None).items())),
        n_charged=len(charged),
        charged_usd=usd_digits(sum_usd(charged)) if charged else None,
        n_compared=len(both),
        compared_priced_usd=usd_digits(sum_usd(usd for usd, _ in both)) if both else None,
        compared_charged_usd=usd_digits(sum_usd(usd for _, usd in both)) if both else None,
    )


def cached_share(rows: Rows) -> Measure:
    """Tokens read from a cache over input tokens, both summed over the attempts that report them without contradiction.

    It is the only proof that answers did not come out of a cache, so a share that nobody reports is unknown, not 0.
    """
    read = [(attempt, usage) for attempt, usage in _attempts(rows) if _read(attempt, usage)]
    if not read:
        return unknown("no provider read a question")
    if all(attempt.asker.startswith("baseline:") for attempt, _ in read):
        return unknown("n/a: it answers in the asking process, without tokens", len(read))
    told = [
        (usage.cached_tokens, usage.input_tokens)
        for _, usage in read
        if usage is not None
        and usage.cached_tokens is not None
        and usage.input_tokens is not None
        and contradiction(usage) is None
    ]
    cached, total = sum(c for c, _ in told), sum(t for _, t in told)
    silent = len(read) - len(told)
    note = f"{silent} of {len(read)} attempts do not say how much of their input was cached" if silent else None
    if not total:
        return unknown(note or "no input tokens", len(told))
    return Measure(value=cached / total, n=len(told), num=cached, den=total, note=note)


def used_tokens(rows: Rows) -> dict[str, int | None]:
    """Tokens over all attempts that a provider may have read; None where the usage of any was not reported."""
    read = [usage for attempt, usage in _attempts(rows) if _read(attempt, usage)]
    if not read:
        return dict.fromkeys(_TOKENS, None)
    columns = zip(*(_NOTHING_TOLD if usage is None else _tokens(usage) for usage in read), strict=True)
    return {name: None if None in column else sum(column) for name, column in zip(_TOKENS, columns, strict=True)}
