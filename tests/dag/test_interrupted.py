"""Kills in the middle of a cell: what is on disk is not asked again, and the earlier run stays as it is."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from dmb.store.layout import SCRATCH
from tests.dag.slow import N_ITEMS, SERVER, slow_project
from tests.dag.tiny import Tiny


@pytest.fixture
def slow(tmp_path: Path) -> Tiny:
    """It answers a row in a while, with two in flight; its server keeps a bill in `bill.txt`."""
    return slow_project(tmp_path / "slow", delay_s=0.15)


def start(t: Tiny, *command: str) -> subprocess.Popen:
    command = [sys.executable, "-m", *(command or ("snakemake", "results/tiny.md"))]
    return subprocess.Popen(
        command,
        cwd=t.root,
        env=t.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_for_rows(t: Tiny, n: int, run: str = "tiny-1") -> Path:
    """Until the first run has logged some rows, and not all."""
    raw = t.root / f"runs/{run}/raw/slow.beta.attempts.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if raw.exists() and raw.read_bytes().count(b"\n") >= n:
            return raw
        time.sleep(0.01)
    raise AssertionError("no rows within 60 s")


def billed(t: Tiny) -> Counter:
    return Counter((t.root / "bill.txt").read_text().splitlines())


def asking_process(t: Tiny) -> int:
    """Process id of the cell that is being asked."""
    return json.loads(next((t.root / "runs/_cells").rglob("owner.*.json")).read_text())["pid"]


def finish(t: Tiny, first_raw: bytes) -> dict:
    """The same command again; returns the second run's receipt."""
    done = t.build()
    assert done.code == 0
    receipt = json.loads((t.root / "runs/_cells").rglob("receipt.1.json").__next__().read_text())
    assert receipt["status"] == "complete" and receipt["run"] == "tiny-2"
    assert receipt["n_imported"] + receipt["n_asked"] == N_ITEMS
    assert receipt["outcomes"]["valid"] == N_ITEMS
    assert (t.root / "runs/tiny-1/raw/slow.beta.attempts.jsonl").read_bytes() == first_raw
    assert json.loads((t.root / "runs/tiny-1/manifest.json").read_text())["status"] == "interrupted"
    manifest = json.loads((t.root / "runs/tiny-2/manifest.json").read_text())
    assert manifest["parents"] == ["tiny-1"]
    assert manifest["served_models"] == {"slow": ["slow-1"]}
    assert manifest["wall_s"] > 0
    return receipt


# tests/kills does so too, at any moment
@pytest.mark.long
def test_kill_of_everything(slow: Tiny) -> None:
    main = start(slow)
    raw = wait_for_rows(slow, 4)
    os.killpg(main.pid, signal.SIGKILL)
    main.wait()
    # jobs are in the main process's session, but not all in its group
    with contextlib.suppress(ProcessLookupError):
        os.kill(asking_process(slow), signal.SIGKILL)
    time.sleep(0.5)
    first = raw.read_bytes()
    receipt = finish(slow, first)
    assert receipt["n_imported"] == first.count(b"\n")
    # only what was in flight and not yet on disk was asked twice: at most two requests at once here
    again = sum(n - 1 for n in billed(slow).values())
    assert again <= 2


def test_kill_of_the_main_process_alone(slow: Tiny) -> None:
    (slow.root / "delay").write_text("2")
    main = start(slow)
    raw = wait_for_rows(slow, 2)
    os.kill(main.pid, signal.SIGKILL)
    main.wait()
    # the orphan's own server stays slow, so that it is still asking when the next start sweeps
    (slow.root / "delay").write_text("0.01")
    done = slow.build()
    assert done.code == 0
    # the orphan was told to end, and what it had in flight counts: nothing was asked twice
    assert set(billed(slow).values()) == {1}
    assert len(billed(slow)) == N_ITEMS
    receipt = json.loads(next((slow.root / "runs/_cells").rglob("receipt.1.json")).read_text())
    assert receipt["run"] == "tiny-2"
    assert 0 < receipt["n_imported"] == raw.read_bytes().count(b"\n") < N_ITEMS
    assert receipt["n_imported"] + receipt["n_asked"] == N_ITEMS


def test_kill_of_the_asking_process_alone(slow: Tiny) -> None:
    main = start(slow)
    raw = wait_for_rows(slow, 4)
    os.kill(asking_process(slow), signal.SIGKILL)
    assert main.wait(timeout=60) == 1
    finish(slow, raw.read_bytes())
    assert sum(n - 1 for n in billed(slow).values()) <= 2


