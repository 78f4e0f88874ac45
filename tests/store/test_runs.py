"""A run: born once, ended from its evidence, and swept when its process is gone."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dmb.cli.run import _conclude
from dmb.errors import EXIT_USAGE, DamagedFile, UsageError
from dmb.kernel_lock import is_held
from dmb.store import runs
from dmb.store.claims import declare_dead
from dmb.store.files import load_json, pretty_json, write_whole
from dmb.store.layout import raw_log, receipt_path, run_dir
from dmb.store.receipts import write_receipt
from dmb.store.run_state import has_ended
from dmb.store.runs import (
    all_runs,
    begin_run,
    check_run_id,
    end_run,
    left_open,
    mark,
    run_status,
    set_manifest,
    stops_dir,
    sweep,
)
from tests.store.test_attempts import attempt, write
from tests.store.test_receipts import receipt

KEYS = ["a" * 64, "b" * 64]


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runs, "SETTLE_S", 0)
    return tmp_path


def plan(*keys: str) -> dict:
    return {"release": "v9", "cells": {k: {"contender": f"c-{k[0]}", "suite": "s", "number": 1} for k in keys}}


def begin(run: str | None = None, *keys: str) -> str:
    return begin_run(run, "v9", plan(*keys), {"prices.toml": b"x"}, {"protocol_version": 3})


def ended(run: str, key: str, status: str = "complete", **fields) -> None:
    made = receipt(cell_key=key, run=run, status=status, contender=f"c-{key[0]}", **fields)
    write_receipt(receipt_path(f"c-{key[0]}", "s", key, 1), made)


# -- ids


@pytest.mark.parametrize("run", ["r1", "2026-11-30", "A.b_c-9", "x" * 80])
def test_plain_words_are_ids(run):
    check_run_id(run)


@pytest.mark.parametrize(
    "run",
    [
        "",
        " ",
        "../x",
        "a/b",
        "/etc",
        "a b",
        ".hidden",
        "-x",
        "_cells",
        "a..b",
        "..",
        "a\n",
        "a\x00b",
        "é",
        "x" * 81,
        "a\\b",
        "~",
    ],
)
def test_bad_ids_are_refused_and_nothing_is_made(scratch, run):
    with pytest.raises(UsageError, match="is no run id") as caught:
        check_run_id(run)
    assert caught.value.exit_code == EXIT_USAGE and "\n" not in str(caught.value)
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("kind", ["folder", "file", "dangling link"])
def test_an_id_that_is_taken_is_refused(kind):
    Path("runs").mkdir()
    path = Path("runs/r1")
    {"folder": path.mkdir, "file": path.touch, "dangling link": lambda: path.symlink_to("nowhere")}[kind]()
    with pytest.raises(UsageError, match="runs/r1 exists, and a run directory is never reused"):
        check_run_id("r1")
    with pytest.raises(UsageError, match="runs/r1 exists"):
        begin("r1")


# -- birth


def test_a_run_is_born_with_its_plan_its_snapshots_and_a_living_owner():
    run = begin(None, *KEYS)
    home = run_dir(run)
    assert run == "v9-1"
    assert load_json(home / "plan.json") == {**plan(*KEYS), "run": run}
    assert (home / "prices.toml").read_bytes() == b"x"
    manifest = load_json(home / "manifest.json")
    assert (manifest["run"], manifest["status"], manifest["protocol_version"]) == (run, "running", 3)
    assert is_held(home / "alive") and run_status(run) == "running"
    end_run(run)
    assert not is_held(home / "alive")


def test_ids_are_counted_on_and_a_named_one_is_made_once():
    Path("runs/v9-2").mkdir(parents=True)
    assert [begin(), begin(), begin("mine")] == ["v9-1", "v9-3", "mine"]
    assert all_runs() == ["mine", "v9-1", "v9-2", "v9-3"]
    with pytest.raises(UsageError):
        begin("mine")
    for run in ("v9-1", "v9-3", "mine"):
        end_run(run)


def test_a_birth_never_writes_into_a_run_that_is_there():
    home = run_dir(begin("mine"))
    end_run("mine")
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    with pytest.raises(UsageError):
        begin("mine", *KEYS)
    assert {p: p.read_bytes() for p in home.rglob("*") if p.is_file()} == before


# -- the end


@pytest.mark.parametrize(
    "statuses, expected",
    [
        (("complete", "complete"), "complete"),
        (("complete", "skipped"), "complete"),
        (("stopped", "complete"), "stopped"),
        (("complete", None), "interrupted"),
        ((None, None), "interrupted"),
    ],
)
def test_the_status_comes_from_the_receipts(statuses, expected):
    run = begin(None, *KEYS)
    for key, status in zip(KEYS, statuses, strict=True):
        if status is not None:
            ended(run, key, status)
    assert end_run(run) == run_status(run) == expected
    index = load_json(run_dir(run) / "cells.json")
    assert [(c["cell_key"], c["status"]) for c in index] == list(zip(KEYS, statuses, strict=True))
    assert all(c["receipt"] is None or Path(c["receipt"]).exists() for c in index)


def test_a_missing_receipt_with_a_failure_mark_is_failed_and_says_why():
    run = begin(None, *KEYS)
    ended(run, KEYS[0])
    mark(run, f"failed.{KEYS[1][:16]}", "the server ended")
    assert end_run(run) == "failed"
    assert load_json(run_dir(run) / "manifest.json")["failures"] == {f"failed.{KEYS[1][:16]}": "the server ended"}


def test_a_run_that_is_closed_with_something_missing_leaves_a_stop_mark():
    run = begin(None, *KEYS)
    assert end_run(run) == "interrupted"
    assert (stops_dir(run) / "run").read_text() == "the run is closed\n"


def test_the_end_of_a_run_waits_for_a_job_that_still_asks_but_not_for_ever(monkeypatch):
    from tests.store.test_locks import held_elsewhere

    monkeypatch.setattr(runs, "STRAYS_S", 0.3)
    monkeypatch.setattr(runs, "SETTLE_S", 0.1)
    run = begin(None, *KEYS)
    cell = receipt_path("c-a", "s", KEYS[0], 1).parent
    with held_elsewhere(cell):
        assert end_run(run) == "interrupted"
        assert is_held(cell / "lock")


def test_a_failure_that_was_mended_in_time_is_no_failure():
    run = begin(None, KEYS[0])
    mark(run, "failed.items", "x")
    ended(run, KEYS[0])
    assert end_run(run) == "complete"


def test_a_cell_that_another_run_finished_meanwhile_is_answered_but_not_this_runs():
    run = begin(None, KEYS[0])
    ended("another", KEYS[0])
    assert end_run(run) == "complete"
    index = load_json(run_dir(run) / "cells.json")
    assert [c["receipt"] for c in index] == [None]


def test_parents_are_the_runs_that_rows_came_from():
    run = begin(None, KEYS[0])
    rows = [
        attempt("1", cell=KEYS[0], origin="old"),
        attempt("2", cell=KEYS[0]),
        attempt("3", cell=KEYS[0], origin="older"),
    ]
    write(raw_log(run, "c-a", "s"), rows)
    ended(run, KEYS[0], n_imported=2)
    end_run(run)
    assert load_json(run_dir(run) / "manifest.json")["parents"] == ["old", "older"]


def test_what_was_in_the_manifest_stays():
    run = begin(None)
    end_run(run)
    manifest = load_json(run_dir(run) / "manifest.json")
    assert manifest["protocol_version"] == 3 and manifest["started_at"] <= manifest["ended_at"]


# -- the sweep

STARTER = """
import os, signal, sys
from tests.store.test_runs import begin
begin(*sys.argv[1:])
print("born", flush=True)
sys.stdin.readline()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def started(scratch):
    """Begin a run in another process; ``close()`` ends it without a farewell."""
    children = []

    def start(*args: str) -> subprocess.Popen:
        root = str(Path(__file__).resolve().parents[2])
        code = f"import sys; sys.path.insert(0, {root!r})\n{STARTER}"
        child = subprocess.Popen(
            [sys.executable, "-c", code, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=scratch
        )
        children.append(child)
        assert child.stdout.readline() == "born\n"
        return child

    yield start
    for child in children:
        child.kill()
        child.communicate()


def kill(child: subprocess.Popen) -> None:
    child.stdin.write("\n")
    child.stdin.flush()
    child.wait()


def test_a_run_whose_owner_is_gone_is_interrupted_and_a_living_one_is_left_alone(started):
    dead, living = started("dead", *KEYS), started("living", *KEYS)
    kill(dead)
    assert sweep() == ["dead"]
    assert (run_status("dead"), run_status("living")) == ("interrupted", "running")
    assert (stops_dir("dead") / "run").exists() and not list(stops_dir("living").iterdir())
    assert sweep() == []
    kill(living)
    assert sweep() == ["living"]


def test_an_own_run_is_left_alone():
    run = begin()
    assert sweep() == [] and run_status(run) == "running"
    end_run(run)
    before = (run_dir(run) / "manifest.json").read_bytes()
    assert sweep() == [] and (run_dir(run) / "manifest.json").read_bytes() == before


SWEEPER = """
import sys
from dmb.store.runs import sweep
print("sweeping", flush=True)
sweep()
"""


def test_a_sweep_that_is_killed_while_it_waits_is_made_up_for_by_the_next(started, scratch):
    kill(started("dead", *KEYS))
    from tests.store.test_locks import held_elsewhere

    cell = receipt_path("c-a", "s", KEYS[0], 1).parent
    with held_elsewhere(cell):
        command = [sys.executable, "-c", SWEEPER]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=scratch) as first:
            first.stdout.readline()
            while not (stops_dir("dead") / "run").exists():
                assert first.poll() is None
            first.kill()
        # its jobs may ask nothing more, and it still has to be waited for
        assert has_ended("dead") and run_status("dead") == "running"
        assert sweep(patience_s=0.2) == ["dead"]
    assert run_status("dead") == "interrupted" and sweep() == []


