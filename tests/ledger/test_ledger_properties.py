"""Any order of calls over several ledgers on one folder, against a model of three lines."""

from __future__ import annotations

import shutil
import tempfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dmb.ledger.amounts import usd, usd_text
from dmb.ledger.refusals import BudgetExhausted
from dmb.ledger.shelf import read_totals
from tests.ledger.opening import committed_by_hand, ledger, reserve

AMOUNTS = st.decimals(min_value=0, max_value=4, places=12, allow_nan=False).map(
    lambda d: d.normalize()
) | st.sampled_from([Decimal(0), Decimal("1E-40"), Decimal("0.1"), Decimal("10"), Decimal("1E+1")])


class Interleaving(RuleBasedStateMachine):
    """``open``, ``unsettled`` and ``settled`` are what the rules did; the ledgers must agree at every moment."""

    @initialize(n=st.integers(1, 3))
    def begin(self, n):
        self.folder = Path(tempfile.mkdtemp())
        self.ledgers = [ledger(self.folder) for _ in range(n)]
        self.open: list[tuple[int, object, str]] = []
        self.settled, self.unsettled = {"scored": Fraction(0), "negotiation": Fraction(0)}, Fraction(0)

    @property
    def committed(self) -> Fraction:
        return sum((Fraction(r.usd) for _, r, _ in self.open), self.unsettled) + sum(self.settled.values())

    @rule(at=st.integers(0, 2), worst=AMOUNTS, kind=st.sampled_from(["scored", "negotiation"]))
    def reserve(self, at, worst, kind):
        at %= len(self.ledgers)
        fits = self.committed + Fraction(worst) <= 10
        try:
            self.open.append((at, reserve(self.ledgers[at], worst, kind=kind), kind))
            assert fits
        except BudgetExhausted:
            assert not fits

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0), part=st.none() | st.decimals(0, 1, places=3))
    def settle(self, which, part):
        at, held, kind = self.open.pop(which % len(self.open))
        charged = None if part is None else held.usd * part
        if charged is not None and -charged.as_tuple().exponent > 40:
            charged = Decimal(0)
        self.ledgers[at].settle(held, charged)
        if charged is None:
            self.unsettled += Fraction(held.usd)
        else:
            self.settled[kind] += Fraction(charged)

    @precondition(lambda self: self.open)
    @rule(which=st.integers(0))
    def release(self, which):
        at, held, _ = self.open.pop(which % len(self.open))
        self.ledgers[at].release_unsent(held)

    @rule(at=st.integers(0, 2), hard=st.booleans())
    def restart(self, at, hard):
        at %= len(self.ledgers)
        self.ledgers[at].close()
        self.unsettled += sum(Fraction(r.usd) for i, r, _ in self.open if i == at)
        self.open = [o for o in self.open if o[0] != at]
        self.ledgers[at] = ledger(self.folder)
        if hard:
            self.ledgers[at].sweep(["r1"])

    @invariant()
    def the_totals_are_exact_and_the_same_for_everyone(self):
        from_disk = read_totals(self.folder)
        assert Fraction(from_disk.committed_usd) == self.committed == committed_by_hand(self.folder) <= 10
        assert Fraction(from_disk.scored_usd) == self.settled["scored"]
        assert Fraction(from_disk.negotiation_usd) == self.settled["negotiation"]
        assert Fraction(from_disk.settled_usd) == sum(self.settled.values())
        assert Fraction(from_disk.unsettled_usd) == self.unsettled
        assert Fraction(from_disk.reserved_open_usd) == sum(Fraction(r.usd) for _, r, _ in self.open)
        assert from_disk.n_open == len(self.open)
        assert all(book.totals() == from_disk for book in self.ledgers)

    def teardown(self):
        for book in self.ledgers:
            book.close()
        shutil.rmtree(self.folder)


TestInterleaving = Interleaving.TestCase
TestInterleaving.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)


@given(st.decimals(min_value=0, max_value=Decimal("9999999999999"), allow_nan=False, allow_infinity=False))
def test_an_amount_survives_its_text(amount):
    try:
        kept = usd(amount, "x")
    except ValueError:
        assert amount.as_tuple().exponent < -40
        return
    assert Decimal(usd_text(kept)) == amount
    assert "E" not in usd_text(kept) and "-" not in usd_text(kept)


def test_sums_are_never_rounded(tmp_path):
    with ledger(tmp_path, hard="9999999999999", soft="9999999999999") as book:
        reserve(book, "9999999999998")
        for _ in range(11):
            book.settle(reserve(book, "0.1"), Decimal("1E-40"))
        assert book.totals().committed_usd == Decimal("9999999999998.0000000000000000000000000000000000000011")
        assert book.totals() == read_totals(tmp_path)
        with pytest.raises(BudgetExhausted):
            reserve(book, "1")