def test_a_start_that_is_refused_takes_nothing_from_the_one_at_work(slow: Tiny) -> None:
    cell = next(
        line.split()[-1]
        for line in slow.build("-n").output.splitlines()
        if line.strip().startswith("output: runs/_cells") and "/receipt." in line
    )
    noted = slow.root / ".snakemake/incomplete" / base64.b64encode(cell.encode()).decode()
    noted.parent.mkdir(parents=True, exist_ok=True)
    # as a start on a cluster leaves it for what it has submitted
    noted.write_text(json.dumps({"external_jobid": "7"}))
    holder = (
        "import sys; from dmb.store.locks import hold_start_lock as h; lock = h(); print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holder]
    with subprocess.Popen(
        command, cwd=slow.root, env=slow.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as at_work:
        at_work.stdout.readline()
        refused = slow.snakemake("results/tiny.md", check=False)
        at_work.stdin.close()
    assert refused.code == 3 and "another snakemake is at work in this folder" in refused.output
    assert noted.exists() and not (slow.root / "runs/tiny-1").exists()


def test_ctrl_c_leaves_dmb_run_the_time_to_cancel_and_to_close(slow: Tiny) -> None:
    main = start(slow, "dmb", "run", "--id", "first")
    wait_for_rows(slow, 2, "first")
    # as a terminal does: all in the foreground get it
    os.killpg(main.pid, signal.SIGINT)
    assert main.wait(timeout=60) == 3
    assert json.loads((slow.root / "runs/first/manifest.json").read_text())["status"] == "interrupted"
    assert "ended" in json.loads((slow.root / SCRATCH / "start.1.json").read_text())


def test_sigterm_for_dmb_run_alone_leaves_no_workflow_behind(slow: Tiny) -> None:
    main = start(slow, "dmb", "run", "--id", "first")
    wait_for_rows(slow, 2, "first")
    os.kill(main.pid, signal.SIGTERM)
    # the cell at work is waited for, and nothing begins after it: it is answered, and not scored
    assert main.wait(timeout=60) == 3
    assert json.loads((slow.root / "runs/first/manifest.json").read_text())["status"] == "complete"
    assert not list((slow.root / "runs/_cells").rglob("score.*.json"))
    done = slow.build()
    assert done.code == 0 and not done.asked
    assert set(billed(slow).values()) == {1} and len(billed(slow)) == N_ITEMS


def test_a_served_model_that_dies_stops_the_cell_and_a_retry_asks_the_rest(slow: Tiny) -> None:
    (slow.root / "delay").write_text("0.01")
    server = slow.root / "dying.py"
    text = SERVER.read_text()
    dying = text.replace(
        "        time.sleep(DELAY_S)", "        if len(BILL.read_text().splitlines()) > 10: __import__('os')._exit(7)"
    )
    assert dying != text
    server.write_text(dying)
    sound = (slow.root / "data/contenders.toml").read_text()
    # the served program is the same to the key: it changes behind its name
    program = slow.root / "program.py"
    (slow.root / "data/contenders.toml").write_text(sound.replace(str(SERVER), str(program)))
    program.write_text(server.read_text())
    done = slow.dmb("run", "--id", "first")
    assert done.returncode == 3, done.stderr
    receipt = json.loads(next((slow.root / "runs/_cells").rglob("receipt.1.json")).read_text())
    assert (receipt["status"], receipt["stop_reason"].split(":")[0]) == ("stopped", "execution")
    assert receipt["outcomes"]["valid"] == 10
    assert receipt["outcomes"]["failed"] < 12 and receipt["outcomes"]["skipped"] > 0
    # by itself it is not asked again; a retry asks what failed and what was skipped, and nothing else
    assert "Nothing to be done" in slow.build().output
    program.write_text(text)
    done = slow.dmb("run", "--id", "second", "--retry")
    assert done.returncode == 0, done.stderr
    receipt = json.loads(next((slow.root / "runs/_cells").rglob("receipt.2.json")).read_text())
    assert (receipt["status"], receipt["n_imported"], receipt["n_asked"]) == ("complete", 10, N_ITEMS - 10)
    assert receipt["outcomes"]["valid"] == N_ITEMS


def test_second_start_in_the_same_folder_is_refused(slow: Tiny) -> None:
    main = start(slow)
    wait_for_rows(slow, 2)
    # paused, so that the first is still at work however long the second takes to start
    os.kill(asking_process(slow), signal.SIGSTOP)
    try:
        second = slow.snakemake("results/tiny.md", check=False)
    finally:
        os.kill(asking_process(slow), signal.SIGCONT)
    assert second.code == 3
    assert "another snakemake is at work" in second.output
    assert main.wait(timeout=120) == 0
    assert set(billed(slow).values()) == {1}
