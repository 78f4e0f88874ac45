"""`dmb watch`: words, pictures, and the command beside a real run."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.cli.watch_view import Style, frame
from dmb.cli.watch_words import (
    changes,
    duration,
    heartbeat,
    left_text,
    one_line,
    rate_text,
    snapshot,
    spend_parts,
    status_text,
    usd,
)
from dmb.planning.progress import CellNow, LaneNow, RunNow, Spend
from dmb.store.layout import receipt_path
from dmb.store.receipts import write_receipt
from dmb.store.runs import begin_run, end_run, mark
from tests.cli.test_bad_input import in_process
from tests.dag.slow import slow_project
from tests.dag.tiny import Tiny
from tests.store.test_receipts import receipt

AT = dt.datetime(2026, 11, 30, 12, 0, 0, tzinfo=dt.UTC)


def cell(contender: str, suite: str = "intent-77", state: str = "asking", **more) -> CellNow:
    known = {"lane": "lab", "reason": None, "n_expected": 300, "n_done": 0, "n_taken_over": 0, "outcomes": {}}
    unknown = {"n_unreadable": 0, "rate": None, "left_s": None}
    return CellNow(contender=contender, suite=suite, state=state, **known | unknown | more)


CELLS = (
    cell("jev", state="skipped", reason="no-credential"),
    cell("keyword", state="complete", n_done=300, outcomes={"valid": 300}),
    cell(
        "gpt-5-4-nano",
        n_done=212,
        n_taken_over=60,
        outcomes={"refused": 1, "valid": 208, "malformed": 3},
        rate=3.91,
        left_s=22.5,
    ),
    cell("claude-sonnet-4-6", "confidence-honesty", n_expected=100, n_done=1, outcomes={"valid": 1}),
    cell("glm-5-3", "gate-spam", "dnf", reason="deadline", n_done=40, outcomes={"valid": 40, "skipped": 260}),
    cell("glm-5-3", "intent-77", "waiting"),
)
LANES = (
    LaneNow(id="openai", n_left=88, rate=3.91, left_s=22.5, stopped=None),
    LaneNow(id="anthropic", n_left=99, rate=None, left_s=None, stopped=None),
    LaneNow(id="deepseek", n_left=0, rate=None, left_s=None, stopped="budget"),
)
SPEND = Spend(Decimal("1.84"), Decimal("0.12"), Decimal(0), Decimal("0.6"), Decimal(40), Decimal(60))


def run(**more) -> RunNow:
    known = {"run": "v2-3", "release": "v2", "status": "running", "host": None, "at": AT, "elapsed_s": 252.0}
    pace = {"rate": 3.91, "left_s": 22.5, "left_unknown": ("anthropic",), "ended": False, "simulated": False}
    return RunNow(**known | pace | {"cells": CELLS, "lanes": LANES, "spend": SPEND} | more)


# -- words


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (252, "4 min 12 s"),
        (599, "9 min 59 s"),
        (2290, "38 min"),
        (3599, "59 min"),
        (3840, "1 h 04 min"),
        (86_399, "23 h 59 min"),
        (183_600, "2 d 3 h"),
    ],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_rates_and_dollars():
    assert [rate_text(r) for r in (None, 0.01, 0.1, 3.91, 1234.5)] == ["", "0.6/min", "0.1/s", "3.9/s", "1,234/s"]
    assert [usd(Decimal(a)) for a in ("0", "0.00012", "0.1", "1234.567")] == ["0.00", "0.0001", "0.10", "1,234.57"]


@pytest.mark.parametrize(
    "more, words",
    [
        ({}, "running for 4 min 12 s"),
        ({"host": "north"}, "running on north for 4 min 12 s"),
        ({"host": "north", "heard_at": AT - dt.timedelta(seconds=90)}, "…, last heartbeat 1 min 30 s ago"),
        ({"host": "north", "heard_at": AT + dt.timedelta(seconds=2)}, "…, last heartbeat 0 s ago"),
        ({"host": "north", "heard_at": AT, "status": "complete", "ended": True}, "complete after 4 min 12 s"),
    ],
)
def test_of_a_run_on_another_host_it_is_said_when_it_was_last_heard_of(more, words):
    assert status_text(run(**more)) == words.replace("…", "running on north for 4 min 12 s")


@pytest.mark.parametrize(
    "spend, words",
    [
        (Spend(problem="x: line 1\nis \x1b[31mbad"), ["spend unknown: x: line 1 is ?[31mbad"]),
        (Spend(), ["spend unknown"]),
        (Spend(Decimal(0), hard_usd=Decimal(60)), ["nothing spent of 60 USD"]),
        (Spend(Decimal(2), run_usd=Decimal(2)), ["2.00 USD spent"]),
        (SPEND, ["1.84 of 60 USD spent", "soft cap 40", "0.60 by this run", "0.12 reserved"]),
        (
            Spend(Decimal("41.5"), None, Decimal("1.5"), Decimal("41.5"), Decimal(40), Decimal(60)),
            ["41.50 of 60 USD spent", "above the soft cap 40", "1.50 unsettled"],
        ),
    ],
)
def test_spend(spend, words):
    assert spend_parts(spend) == words


@pytest.mark.parametrize(
    "more, words",
    [
        ({}, "at least 22 s left"),
        ({"left_unknown": ()}, "22 s left"),
        ({"left_s": None}, "time left unknown"),
        ({"lanes": LANES[2:]}, "no rows left to ask"),
        ({"lanes": LANES[2:], "cells": CELLS[:2]}, "scoring and publishing"),
        ({"ended": True}, ""),
        ({"cells": ()}, ""),
    ],
)
def test_time_left(more, words):
    assert left_text(run(**more)) == words


def test_texts_of_others_cannot_steer_a_terminal():
    assert one_line("a\r\n b\x1b]0;x\x07 \x9b2J 漢\u0301é") == "a b?]0;x? ?2J ?é"


# -- lines


def test_a_snapshot_has_a_line_for_each_cell():
    assert snapshot(run()) == [
        "run v2-3: running for 4 min 12 s",
        "553 of 1,300 rows, 3.9/s, at least 22 s left",
        "1.84 of 60 USD spent, soft cap 40, 0.60 by this run, 0.12 reserved",
        "jev x intent-77                         skipped (no-credential), 300 rows not asked",
        "keyword x intent-77                     complete, 300 of 300 rows",
        "gpt-5-4-nano x intent-77                asking, 212 of 300 rows, 60 taken over, 3 malformed, 1 refused, 3.9/s, 22 s left",
        "claude-sonnet-4-6 x confidence-honesty  asking, 1 of 100 rows",
        "glm-5-3 x gate-spam                     dnf (deadline), 40 of 300 rows",
        "glm-5-3 x intent-77                     waiting, 0 of 300 rows",
    ]


def test_a_pipe_hears_of_what_has_happened_and_of_nothing_else():
    first = list(changes(None, run()))
    assert first == [
        "12:00:00 run v2-3: running for 4 min 12 s; 6 cells: 2 asking, 1 waiting, 1 complete, 1 dnf, 1 skipped",
        "12:00:00 gpt-5-4-nano x intent-77: asking, 212 of 300 rows, 60 taken over, 3 malformed, 1 refused, 3.9/s, 22 s left",
        "12:00:00 claude-sonnet-4-6 x confidence-honesty: asking, 1 of 100 rows",
        "12:00:00 lane deepseek stopped: budget",
    ]
    assert list(changes(run(), run(rate=9.0, elapsed_s=300.0))) == []
    spent = Spend(Decimal(41), soft_usd=Decimal(40))
    nano = cell("gpt-5-4-nano", state="complete", n_done=300, outcomes={"valid": 300})
    later = run(cells=(*CELLS[:2], nano, *CELLS[3:]), lanes=(LaneNow("openai", 0, None, None, "run"),), spend=spent)
    assert list(changes(run(), later)) == [
        "12:00:00 gpt-5-4-nano x intent-77: complete, 300 of 300 rows",
        "12:00:00 lane openai stopped: run",
        "12:00:00 41.00 USD spent, above the soft cap 40",
    ]
    assert heartbeat(later).startswith("12:00:00 641 of 1,300 rows, 3.9/s, no rows left to ask; 41.00 USD spent, above")


# -- pictures


def test_a_picture_of_80_columns():
    assert frame(run(), 79, 24, Style()) == [
        "v2-3 · running for 4 min 12 s                                at least 22 s left",
        "553 of 1,300 rows  ━━━━━━━━━━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌   43 %  3.9/s",
        "1.84 of 60 USD spent · soft cap 40 · 0.60 by this run · 0.12 reserved",
        "",
        "gpt-5-4-nano x intent-77                ━━━━━━╌╌  212/300     3.9/s        22 s",
        "claude-sonnet-4-6 x confidence-honesty  ╌╌╌╌╌╌╌╌    1/100               unknown",
        "glm-5-3 x gate-spam                     ━╌╌╌╌╌╌╌   40/300  dnf (deadline)",
        "",
        "lane deepseek stopped: budget",
        "1 cell skipped (no-credential): jev",
        "6 cells: 2 asking · 1 waiting · 1 complete · 1 dnf · 1 skipped",
    ]


def test_a_narrow_picture_without_unicode():
    assert frame(run(), 43, 24, Style(unicode=False)) == [
        "v2-3, running for 4 min 12 s",
        "at least 22 s left",
        "553 of 1,300 rows  ====------   43 %  3.9/s",
        "1.84 of 60 USD spent, soft cap 40",
        "0.60 by this run, 0.12 reserved",
        "",
        "gpt-5-4-nano x intent-77",
        "  =======---  212/300     3.9/s        22 s",
        "claude-sonnet-4-6 x confidence-honesty",
        "  ----------    1/100               unknown",
        "glm-5-3 x gate-spam",
        "  =---------   40/300  dnf (deadline)",
        "",
        "lane deepseek stopped: budget",
        "1 cell skipped (no-credential): jev",
        "6 cells: 2 asking, 1 waiting, 1 complete",
        "1 dnf, 1 skipped",
    ]


def test_a_low_window_keeps_the_cells_that_are_asked():
    lines = frame(run(), 79, 6, Style())
    assert [line.partition("  ")[0] for line in lines[3:5]] == ["gpt-5-4-nano x intent-77", "and 2 more"]
    assert lines[-1].startswith("6 cells:") and len(lines) == 6


def test_remarks_where_there_is_room_and_colours_where_they_are_wanted():
    wide = frame(run(), 110, 24, Style(colour=True))
    (nano,) = [line for line in wide if line.startswith("gpt-5-4-nano")]
    assert nano.endswith("22 s  \x1b[33m4 not valid\x1b[0m")
    plain = [re.sub(r"\x1b\[\d+m", "", line) for line in wide]
    assert plain == frame(run(), 110, 24, Style())


@given(st.integers(20, 140), st.integers(4, 40), st.integers(0, 9), st.booleans(), st.booleans())
def test_a_picture_never_leaves_its_window(width, height, n, unicode, ended):
    more = [
        cell(f"a-very-long-name-of-a-contender-{i}", "confidence-honesty", "stopped", reason="x" * 99) for i in range(n)
    ]
    lines = frame(run(cells=(*CELLS, *more), ended=ended), width, height, Style(unicode=unicode))
    assert len(lines) <= height and all(len(line) <= width for line in lines)
    assert unicode or "".join(lines).isascii()


def test_a_rehearsal_says_so_in_its_first_line():
    assert frame(run(simulated=True), 79, 24, Style())[0].startswith("v2-3 · simulated, running for 4 min 12 s")


def test_a_run_that_is_being_opened():
    lines = frame(run(cells=(), lanes=(), elapsed_s=None, spend=Spend(), rate=None), 79, 24, Style())
    assert lines == ["v2-3 · being opened", "no plan yet", "spend unknown", "", "no cells"]


# -- the command

JOB = {"suite": "s", "number": 1, "n_expected": 2, "entry": {"provider": "lab"}, "provider": {}, "skip": None} | {
    "policy": {"retry_malformed": 1},
    "protocol": {"retry_failed": 1},
    "simulated": False,
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    monkeypatch.chdir(tmp_path)
    return Tiny(tmp_path)


def ended_run(status: str, reason: str | None = None) -> None:
    key = "a" * 64
    begin_run("mine", "v9", {"release": "v9", "cells": {key: JOB | {"contender": "c"}}}, {}, {"release": "v9"})
    if status == "failed":
        mark("mine", "failed.x", "broken")
    else:
        made = receipt(cell_key=key, run="mine", status=status, outcomes={"valid": 1, "skipped": 1})
        write_receipt(receipt_path("c", "s", key, 1), made.model_copy(update={"stop_reason": reason}))
    end_run("mine")


@pytest.mark.parametrize(
    "status, reason, code, words",
    [
        ("complete", None, 0, "complete"),
        ("skipped", "no-credential", 0, "complete"),
        ("stopped", "budget", 4, "stopped"),
        ("stopped", "authentication", 5, "stopped"),
        ("skipped", "lane stopped: authentication", 5, "complete"),
        ("stopped", "execution: 10 failures in a row", 3, "stopped"),
        ("dnf", "deadline", 6, "stopped"),
        ("failed", None, 3, "failed"),
    ],
)
def test_a_run_that_has_ended_gives_its_exit_code(home, status, reason, code, words):
    ended_run(status, reason)
    done = in_process(home, "watch")
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.splitlines()[-1] == f"run mine: {words}; exit {code}"
    once = in_process(home, "watch", "mine", "--once")
    assert once.returncode == 0 and once.stdout.splitlines()[-1] == f"run mine: {words}; exit {code}"


def test_json_is_a_line_that_a_program_reads(home):
    ended_run("stopped", "budget")
    for args, code in ((("--json",), 4), (("--json", "--once"), 0)):
        done = in_process(home, "watch", *args)
        (line,) = done.stdout.splitlines()
        data = json.loads(line)
        assert (done.returncode, data["exit_code"], data["status"], data["n_done"]) == (code, 4, "stopped", 1)
        assert data["cells"][0]["reason"] == "budget"


@pytest.mark.parametrize("args", [["nope"], ["../runs"], []])
def test_no_such_run(home, args):
    done = in_process(home, "watch", *args)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1


# -- beside a real run


def start(t: Tiny, *words: str, **streams) -> subprocess.Popen:
    # where tests run by themselves there may be no kind of terminal at all
    environment = t.environment() | {"TERM": "xterm"}
    return subprocess.Popen([sys.executable, "-m", *words], cwd=t.root, env=environment, text=True, **streams)


def wait_until(met, what: str) -> None:
    deadline = time.monotonic() + 60
    while not met():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_a_run_is_watched_until_it_is_killed_and_again_until_it_ends(tmp_path: Path) -> None:
    slow = slow_project(tmp_path / "slow", delay_s=5.0)  # a minute: enough for two starts on a busy machine
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    work = start(slow, "snakemake", "results/tiny.md", **quiet)
    raw = slow.root / "runs/tiny-1/raw/slow.beta.attempts.jsonl"
    wait_until(lambda: raw.exists() and raw.read_bytes().count(b"\n") >= 2, "no rows")
    told_in = tmp_path / "piped.txt"
    with told_in.open("w") as out_file:
        piped = start(slow, "dmb", "watch", stdout=out_file, stderr=subprocess.PIPE)
    # somebody looks on a terminal, and goes away again
    ours, theirs = pty.openpty()
    shown = start(slow, "dmb", "watch", "tiny-1", stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while b"slow x beta" not in seen:
        seen += os.read(ours, 65536)
    shown.send_signal(signal.SIGINT)
    assert shown.wait(timeout=60) == 0
    with contextlib.suppress(OSError):
        seen += os.read(ours, 65536)
    os.close(ours)
    assert "tiny-1" in seen.decode() and "of 24 rows" in seen.decode() and "nothing spent" in seen.decode()
    # on a busy machine the first watcher may have started last
    wait_until(lambda: "slow x beta: asking" in told_in.read_text(), "nothing told")
    os.killpg(work.pid, signal.SIGKILL)
    work.wait()
    _, err = piped.communicate(timeout=60)
    out = told_in.read_text()
    assert (piped.returncode, err) == (3, "")
    lines = out.splitlines()
    assert "run tiny-1: running for" in lines[0] and lines[-1].startswith("run tiny-1: its process is gone;")
    assert any("slow x beta: asking" in line for line in lines) and "\x1b" not in out

    (slow.root / "delay").write_text("0.3")
    again = start(slow, "snakemake", "results/tiny.md", **quiet)
    wait_until(lambda: (slow.root / "runs/tiny-2/manifest.json").exists(), "no second run")
    told = start(slow, "dmb", "watch", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = told.communicate(timeout=60)
    assert again.wait(timeout=60) == 0
    assert (told.returncode, err, out.splitlines()[-1]) == (0, "", "run tiny-2: complete; exit 0")
    # where this machine is busy the cell may be done before the first look, and then there is no change to tell
    assert re.search(r"slow x beta: complete, 24 of 24 rows, \d+ taken over|1 cell: 1 complete", out)
