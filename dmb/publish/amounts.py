"""Sums of money of which a part may be unknown: a part of a sum is a lower bound of it, and never the sum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from dmb.contracts.cell import CostRecord, NegotiationSpend, Score
from dmb.pricing import sum_usd
from dmb.publish import numbers
from dmb.publish.table import Value


@dataclass(frozen=True)
class Amount:
    """US dollars that are known, and whether they are all there is."""

    known_usd: Decimal = Decimal(0)
    whole: bool = True

    @property
    def text(self) -> str:
        """``0.0611``, ``at least 0.0611`` or ``unknown``."""
        if self.whole:
            return numbers.usd(self.known_usd)
        return f"at least {numbers.usd(self.known_usd)}" if self.known_usd else "unknown"

    @property
    def said(self) -> str:
        """The same in prose, with its unit where there is a number."""
        return self.text if self.text == "unknown" else f"{self.text} USD"

    @property
    def value(self) -> Value:
        """The same in a table."""
        return Value(self.text, muted=not self.whole and not self.known_usd)


def together(amounts: Iterable[Amount]) -> Amount:
    """Their sum, whole where all of them are."""
    amounts = list(amounts)
    return Amount(sum_usd(a.known_usd for a in amounts), all(a.whole for a in amounts))


def scored(score: Score) -> Amount:
    """A cell's cost: all of it, or the sum over those attempts whose cost is known."""
    if score.cost_usd is not None:
        return Amount(Decimal(score.cost_usd))
    return _of(score.cost)


def by_the_other_table(score: Score) -> Amount:
    """The same by the other price table; what it is by the one that counts, where the two do not differ."""
    return scored(score) if score.cost_other is None else _of(score.cost_other)


def negotiated(spend: NegotiationSpend) -> Amount:
    """What one run's probes cost."""
    return _of(spend.cost)


def _of(cost: CostRecord | None) -> Amount:
    return Amount(whole=False) if cost is None else Amount(Decimal(cost.priced_usd), not cost.unknown)