@pytest.mark.parametrize("facts, waits", [({"jobs": "here"}, False), ({"jobs": "elsewhere"}, True), ({}, True)])
def test_only_what_a_cluster_may_still_delete_is_waited_for(monkeypatch, facts, waits):
    begin("dead", *KEYS)
    runs._let_go("dead")
    set_manifest("dead", **facts)
    waited = []
    monkeypatch.setattr(runs, "SETTLE_S", 123.0)
    monkeypatch.setattr(runs.time, "sleep", waited.append)
    assert sweep() == ["dead"]
    assert waited == ([123.0] if waits else [])


def test_a_run_that_is_being_born_is_not_taken_for_one_that_was_killed():
    Path("runs/_numbers").mkdir(parents=True)
    swept: list[list[str]] = []
    with runs._birth_lock():
        run_dir("r1").mkdir()
        other = threading.Thread(target=lambda: swept.append(sweep()))
        other.start()
        other.join(0.2)
        assert other.is_alive(), "it waits for the end of the birth"
        write_whole(run_dir("r1") / "plan.json", pretty_json(plan()))
        set_manifest("r1", status="running")
    other.join()
    assert swept == [[]] and run_status("r1") == "running"


def test_the_sweep_waits_for_an_orphan_that_still_asks_but_not_for_ever(started):
    kill(started("dead", *KEYS))
    from tests.store.test_locks import held_elsewhere

    cell = receipt_path("c-a", "s", KEYS[0], 1).parent
    with held_elsewhere(cell):
        assert sweep(patience_s=0.3) == ["dead"]
        assert is_held(cell / "lock")


