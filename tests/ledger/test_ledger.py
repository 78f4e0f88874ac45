"""One process: what is reserved, settled, refused, warned about and read."""

from __future__ import annotations

import datetime as dt
import json
import os
import threading
import time
from decimal import Decimal
from types import SimpleNamespace

import pytest
from filelock import FileLock

from dmb.contracts.config import Budget
from dmb.errors import EXIT_BUDGET, DmbError
from dmb.ledger.ledger import QUICK_SYNC_S, Ledger
from dmb.ledger.pen import Pen
from dmb.ledger.refusals import BudgetExhausted, LedgerUnusable
from dmb.ledger.shelf import read_totals
from dmb.turns import Turns
from tests.ledger.opening import ledger, reserve, rows_file


def test_what_is_reserved_is_settled_unsettled_or_unsent(tmp_path):
    with ledger(tmp_path) as book:
        measured, unknown, unsent, still_open = (reserve(book, "1.25") for _ in range(4))
        probe = reserve(book, "0.5", kind="negotiation", suite=None, item=None)
        book.settle(measured, Decimal("0.0000001"))
        book.settle(unknown, None)
        book.release_unsent(unsent)
        book.settle(probe, Decimal("0.25"))
        totals = book.totals()
        assert totals.settled_usd == Decimal("0.2500001")
        assert (totals.scored_usd, totals.negotiation_usd) == (Decimal("0.0000001"), Decimal("0.25"))
        assert (totals.unsettled_usd, totals.reserved_open_usd) == (Decimal("1.25"), Decimal("1.25"))
        assert totals.committed_usd == Decimal("2.7500001")
        assert (totals.n_settled, totals.n_open, totals.n_unsettled, totals.n_unsent) == (2, 1, 1, 1)
        assert read_totals(tmp_path) == totals
        book.settle(still_open, Decimal(0))
    assert read_totals(tmp_path).committed_usd == Decimal("1.5000001")


def test_a_row_says_what_it_is_about_and_money_is_text(tmp_path):
    at = dt.datetime(2026, 11, 30, 12, 0, 0, 5000, tzinfo=dt.UTC)
    with ledger(tmp_path, now=lambda: at) as book:
        book.settle(reserve(book, "1E-7", permutation=3, repeat=1), Decimal("1E-9"))
        book.release_unsent(reserve(book, "2E+0"))
    reserved, settled, _, unsent = map(json.loads, rows_file(tmp_path).read_text().splitlines())
    assert reserved == {
        **{"op": "reserve", "n": 1, "usd": "0.0000001", "kind": "scored", "run": "r1", "contender": "jev"},
        **{"suite": "intent-77", "item": "i1", "permutation": 3, "repeat": 1, "attempt": 1},
        "at": "2026-11-30T12:00:00.005Z",
    }
    assert settled == {"op": "settle", "n": 1, "charged_usd": "0.000000001"}
    assert unsent == {"op": "unsent", "n": 2}


def test_the_cap_may_be_reached_and_not_passed(tmp_path):
    with ledger(tmp_path) as book:
        first = reserve(book, "9.99")
        with pytest.raises(BudgetExhausted, match=r"9.99 of 10 USD .* may cost 0.02; .* budget.hard_usd") as caught:
            reserve(book, "0.02")
        assert isinstance(caught.value, DmbError) and caught.value.exit_code == EXIT_BUDGET
        assert not isinstance(caught.value, LedgerUnusable)
        reserve(book, "0.01")
        reserve(book, "0")
        with pytest.raises(BudgetExhausted):
            reserve(book, "0.0000000000000000001")
        book.settle(first, Decimal("1"))
        reserve(book, "8.99")
        assert book.totals().committed_usd == 10


def test_a_charge_above_its_reservation_is_written_down_and_counts(tmp_path):
    with ledger(tmp_path) as book:
        book.settle(reserve(book, "1"), Decimal("11"))
        assert book.totals().committed_usd == 11
        with pytest.raises(BudgetExhausted):
            reserve(book, "0")


