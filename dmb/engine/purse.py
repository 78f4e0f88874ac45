"""Around one attempt: reserve the most that it can cost, and settle for what it did."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from dmb.contracts.price import PriceRow
from dmb.engine.asked import Asked
from dmb.engine.judge import Verdict
from dmb.errors import DmbError
from dmb.pricing import attempt_cost_usd, not_billed, worst_case_usd

if TYPE_CHECKING:
    from dmb.contracts.ledger import SpendKind
    from dmb.ledger.ledger import Ledger, Reservation


class Unpriced(DmbError):
    """No price of this contender holds now. Others may go on."""


class Place(NamedTuple):
    """Which attempt it is. A probe has no suite and no item."""

    suite: str | None
    item: str | None
    permutation: int
    repeat: int
    attempt: int


class Purse(NamedTuple):
    """What one contender may draw on. ``prices``: its rows; ``kind``: whether the spending is scored."""

    ledger: Ledger
    prices: Sequence[PriceRow]
    tier: str
    run: str
    contender: str
    max_output_tokens: int
    kind: SpendKind = "scored"

    def reserve(self, place: Place, body: str, at: dt.datetime) -> Reservation:
        """On disk before anything is sent. Raises ``BudgetExhausted`` where it does not fit under the cap, ``Unpriced``
        where no price holds: what cannot be bounded is not sent."""
        worst = worst_case_usd(self.prices, len(body.encode("utf-8")), self.max_output_tokens, at, self.tier)
        if worst is None:
            raise Unpriced(f"{self.contender}: no price in data/prices.toml holds now, so nothing can be reserved")
        return self.ledger.reserve(
            worst,
            run=self.run,
            contender=self.contender,
            suite=place.suite,
            item=place.item,
            permutation=place.permutation,
            repeat=place.repeat,
            attempt=place.attempt,
            kind=self.kind,
        )

    def settle(self, reservation: Reservation, asked: Asked, verdict: Verdict, at: dt.datetime) -> Decimal | None:
        """Write the charge down and return it; None where nobody can say what it is: then the reservation stays."""
        if not asked.sent:
            self.ledger.release_unsent(reservation)
            return Decimal(0)
        charge = Decimal(0) if not_billed(asked.status) else self._price(verdict, at)
        self.ledger.settle(reservation, charge)
        return charge

    def _price(self, verdict: Verdict, at: dt.datetime) -> Decimal | None:
        """The table's figure or the charge that the reply tells, whichever is more: the cap must hold for the bill."""
        usage = verdict.usage
        table = attempt_cost_usd(self.prices, usage, at, self.tier)[0]
        charged = usage.charged_usd if usage is not None else None
        return max((amount for amount in (table, charged) if amount is not None), default=None)
