"""What an attempt is settled for: nothing, what it cost, or its reservation where nobody can say."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from dmb.contracts.attempt import Usage
from dmb.contracts.price import PriceRow
from dmb.contracts.receipt import Receipt
from dmb.engine.asked import Asked
from dmb.engine.judge import Verdict
from dmb.engine.purse import Place, Purse, Unpriced
from dmb.ledger.ledger import Ledger
from dmb.ledger.shelf import read_totals
from dmb.store.layout import budget_dir
from tests.engine.made_up import BUILT, Server, ask, begin, first_option, planned

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
    with pytest.raises(Unpriced, match="c: no price"):
        purse.reserve(Place("s", "i", 0, 0, 1), "0123456789", NOON)
    assert not ledger.folder.exists()


# -- in a whole cell

ENTRY = {"provider": "lab", "wire": "systemone", "model": "m-1", "display": {"label": "M"}}
PRICE = {"provider": "lab", "model": "m-1", "input": "1", "output": "1", "source": "s", "checked_on": "2026-11-30"}
N = len(BUILT.items)


def ended(server: Server, prices: list[dict], contenders: dict[str, dict]) -> list[Receipt]:
    """Receipts of cells of one lane, asked one after the other in one run."""
    provider = {"address": server.address, "concurrency": 1}
    cells = [
        planned(name, ENTRY | more, provider, prices=prices if name == "m" else [PRICE])
        for name, more in contenders.items()
    ]
    run = begin(*cells)
    return [ask(run, cell) for cell in cells]


def test_a_price_that_has_ended_stops_its_contender_and_nobody_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Server(first_option) as server:
        old, other = ended(server, [PRICE | {"valid_to": "2026-01-01"}], {"m": {}, "n": {}})
        assert len(server.sent) == N
    assert old.status == "stopped" and old.stop_reason.startswith("budget: m: no price in data/prices.toml holds now")
    assert old.outcomes["skipped"] == N and old.n_attempts == 0
    assert (other.status, other.outcomes["valid"]) == ("complete", N)


def test_a_contenders_own_allowance_stops_it_and_not_its_lane(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    limits = {"allowances": [{"calls": 2, "hours": 5.0, "when_used_up": "stop"}]}
    with Server(first_option) as server:
        limited, other = ended(server, [PRICE], {"m": {"limits": limits}, "n": {}})
        assert len(server.sent) == 2 + N
    assert (limited.status, limited.stop_reason) == ("stopped", "budget: the allowance of 2 calls in 5 h is used up")
    assert (limited.outcomes["valid"], limited.outcomes["skipped"]) == (2, N - 2)
    assert (other.status, other.outcomes["valid"]) == ("complete", N)


def test_a_ledger_that_breaks_while_a_request_is_out_stops_everybody_and_keeps_the_row(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    broken = []

    def settle(ledger: Ledger, reservation, charged_usd) -> None:
        if len(broken) == 1:
            ledger.close()
        broken.append(reservation)
        really(ledger, reservation, charged_usd)

    really = Ledger.settle
    monkeypatch.setattr(Ledger, "settle", settle)
    with Server(first_option) as server:
        stopped, skipped = ended(server, [PRICE], {"m": {}, "n": {}})
        assert len(server.sent) == 2
    assert stopped.status == "stopped" and stopped.stop_reason.startswith("budget: runs/_budget/v9: was closed")
    assert (stopped.outcomes["valid"], stopped.outcomes["skipped"], stopped.n_attempts) == (2, N - 2, 2)
    assert (skipped.status, skipped.stop_reason) == ("skipped", f"lane stopped: {stopped.stop_reason}")
    totals = read_totals(budget_dir("v9"))
    assert (totals.n_settled, totals.n_unsettled) == (1, 1)