def test_a_restart_keeps_what_was_spent_and_the_cap_of_today_holds(tmp_path):
    with ledger(tmp_path) as book:
        book.settle(reserve(book, "9"), Decimal("8"))
        book.settle(reserve(book, "1"), None)
    with ledger(tmp_path) as book, pytest.raises(BudgetExhausted):
        reserve(book, "1.5")
    with ledger(tmp_path, hard="10.5") as book:
        reserve(book, "1.5")
    with ledger(tmp_path, hard="5") as book, pytest.raises(BudgetExhausted, match=r"10\.5 of 5 USD"):
        reserve(book, "0.01")


def test_two_ledgers_on_one_folder_share_the_cap(tmp_path):
    with ledger(tmp_path) as one, ledger(tmp_path) as two:
        reserve(one, "6")
        with pytest.raises(BudgetExhausted):
            reserve(two, "5")
        reserve(two, "4")
        assert one.totals() == two.totals() == read_totals(tmp_path)
        assert one.totals().n_open == 2


def test_the_soft_cap_warns_once_a_process(tmp_path):
    with ledger(tmp_path) as book:
        assert reserve(book, "8").warning is None
        assert "more than the soft cap of 8; nothing is sent beyond 10" in reserve(book, "0.5").warning
        assert reserve(book, "0.5").warning is None
    with ledger(tmp_path) as book:
        assert reserve(book, "0").warning is not None
        assert reserve(book, "0").warning is None


def test_the_default_budget_opens_a_ledger(tmp_path):
    with Ledger(tmp_path, Budget().hard_usd, Budget().soft_usd) as book:
        reserve(book, "60")


@pytest.mark.parametrize(
    "amount", [Decimal("-0.01"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), 0.5, 1, "1", None, True]
)
def test_what_is_no_amount_is_refused(tmp_path, amount):
    with ledger(tmp_path) as book:
        held = reserve(book, "1")
        with pytest.raises(ValueError, match=r"worst_usd: .* is no amount"):
            book.reserve(amount, run="r", contender="jev", suite="s", item="i", attempt=1)
        with pytest.raises(ValueError, match="hard_usd"):
            Ledger(tmp_path, amount, Decimal(1))
        if amount is not None:
            with pytest.raises(ValueError, match="charged_usd"):
                book.settle(held, amount)
        assert book.totals().n_open == 1
        assert reserve(book, "0").n == 2


@pytest.mark.parametrize("amount", ["1E-41", "1E+13"])
def test_digits_that_a_sum_could_lose_are_refused(tmp_path, amount):
    with pytest.raises(ValueError, match="more digits"):
        reserve(ledger(tmp_path), amount)
    assert not list(tmp_path.iterdir())


def test_a_reservation_is_settled_once_and_by_its_own_ledger(tmp_path):
    with ledger(tmp_path) as one, ledger(tmp_path) as two:
        held = reserve(one, "1")
        with pytest.raises(ValueError, match="another ledger"):
            two.settle(held, Decimal(0))
        one.settle(held, Decimal("0.5"))
        for again in (lambda: one.settle(held, None), lambda: one.release_unsent(held)):
            with pytest.raises(ValueError, match="was settled before"):
                again()
        assert read_totals(tmp_path).committed_usd == Decimal("0.5")


def test_looking_leaves_no_trace(tmp_path):
    missing = tmp_path / "v2"
    assert read_totals(missing).committed_usd == 0
    with ledger(missing) as book:
        assert book.totals().committed_usd == 0
        assert book.sweep(["r1"]) == 0
    assert not missing.exists()


def test_totals_of_one_run(tmp_path):
    with ledger(tmp_path) as book:
        book.settle(reserve(book, "1", run="r1"), Decimal("0.5"))
        book.settle(reserve(book, "1", run="r2"), None)
        reserve(book, "1", run="r2")
        assert book.totals("r1").committed_usd == Decimal("0.5")
        assert (book.totals("r2").n_unsettled, book.totals("r2").n_open) == (1, 1)
        assert read_totals(tmp_path, "r2") == book.totals("r2")
        assert book.totals("r3").committed_usd == 0


