"""Watching a run through its files: what grew is read once, what is half-written is left, and nothing is written."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import subprocess
import sys
import textwrap
from decimal import Decimal
from pathlib import Path

import pytest

from dmb.canonical import json_line
from dmb.errors import UsageError
from dmb.kernel_lock import is_held
from dmb.planning.watching import Watch, choose_run
from dmb.store.files import load_json, pretty_json, write_whole
from dmb.store.layout import cell_dir, raw_log, receipt_path, run_dir, taken_over_file
from dmb.store.locks import CellLock
from dmb.store.receipts import write_receipt
from dmb.store.runs import begin_run, end_run, mark, set_manifest
from tests.engine.made_up import unchanged
from tests.ledger.opening import ledger, reserve
from tests.store.test_attempts import attempt
from tests.store.test_receipts import receipt

NOW = dt.datetime(2026, 11, 30, 12, 0, 10, tzinfo=dt.UTC)
A, B = "a" * 64, "b" * 64


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def job(contender: str = "c", **more) -> dict:
    known = {"contender": contender, "suite": "s", "number": 1, "n_expected": 4, "entry": {"provider": "lab"}}
    rules = {"policy": {"retry_malformed": 1}, "protocol": {"retry_failed": 1}, "skip": None, "simulated": False}
    rules["provider"] = {}
    return known | rules | {"lane": {"id": "lane"}} | more


def begin(run: str | None = None, **cells: dict) -> str:
    plan = {"release": "v9", "cells": {key * 64: cell for key, cell in cells.items()} or {A: job()}}
    return begin_run(run, "v9", plan, {}, {"release": "v9", "budget": {"soft_usd": "5", "hard_usd": "10"}})


def line(item: str = "i", cell: str = A, **more) -> bytes:
    return json_line(attempt(item, cell=cell, **more).model_dump(mode="json", exclude_none=True)).encode("ascii")


def append(run: str, data: bytes, contender: str = "c") -> None:
    path = raw_log(run, contender, "s")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as f:
        f.write(data)


def done(watched: Watch) -> int:
    return watched.look(NOW).cells[0].n_done


def test_rows_are_counted_as_they_come_and_a_half_written_one_is_not(scratch):
    watched = Watch(begin())
    assert watched.look(NOW).cells[0].state == "waiting"
    append(watched.run, line("a") + line("b")[:40])
    assert done(watched) == 1
    append(watched.run, line("b")[40:-1])
    assert done(watched) == 1
    append(watched.run, b"\n")
    with unchanged(scratch):
        assert done(watched) == 2
    (cell,) = watched.look(NOW).cells
    assert (cell.state, cell.lane, cell.n_unreadable) == ("asking", "lane", 0)


def test_what_was_read_is_not_read_again():
    watched = Watch(begin())
    append(watched.run, line("a") + line("b"))
    assert done(watched) == 2
    path = raw_log(watched.run, "c", "s")
    # as long as before, and no rows any more: nobody looks
    path.write_bytes(b"x" * path.stat().st_size)
    append(watched.run, line("c"))
    assert done(watched) == 3


def test_a_damaged_line_is_counted_and_what_follows_is_read():
    watched = Watch(begin())
    append(watched.run, b'{"cell": "' + A.encode() + b'"}\n[1]\nnonsense\n\xff\n' + line("a"))
    (cell,) = watched.look(NOW).cells
    assert (cell.n_done, cell.n_unreadable) == (1, 4)


def test_a_log_that_was_replaced_by_a_shorter_one_is_read_anew():
    watched = Watch(begin())
    append(watched.run, line("a") + line("b"))
    assert done(watched) == 2
    raw_log(watched.run, "c", "s").write_bytes(line("z"))
    assert done(watched) == 1


def test_rows_of_earlier_runs_count_from_the_start_and_once():
    watched = Watch(begin())
    note = {"cell": A, "outcomes": {"valid": 1, "refused": 1}}
    write_whole(taken_over_file(watched.run, "c", "s"), pretty_json(note))
    (cell,) = watched.look(NOW).cells
    assert (cell.state, cell.n_done, cell.n_taken_over, cell.outcomes) == (
        "preparing",
        2,
        2,
        {"valid": 1, "refused": 1},
    )
    append(watched.run, line("a") + line("b"))
    # they come into the log when the cell ends
    append(watched.run, line("c", origin="v8") + line("d", origin="v8", outcome="refused"))
    for look in (watched, Watch(watched.run)):
        (cell,) = look.look(NOW).cells
        assert (cell.n_done, cell.n_taken_over, cell.outcomes) == (4, 2, {"valid": 3, "refused": 1})
    # the note of another key, of before the cell was planned anew, says nothing
    write_whole(taken_over_file(watched.run, "c", "s"), pretty_json(note | {"cell": B}))
    assert Watch(watched.run).look(NOW).cells[0].n_taken_over == 2


def test_a_cell_with_a_receipt_is_taken_from_it_and_its_log_left_alone():
    watched = Watch(begin(a=job(), b=job("d")))
    append(watched.run, b"no rows at all\n")
    write_receipt(
        receipt_path("c", "s", A, 1), receipt(cell_key=A, run=watched.run, n_expected=4, outcomes={"valid": 4})
    )
    with CellLock(cell_dir("d", "s", B), watched.run):
        c, d = watched.look(NOW).cells
    assert (c.state, c.n_done, c.n_unreadable, d.state) == ("complete", 4, 0, "preparing")


def test_another_runs_lock_on_a_cell_is_no_beginning_of_ours():
    watched = Watch(begin())
    with CellLock(cell_dir("c", "s", A), "another"):
        assert watched.look(NOW).cells[0].state == "waiting"


def test_marks_stop_and_fail_cells():
    watched = Watch(begin(a=job(), b=job("d")))
    mark(watched.run, "provider.lane", "budget")
    mark(watched.run, f"failed.{B[:16]}", "items are damaged")
    c, d = watched.look(NOW).cells
    assert (c.reason, d.state, d.reason) == ("lane stopped: budget", "failed", "items are damaged")


def test_a_plan_of_before_there_were_lanes():
    old = job()
    del old["lane"]
    watched = Watch(begin(a=old))
    assert watched.look(NOW).cells[0].lane == "lab"


def test_cells_stand_in_the_order_of_the_release(scratch):
    cells = {"a": job("one"), "b": job("two"), "c": job("one") | {"suite": "r"}, "d": job("three")}
    (scratch / "config.yaml").write_text(
        "all: [v9]\nreleases: {v9: {title: T, suites: [s, r], contenders: [two, one]}}\n"
    )
    named = [c.name for c in Watch(begin(**cells)).look(NOW).cells]
    assert named == ["two x s", "one x s", "three x s", "one x r"]
    set_manifest("v9-1", release="v9-simulated")
    assert [c.name for c in Watch("v9-1").look(NOW).cells] == named
    (scratch / "config.yaml").write_text("releases: [")
    assert [c.name for c in Watch("v9-1").look(NOW).cells] == ["one x r", "one x s", "three x s", "two x s"]


# -- money


def test_spend_is_that_of_the_release_beside_the_run_against_the_caps(scratch):
    watched = Watch(begin())
    assert watched.look(NOW).spend.committed_usd == 0
    with_ledger = ledger(Path("runs/_budget/v9"))
    with_ledger.settle(reserve(with_ledger, "3", run="other"), Decimal("2.5"))
    with_ledger.settle(reserve(with_ledger, "0.5", run=watched.run), None)
    reserve(with_ledger, "0.25", run=watched.run)
    with unchanged(scratch):
        s = watched.look(NOW).spend
    assert (s.committed_usd, s.run_usd) == (Decimal("3.25"), Decimal("0.75"))
    assert (s.reserved_usd, s.unsettled_usd) == (Decimal("0.25"), Decimal("0.5"))
    assert (s.soft_usd, s.hard_usd, s.problem) == (5, 10, None)
    with_ledger.close()
    # whoever reserved it has ended
    assert watched.look(NOW).spend.unsettled_usd == Decimal("0.75")


def test_a_ledger_that_cannot_be_believed_is_said_and_stops_nothing():
    watched = Watch(begin())
    set_manifest(watched.run, budget=None)
    folder = Path("runs/_budget/v9")
    folder.mkdir(parents=True)
    (folder / "writers.jsonl").write_text("nonsense\n")
    append(watched.run, line("a"))
    run = watched.look(NOW)
    assert "writers.jsonl: line 1" in (run.spend.problem or "") and run.spend.committed_usd is None
    assert (run.spend.hard_usd, run.n_done) == (None, 1)


# -- life and death

KILLED = textwrap.dedent(
    """
    import os, signal
    from tests.planning.test_watching import begin
    begin("killed")
    os.kill(os.getpid(), signal.SIGKILL)
    """
)


def kill_a_run() -> None:
    here = Path(__file__).resolve().parents[2]
    env = os.environ | {"PYTHONPATH": str(here)}
    assert subprocess.run([sys.executable, "-c", KILLED], env=env, check=False).returncode == -9


def test_a_run_ends_when_its_manifest_says_so():
    watched = Watch(begin())
    write_receipt(receipt_path("c", "s", A, 1), receipt(cell_key=A, run=watched.run, n_expected=4))
    assert not watched.look(NOW).ended
    end_run(watched.run)
    run = watched.look(NOW)
    assert (run.ended, run.status) == (True, "complete")


def test_a_run_whose_process_was_killed_is_gone(scratch):
    kill_a_run()
    with unchanged(scratch):
        run = Watch("killed").look(NOW)
    assert (run.ended, run.status, run.cells[0].state) == (True, "gone", "unfinished")


def test_of_a_process_on_another_host_nobody_here_can_say():
    kill_a_run()
    set_manifest("killed", host="elsewhere")
    owner = run_dir("killed") / "owner.1.json"
    write_whole(owner, pretty_json(load_json(owner) | {"host": "elsewhere", "boot": "another"}))
    run = Watch("killed").look(NOW)
    assert (run.ended, run.status, run.host) == (False, "running", "elsewhere")
    assert run.heard_at == dt.datetime.fromisoformat(load_json(owner)["heartbeat"])
    # a file of before there were heartbeats says nothing of them
    write_whole(owner, pretty_json({"host": "elsewhere", "run": "killed"}))
    assert Watch("killed").look(NOW).heard_at is None


def test_a_run_without_a_manifest_is_being_born_until_it_is_too_old():
    home = run_dir("newborn")
    home.mkdir(parents=True)
    born = NOW.timestamp()
    os.utime(home, (born - 29, born - 29))
    assert not Watch("newborn").look(NOW).ended
    os.utime(home, (born - 31, born - 31))
    assert Watch("newborn").look(NOW).status == "gone"


def test_a_damaged_plan_or_manifest_is_no_reason_to_fail():
    run = begin()
    (run_dir(run) / "plan.json").write_text("{")
    (run_dir(run) / "manifest.json").write_text("[]")
    assert Watch(run).look(NOW).cells == ()


def test_looking_at_a_lock_takes_and_writes_nothing():
    run = begin("alive")
    alive = run_dir(run) / "alive"
    before = alive.stat()
    assert is_held(alive) and alive.stat() == before
    assert is_held(alive)
    end_run(run)
    assert not is_held(alive) and not is_held(alive.with_name("nothing"))


# -- which run


def test_the_newest_at_work_is_watched_otherwise_the_newest():
    with pytest.raises(UsageError, match="there is no run in runs/ yet"):
        choose_run(None, NOW)
    for name, day in (("old", 1), ("newer", 3), ("newest", 5)):
        begin(name)
        set_manifest(name, started_at=f"2026-11-0{day}T12:00:00.000Z")
    assert choose_run(None, NOW) == "newest"
    end_run("newest")
    assert choose_run(None, NOW) == "newer"
    end_run("newer")
    end_run("old")
    assert choose_run(None, NOW) == "newest"
    kill_a_run()
    set_manifest("killed", started_at="2026-11-04T12:00:00.000Z")
    assert choose_run(None, NOW) == "newest"
    assert choose_run("old", NOW) == "old"


@pytest.mark.parametrize("name", ["newset", "../newest", "", "_budget"])
def test_a_run_that_is_not_there_is_refused_with_the_nearest(name):
    begin("newest")
    with pytest.raises(UsageError, match=r"is not in runs/; .*newest"):
        choose_run(name, NOW)


def test_a_run_that_vanishes_while_it_is_watched():
    watched = Watch(begin())
    append(watched.run, line("a"))
    assert done(watched) == 1
    shutil.rmtree(run_dir(watched.run))
    assert watched.look(NOW).ended


def test_rows_of_the_log_that_are_of_another_cell_do_not_count():
    watched = Watch(begin())
    append(watched.run, line("a", cell=B) + line("b"))
    assert done(watched) == 1