@pytest.mark.parametrize("beats, waits", [(True, "to the end"), (False, "a while")])
def test_whom_nobody_here_can_see_is_waited_for_while_he_is_heard_of(started, monkeypatch, beats, waits):
    kill(started("dead", *KEYS))
    from tests.store.test_claims import left_by_another_host, make_foreign

    cell = left_by_another_host(receipt_path("c-a", "s", KEYS[0], 1).parent)
    now, beat = [0.0], iter(range(10_000))

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if beats:
            make_foreign(cell, heartbeat=f"2026-11-30T00:00:00.{next(beat):06}Z")

    monkeypatch.setattr(runs.time, "sleep", sleep)
    monkeypatch.setattr(runs.time, "monotonic", lambda: now[0])
    assert sweep(patience_s=60.0) == ["dead"]
    assert (60 if beats else runs.SILENT_S) <= now[0] < (61 if beats else runs.SILENT_S + 1)


@pytest.mark.parametrize("left", [[], ["alive"], ["alive", "plan.json"], ["plan.json"]])
def test_a_run_that_was_killed_at_its_birth_is_interrupted(left):
    home = run_dir("r1")
    home.mkdir(parents=True)
    for name in left:
        write_whole(home / name, pretty_json(plan(*KEYS)) if name == "plan.json" else b"")
    assert run_status("r1") == "interrupted"
    sweep()
    assert load_json(home / "manifest.json")["status"] == "interrupted"
    assert sweep() == []


def test_a_run_of_another_host_is_not_judged_from_here(started):
    kill(started("far", *KEYS))
    path = run_dir("far") / "owner.1.json"
    write_whole(path, pretty_json(load_json(path) | {"host": "another-host", "boot": "another-boot"}))
    assert sweep() == [] and run_status("far") == "running"
    (said,) = left_open()
    assert "process" in said and "on another-host, last heartbeat" in said and "`dmb release-lock far`" in said
    declare_dead(run_dir("far"), "owner", 1, {})
    assert left_open() == [] and sweep() == ["far"]


@pytest.mark.parametrize("host, swept", [(None, ["old"]), ("another-host", [])])
def test_a_run_of_before_there_were_owner_files_is_judged_by_its_manifest(started, host, swept):
    kill(started("old", *KEYS))
    (run_dir("old") / "owner.1.json").unlink()
    path = run_dir("old") / "manifest.json"
    write_whole(path, pretty_json(load_json(path) | ({"host": host} if host else {})))
    assert sweep() == swept and bool(left_open()) == (not swept)


def test_a_run_killed_at_its_birth_has_no_receipts_and_ends_as_an_execution_failure(capsys):
    (runs.RUNS / "r1").mkdir(parents=True)
    assert runs.receipts_of("r1") == {}
    assert _conclude("r1", KEYS, None, 1) == 3
    assert "run r1: interrupted; 0 cells" in capsys.readouterr().out


def test_a_damaged_receipt_is_named():
    run = begin("r1", *KEYS)
    ended(run, KEYS[0])
    path = receipt_path("c-a", "s", KEYS[0], 1)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DamagedFile, match=str(path)):
        runs.receipts_of(run)