def test_a_reservation_is_on_disk_before_it_returns(tmp_path, monkeypatch):
    synced = []
    real = Pen.sync

    def sync(pen):
        synced.append(rows_file(tmp_path).read_text().count('"op":"reserve"'))
        real(pen)

    monkeypatch.setattr(Pen, "sync", sync)
    with ledger(tmp_path) as book:
        reserve(book, "1")
        assert synced == [1]
        reserve(book, "1")
        assert synced == [1, 2]


def test_threads_share_the_ledger_and_each_gets_its_own_answer(tmp_path):
    granted, refused = [], []

    def ask():
        for _ in range(10):
            try:
                granted.append(reserve(book, "0.3"))
            except BudgetExhausted:
                refused.append(1)

    with ledger(tmp_path) as book:
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(granted) == 33 and len(refused) == 47
        assert sorted(r.n for r in granted) == list(range(1, 34))
        assert sum(r.warning is not None for r in granted) == 1
        assert book.totals().committed_usd == Decimal("9.9")


# -- fail closed


def test_while_the_disk_is_waited_for_another_thread_has_the_turn_and_another_process_the_lock(tmp_path, monkeypatch):
    turns, syncing, worked, freed = Turns(), threading.Event(), threading.Event(), []
    real = Pen.sync

    def sync(pen):
        syncing.set()
        assert worked.wait(20)
        real(pen)

    with ledger(tmp_path, waiting=turns.waiting) as book:

        def ask():
            with turns:
                reserve(book, "0.01")
                freed.append(turns.is_mine())

        with monkeypatch.context() as patch:
            patch.setattr(Pen, "sync", sync)
            thread = threading.Thread(target=ask)
            thread.start()
            assert syncing.wait(20)
            with turns:
                worked.set()
                # it has synced and wants its turn back; the lock of the processes is free by then
                with FileLock(tmp_path / "lock", timeout=20, thread_local=False):
                    assert not freed
            thread.join(20)
        assert freed == [True]


def test_a_quick_disk_is_waited_for_in_ones_own_turn_and_a_slow_one_is_not(tmp_path, monkeypatch):
    turns, mine, takes_s, clock = Turns(), [], iter([0.0, QUICK_SYNC_S * 3, 0.0, 0.0]), [0.0]

    def sync(_pen):
        mine.append(turns.is_mine())
        clock[0] += next(takes_s)

    with ledger(tmp_path, waiting=turns.waiting) as book, turns, monkeypatch.context() as patch:
        patch.setattr(Pen, "sync", sync)
        patch.setattr("dmb.ledger.ledger.time", SimpleNamespace(monotonic=lambda: clock[0], sleep=time.sleep))
        for _ in range(4):
            reserve(book, "0.01")
            assert turns.is_mine()
    # nothing is known of it the first time; then each goes by the one before
    assert mine == [False, True, False, True]


def test_threads_that_take_turns_share_the_ledger_without_waiting_for_each_other_for_ever(tmp_path):
    turns, ended = Turns(), []

    def ask():
        for _ in range(25):
            with turns:
                held = reserve(book, "0.01")
                with turns.waiting:
                    time.sleep(0.0005)
                book.settle(held, Decimal("0.005"))
        ended.append(True)

    with ledger(tmp_path, waiting=turns.waiting) as book, ledger(tmp_path) as other:
        threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            other.settle(reserve(other, "0.01"), Decimal("0.005"))
        for thread in threads:
            thread.join(30)
        assert ended == [True] * 4
    assert read_totals(tmp_path).settled_usd == Decimal("0.75")


def test_a_ledger_that_cannot_be_synced_grants_nothing_and_stays_charged(tmp_path, monkeypatch):
    with ledger(tmp_path) as book:
        held = reserve(book, "1")
        with monkeypatch.context() as patch:

            def sync(fd):
                raise OSError(5, "Input/output error")

            patch.setattr(os, "fsync", sync)
            with pytest.raises(LedgerUnusable, match="Input/output error"):
                reserve(book, "1")
        with pytest.raises(LedgerUnusable, match="start again"):
            reserve(book, "1")
        with pytest.raises(LedgerUnusable, match="start again"):
            book.settle(held, Decimal(0))
    with ledger(tmp_path) as book:
        assert book.totals().unsettled_usd == 2
        reserve(book, "8")


