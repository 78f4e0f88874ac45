"""What an attempt is settled for: nothing, what it cost, or its reservation where nobody can say."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from dmb.contracts.attempt import Usage
from dmb.contracts.price import PriceRow
from dmb.engine.asked import Asked
from dmb.engine.judge import Verdict
from dmb.engine.purse import Place, Purse
from dmb.ledger.ledger import Ledger
from dmb.ledger.refusals import BudgetExhausted

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
PRICES = (PriceRow(provider="p", model="m", input="1", output="10", source="s", checked_on="2026-11-30"),)
#: 100 tokens at 1 and 10 at 10 dollars a million.
COUNTS = {"input_tokens": 100, "output_tokens": 10}
TABLE = Decimal("0.0002")
#: (10 bytes + 1,000 tokens around them) at 1, and 50 tokens at 10 dollars a million.
WORST = Decimal("0.00151")


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger", Decimal(60), Decimal(40)) as found:
        yield found


def settled(ledger: Ledger, usage: Usage | None, status: int | None = 200, sent: bool = True) -> Decimal | None:
    purse = Purse(ledger, PRICES, "standard", "r-1", "c", 50)
    reservation = purse.reserve(Place("s", "i", 0, 0, 1), "0123456789", NOON)
    assert reservation.usd == WORST
    verdict = Verdict("valid", None, {}, None, usage, None)
    return purse.settle(reservation, Asked("b", status, sent=sent), verdict, NOON)


@pytest.mark.parametrize(
    "usage, expected",
    [
        (Usage(**COUNTS), TABLE),
        # the bill counts where the reply tells it and it is more; less is not believed
        (Usage(**COUNTS, charged_usd=Decimal("0.0003")), Decimal("0.0003")),
        (Usage(**COUNTS, charged_usd=Decimal("0.0001")), TABLE),
        (Usage(**COUNTS, charged_usd=Decimal("0.5")), Decimal("0.5")),
        (Usage(charged_usd=Decimal("0.0001")), Decimal("0.0001")),
        (Usage(**COUNTS, charged_usd=Decimal(0)), TABLE),
    ],
)
def test_what_is_known_is_charged(ledger, usage, expected):
    assert settled(ledger, usage) == expected
    totals = ledger.totals()
    assert (totals.settled_usd, totals.unsettled_usd, totals.committed_usd) == (expected, 0, expected)


@pytest.mark.parametrize("usage, status", [(None, 200), (None, None), (None, 500), (Usage(input_tokens=5), 200)])
def test_what_nobody_can_say_stays_charged_at_its_reservation(ledger, usage, status):
    assert settled(ledger, usage, status) is None
    totals = ledger.totals()
    assert (totals.settled_usd, totals.unsettled_usd, totals.committed_usd) == (0, WORST, WORST)


@pytest.mark.parametrize("status, sent", [(429, True), (529, True), (401, True), (None, False)])
def test_what_was_turned_away_or_never_sent_costs_nothing(ledger, status, sent):
    assert settled(ledger, None, status, sent) == 0
    assert ledger.totals().committed_usd == 0


def test_what_has_no_price_is_not_sent(ledger):
    purse = Purse(ledger, PRICES, "batch", "r-1", "c", 50)
    with pytest.raises(BudgetExhausted, match="c: no price"):
        purse.reserve(Place("s", "i", 0, 0, 1), "0123456789", NOON)
    assert not ledger.folder.exists()
