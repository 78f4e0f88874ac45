"""Several processes on one ledger, and processes that are killed."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from filelock import FileLock

from dmb.ledger.refusals import BudgetExhausted, LedgerUnusable
from dmb.ledger.shelf import read_totals
from tests.conftest import PROJECT
from tests.ledger.opening import committed_by_hand, ledger, reserve

#: Reserves, has a provider write its bill, settles; until the budget is gone or `rounds` are over.
SPENDER = """
import os, random, sys
from decimal import Decimal
from pathlib import Path
from dmb.ledger.ledger import Ledger
from dmb.ledger.refusals import BudgetExhausted

folder, bill, seed, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
bill = os.open(bill, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
ledger = Ledger(folder, Decimal(10), Decimal(8))
print("ready", flush=True)
sys.stdin.readline()
for i in range(rounds):
    worst = rng.randint(1, 400)
    try:
        held = ledger.reserve(
            Decimal(worst) / 1000, run=f"r{seed}", contender="jev", suite="s", item=f"i{i}", attempt=1
        )
    except BudgetExhausted as error:
        print(type(error).__name__, flush=True)
        break
    end = rng.random()
    if end < 0.1:
        ledger.release_unsent(held)
        continue
    charged = rng.randint(0, worst)
    os.write(bill, f"{charged}\\n".encode())
    if end < 0.9:
        ledger.settle(held, Decimal(charged) / 1000)
    elif end < 0.95:
        ledger.settle(held, None)
"""

HOLDER = """
import sys
from decimal import Decimal
from pathlib import Path
from dmb.ledger.ledger import Ledger

ledger = Ledger(Path(sys.argv[1]), Decimal(10), Decimal(8))
held = ledger.reserve(Decimal(7), run="dead", contender="jev", suite="s", item="i", attempt=1)
print("reserved", flush=True)
sys.stdin.readline()
ledger.settle(held, Decimal(1))
print("settled", flush=True)
sys.stdin.readline()
"""


#: At the same instant as its rivals, once a round, tries for more than half of what a fresh ledger has.
RIVAL = """
import sys, time
from decimal import Decimal
from pathlib import Path
from dmb.ledger.ledger import Ledger
from dmb.ledger.refusals import BudgetExhausted

print("ready", flush=True)
start = float(sys.stdin.readline())
for i in range(40):
    time.sleep(max(0, start + i * 0.03 - time.time()))
    with Ledger(Path(sys.argv[1]) / str(i), Decimal(1), Decimal(1)) as ledger:
        try:
            ledger.reserve(Decimal("0.6"), run="r", contender="jev", suite="s", item="i", attempt=1)
            print(i, flush=True)
        except BudgetExhausted:
            pass
"""


#: A host of its own, as far as names and process ids go; it ends with the process that started it.
HOST = ["unshare", "--user", "--map-root-user", "--uts", "--pid", "--fork", "--kill-child"]


@contextmanager
def process(code: str, *arguments: object, host: tuple[str, ...] = ()) -> Iterator[subprocess.Popen]:
    """Another process, past its first line of output."""
    command = [*host, sys.executable, "-c", code, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as other:
        try:
            assert other.stdout.readline()
            yield other
        finally:
            other.kill()


def tell(other: subprocess.Popen) -> None:
    other.stdin.write("\n")
    other.stdin.flush()


def billed(bill: Path) -> Decimal:
    return sum((Decimal(line) / 1000 for line in bill.read_text().splitlines()), Decimal(0))


def test_four_processes_never_pass_the_cap(tmp_path):
    folder, bill = tmp_path / "v2", tmp_path / "bill"
    with ExitStack() as stack:
        others = [stack.enter_context(process(SPENDER, folder, bill, seed, 400)) for seed in range(4)]
        for other in others:
            tell(other)
        looks = 0
        while any(other.poll() is None for other in others):
            if folder.exists():
                # under the lock nobody reserves, so that what is read stood together
                with FileLock(folder / "lock", poll_interval=0.001):
                    assert read_totals(folder).committed_usd <= 10
                looks += 1
            time.sleep(0.01)
        ends = [other.stdout.read().strip() for other in others]
    assert looks > 3 and ends == ["BudgetExhausted"] * 4
    totals = read_totals(folder)
    assert billed(bill) <= totals.committed_usd == committed_by_hand(folder) <= 10
    assert totals.committed_usd > Decimal("9")
    assert totals.n_open == 0 and totals.n_unsettled > 0
    assert len(list(folder.glob("*.*.*.jsonl"))) == 4


def test_of_rivals_at_the_same_instant_exactly_one_is_served(tmp_path):
    with ExitStack() as stack:
        rivals = [stack.enter_context(process(RIVAL, tmp_path)) for _ in range(4)]
        start = time.time() + 0.05
        for rival in rivals:
            rival.stdin.write(f"{start}\n")
            rival.stdin.flush()
        served = [line for rival in rivals for line in rival.stdout.read().split()]
    assert sorted(map(int, served)) == list(range(40))


def test_sigkill_leaves_the_reservation_charged_and_a_sweep_marks_it(tmp_path):
    with process(HOLDER, tmp_path) as holder, ledger(tmp_path) as book:
        assert book.totals().n_open == 1
        assert book.sweep(["dead"]) == 0, "an orphan at work keeps its reservation"
        assert read_totals(tmp_path).reserved_open_usd == 7
        holder.kill()
        holder.wait()
        assert book.totals().unsettled_usd == read_totals(tmp_path).unsettled_usd == 7
        with pytest.raises(BudgetExhausted):
            reserve(book, "3.5")
        assert book.sweep(["another"]) == 0
        assert book.sweep(["dead"]) == 1
        assert book.sweep(["dead"]) == 0
        assert (book.totals().n_open, book.totals().n_unsettled) == (0, 1)
    # a restart forgives nothing
    with ledger(tmp_path) as book:
        assert book.totals().committed_usd == 7
        with pytest.raises(BudgetExhausted):
            reserve(book, "3.5")
        reserve(book, "3")


def test_two_hosts_whose_names_and_process_ids_are_the_same(tmp_path):
    """As containers of one image may have them; and a kill on one of them says nothing about the other."""
    if shutil.which(HOST[0]) is None or subprocess.run([*HOST, "true"], capture_output=True, check=False).returncode:
        pytest.skip("namespaces of one's own are not to be had here")
    code = "import socket; socket.sethostname('box')\n" + HOLDER.replace("Decimal(7)", "Decimal(3)")
    with process(code, tmp_path, host=HOST) as one, process(code, tmp_path, host=HOST) as two, ledger(tmp_path) as book:
        assert len(list(tmp_path.glob("box.1.*.jsonl"))) == 2
        assert (book.totals().n_open, book.totals().committed_usd) == (2, 6)
        one.kill()
        one.wait()
        while book.totals().n_open == 2:
            time.sleep(0.01)  # until the kill has reached the process inside
        assert book.sweep(["dead"]) == 1 and (book.totals().n_open, book.totals().unsettled_usd) == (1, 3)
        tell(two)
        assert two.stdout.readline() == "settled\n"
        assert (book.totals().n_open, book.totals().committed_usd) == (0, 4)
        with pytest.raises(BudgetExhausted):
            reserve(book, "6.1")


def test_what_an_orphan_settles_late_is_believed(tmp_path):
    with process(HOLDER, tmp_path) as holder, ledger(tmp_path) as book:
        reserve(book, "0")
        tell(holder)
        assert holder.stdout.readline() == "settled\n"
        assert book.totals().committed_usd == 1
        assert read_totals(tmp_path).n_settled == 1


def test_a_late_settlement_wins_over_a_mark(tmp_path):
    with ledger(tmp_path) as orphan, ledger(tmp_path) as book:
        held = reserve(orphan, "5", run="dead")
        reserve(book, "0")
        orphan._pen._alive.release()  # as a file server that lost its locks has it
        assert book.sweep(["dead"]) == 1
        assert (book.totals().unsettled_usd, book.totals().n_open) == (5, 1)
        orphan.settle(held, Decimal(1))
        assert book.totals().committed_usd == read_totals(tmp_path).committed_usd == 1


def test_one_taken_for_gone_may_settle_and_never_reserve(tmp_path):
    with ledger(tmp_path) as orphan, ledger(tmp_path) as book:
        held = reserve(orphan, "5", run="dead")
        orphan._pen._alive.release()
        reserve(book, "0")
        orphan.settle(held, Decimal(1))
        # whoever gave the file up keeps the higher sum; whoever reads afresh believes the settlement
        assert (book.totals().committed_usd, read_totals(tmp_path).committed_usd) == (5, 1)
        with pytest.raises(LedgerUnusable, match="no longer reads its rows"):
            reserve(orphan, "0")


def test_processes_killed_at_any_moment_never_let_the_bill_pass_the_cap(tmp_path):
    folder, bill = tmp_path / "v2", tmp_path / "bill"
    rng = random.Random(7)
    for kill in range(8):
        with process(SPENDER, folder, bill, kill, 10_000) as spender:
            before = bill.read_bytes().count(b"\n") if bill.exists() else 0
            tell(spender)
            # by what it has done and not by the clock, which says little on a busy machine
            enough = before + rng.randint(0, 12)
            while spender.poll() is None and (not bill.exists() or bill.read_bytes().count(b"\n") < enough):
                time.sleep(0.0005)
            time.sleep(rng.uniform(0, 0.003))
            spender.send_signal(signal.SIGKILL)
            spender.wait()
        totals = read_totals(folder) if folder.exists() else None
        if totals is not None:
            assert (billed(bill) if bill.exists() else 0) <= totals.committed_usd == committed_by_hand(folder) <= 10
            assert totals.n_open == 0
    with ledger(folder) as book:
        left = book.totals()
        assert left.n_settled > 0 and left.n_unsettled > 0
        marked = book.sweep(f"r{n}" for n in range(8))
        assert book.totals() == left and marked <= left.n_unsettled
        with pytest.raises(BudgetExhausted):
            reserve(book, Decimal(10) - left.committed_usd + Decimal("0.001"))
        reserve(book, Decimal(10) - left.committed_usd)