def test_a_full_disk_grants_nothing_and_glues_nothing(tmp_path, monkeypatch):
    with ledger(tmp_path) as book:
        reserve(book, "1")
        real = os.write
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda fd, data: real(fd, data[: len(data) // 2]))
            with pytest.raises(LedgerUnusable, match=r"of \d+ bytes were written"):
                reserve(book, "1")
        with pytest.raises(LedgerUnusable, match="a write into it did not end"):
            reserve(book, "1")
    with ledger(tmp_path) as book:
        assert book.totals().committed_usd == 1
        reserve(book, "9")


def test_an_interrupt_in_the_middle_grants_nothing(tmp_path, monkeypatch):
    with ledger(tmp_path) as book:
        with monkeypatch.context() as patch:

            def sync(pen):
                raise KeyboardInterrupt

            patch.setattr(Pen, "sync", sync)
            with pytest.raises(KeyboardInterrupt):
                reserve(book, "1")
        assert book.totals().committed_usd == 1
        reserve(book, "9")
        with pytest.raises(BudgetExhausted):
            reserve(book, "1")


def test_an_interrupt_on_the_way_back_from_waiting_leaves_the_ledger_to_others(tmp_path):
    class Interrupted(Turns):
        """Ctrl-C comes while a thread that has waited for the ledger takes its turn again."""

        def __enter__(self):
            if hasattr(self, "waits"):
                raise KeyboardInterrupt
            return super().__enter__()

    turns = Interrupted()
    with ledger(tmp_path, waiting=turns.waiting) as book:
        with turns:
            reserve(book, "1")
        assert book._turn.acquire(blocking=False)

        def let_go():
            time.sleep(0.05)
            turns.waits = True
            book._turn.release()

        threading.Thread(target=let_go).start()
        with pytest.raises(KeyboardInterrupt), turns:
            reserve(book, "1")
        del turns.waits
        # nothing was decided for it, and the next one decides it along
        reserve(book, "1")
        assert book.totals().committed_usd == 3


def test_a_lock_that_is_never_freed_ends_in_a_refusal_and_not_for_ever(tmp_path):
    with ledger(tmp_path, lock_timeout_s=0.05) as book:
        reserve(book, "1")
        with FileLock(tmp_path / "lock"), pytest.raises(LedgerUnusable, match="lock"):
            reserve(book, "1")
        reserve(book, "1")


def test_a_folder_that_cannot_be_one_is_named(tmp_path):
    (tmp_path / "v2").write_text("a file")
    with pytest.raises(LedgerUnusable, match="v2"):
        reserve(ledger(tmp_path / "v2"), "1")
    with pytest.raises(LedgerUnusable, match="v2"):
        read_totals(tmp_path / "v2")


def test_a_folder_that_vanishes_is_not_a_fresh_start(tmp_path):
    with ledger(tmp_path / "v2") as one, ledger(tmp_path / "v2") as two:
        reserve(one, "1")
        assert two.totals().committed_usd == 1
        (tmp_path / "v2").rename(tmp_path / "elsewhere")
        for look in (one.totals, two.totals, lambda: reserve(one, "1"), lambda: reserve(two, "1")):
            with pytest.raises(LedgerUnusable, match="v2"):
                look()


def test_a_closed_ledger_grants_nothing(tmp_path):
    book = ledger(tmp_path)
    reserve(book, "1")
    book.close()
    book.close()
    with pytest.raises(LedgerUnusable, match="was closed"):
        reserve(book, "1")
    assert book.totals().n_unsettled == 1


def test_a_forked_process_does_not_write_into_its_parents_file(tmp_path, monkeypatch):
    with ledger(tmp_path) as book:
        reserve(book, "1")
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: 1)
            with pytest.raises(LedgerUnusable, match="forked"):
                reserve(book, "1")
