"""A cell recorded while it is asked, and asked again from the recordings: the same decisions, and nothing is sent."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from dmb.contracts.attempt import OUTCOMES
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.store.attempts import read_attempts
from dmb.store.layout import decisions_file, raw_log, run_dir
from dmb.store.runs import end_run, stops_dir
from dmb.transport import RECORD_VARIABLE, REPLAY_VARIABLE
from tests.engine.made_up import BUILT, SERVED, Server, ask, begin, first_option, planned, receipt_of, unchanged

N = len(BUILT.items)
FOLDER = Path("recorded")


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def record(patch: pytest.MonkeyPatch, answer: Any = first_option, **plan: Any) -> list[dict]:
    """Decisions of a cell that was asked for real, exchanges written down."""
    with Server(answer) as server, patch.context() as inside:
        inside.setenv(RECORD_VARIABLE, str(FOLDER))
        cell = planned("m", SERVED, {"address": server.address, "billed": False}, **plan)
        run = begin(cell)
        ask(run, cell)
        end_run(run)
    shutil.move("runs", "recorded-runs")
    return decisions(run, "recorded-runs")


def decisions(run: str, runs: str = "runs") -> list[dict]:
    path = Path(runs) / decisions_file(run, "m", "s").relative_to("runs")
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def replaying(patch: pytest.MonkeyPatch, **plan: Any) -> tuple[str, dict]:
    """The same cell as a simulated twin's plan has it when recordings are replayed: billed, and without an address."""
    patch.setenv(REPLAY_VARIABLE, str(FOLDER))
    made = planned("m", SERVED, {"billed": True}, simulated=True, replayed=True, **plan)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a replay has no socket")

    for name in ("socket", "create_connection", "getaddrinfo"):
        patch.setattr(socket, name, refuse)
    return made


def same(one: dict) -> dict:
    """A decision without the times."""
    return {k: v for k, v in one.items() if "_ms" not in k and k not in ("run", "cell", "simulated")}


def test_a_replayed_cell_comes_to_what_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a failure that asks for half a minute, and a malformed reply: both are retried, and nobody waits."""

    def answer(number: int, body: dict) -> tuple[int, dict, bytes]:
        if body["state"] == "Hello":
            seen.append(number)
            return (503, {"retry-after": "0.01"}, b"") if len(seen) == 1 else (200, {}, b"\xff")
        return first_option(number, body)

    seen: list[int] = []
    live = record(monkeypatch, answer)
    for path in FOLDER.glob("*/*.json"):
        path.write_text(path.read_text().replace('"retry-after": "0.01"', '"retry-after": "59"'))
    cell = replaying(monkeypatch)
    run = begin(cell)
    receipt = ask(run, cell)
    assert (receipt.status, receipt.n_asked, receipt.n_attempts, receipt.simulated) == ("complete", N, N + 2, True)
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"valid": N - 1, "malformed": 1}
    assert [same(d) for d in decisions(run)] == [same(d) for d in live]
    assert {d.get("latency_ms") for d in decisions(run)} == {None}
    rows = list(read_attempts(raw_log(run, "m", "s")))
    assert {(r.simulated, r.timing.request_ms, r.timing.lag_ms) for r in rows} == {(True, None, None)}
    # nothing was reserved, and nobody's lane was held
    assert not Path("runs/_budget").exists() and not Path("runs/_lanes").exists()
    assert end_run(run) == "complete"


def test_a_miss_ends_the_job_in_one_line_and_leaves_nothing_half_written(monkeypatch: pytest.MonkeyPatch) -> None:
    record(monkeypatch)
    gone = next(p for p in FOLDER.glob("*/*.json") if "Hello" in p.read_text())
    key = json.loads(gone.read_text())["key"]
    gone.unlink()
    cell = replaying(monkeypatch)
    run = begin(cell)
    with unchanged(FOLDER), pytest.raises(MissingEvidence) as e:
        ask(run, cell)
    told = str(e.value)
    assert key in told and "POST /v1/systemone of lab" in told and "\n" not in told
    assert (stops_dir(run) / f"failed.{cell[0][:16]}").read_text() == f"{told}\n"
    assert not receipt_of(cell).exists() and not decisions_file(run, "m", "s").exists()
    assert [p.name for p in decisions_file(run, "m", "s").parent.iterdir()] == []
    # rows that were there before are whole
    rows = list(read_attempts(raw_log(run, "m", "s")))
    assert len(rows) < N and {r.outcome for r in rows} <= {"valid"}
    assert raw_log(run, "m", "s").read_bytes().count(b"\n") == len(rows)
    assert end_run(run) == "failed"
    assert json.loads((run_dir(run) / "manifest.json").read_text())["failures"] == {f"failed.{cell[0][:16]}": told}

    # with the recording back, the rest is asked
    shutil.copy(next(FOLDER.glob("*/*.json")), gone)
    second = begin(cell)
    with pytest.raises(DamagedFile, match="it is no recording of key"):
        ask(second, cell)


def test_a_second_attempt_that_was_never_recorded_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    record(monkeypatch, lambda *_: (200, {}, b"{}"), policy={"retry_malformed": 0})
    cell = replaying(monkeypatch)
    with pytest.raises(MissingEvidence, match="was recorded 1 time only"):
        ask(begin(cell), cell)


def test_without_the_variable_or_the_folder_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = replaying(monkeypatch)
    with pytest.raises(MissingEvidence, match="recorded: is no folder of recorded exchanges"):
        ask(begin(cell), cell)
    monkeypatch.delenv(REPLAY_VARIABLE)
    with pytest.raises(DmbError, match="DMB_REPLAY was set where run v9-2 was planned and is not set here"):
        ask(begin(cell), cell)
    assert not receipt_of(cell).exists()


def test_a_cell_that_is_no_rehearsal_is_asked_for_real_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record(monkeypatch)
    monkeypatch.setenv(REPLAY_VARIABLE, str(FOLDER))
    with Server(first_option) as server:
        cell = planned("m", SERVED, {"address": server.address, "billed": False})
        receipt = ask(begin(cell), cell)
        assert len(server.sent) == N
    assert (receipt.status, receipt.simulated) == ("complete", False)


def test_a_cell_whose_recording_fails_keeps_what_was_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    record(monkeypatch)
    damaged = next(p for p in FOLDER.glob("*/*.json") if "Hello" in p.read_text())
    damaged.write_text("{")
    monkeypatch.setenv(RECORD_VARIABLE, str(FOLDER))
    with Server(first_option) as server:
        cell = planned("m", SERVED, {"address": server.address, "billed": False, "concurrency": 1})
        run = begin(cell)
        with pytest.raises(DamagedFile, match=f"{damaged}: is damaged"):
            ask(run, cell)
        n = len(server.sent)
        # each reply that came is logged, the one included that could not be recorded
        assert len(list(read_attempts(raw_log(run, "m", "s")))) == n == 3
        end_run(run)
        damaged.unlink()
        receipt = ask(begin(cell), cell)
    assert (receipt.n_imported, receipt.n_asked) == (3, N - 3)
