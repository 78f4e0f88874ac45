"""What was recorded answers again without a socket; what was not is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dmb.errors import MissingEvidence
from dmb.store.attempts import read_attempts
from dmb.store.layout import decisions_file, raw_log
from dmb.store.runs import end_run
from tests.engine.made_up import BUILT, SERVED, Server, ask, begin, first_option, planned, receipt_of

NOBODY = {"address": "http://127.0.0.1:9", "billed": False}


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict]:
    """Decisions of a cell that was asked and recorded; from here on recordings answer."""

    def answer(number: int, body: dict) -> tuple[int, dict, bytes]:
        # the first attempt of the third question fails, and its retry is another exchange of the same request
        return (503, {"retry-after": "0"}, b"later") if number == 3 else first_option(number, body)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DMB_RECORD", "recorded")
    with Server(answer) as server:
        cell = planned("m", SERVED, {"address": server.address, "billed": False, "concurrency": 1})
        run = begin(cell)
        ask(run, cell)
        end_run(run)
    monkeypatch.delenv("DMB_RECORD")
    monkeypatch.setenv("DMB_REPLAY", "recorded")
    return decisions(run)


def decisions(run: str) -> list[dict]:
    lines = decisions_file(run, "m", "s").read_text().splitlines()
    timed = ("latency_ms", "request_latency_ms", "simulated")
    return [{k: v for k, v in json.loads(line).items() if k not in timed} for line in lines]


def replayed(**changes) -> tuple[str, dict]:
    key, job = planned("m", SERVED, NOBODY, simulated=True, **changes)
    return f"{'0' * 8}{key[8:]}", job


def test_a_replay_decides_as_the_recording_did(recorded: list[dict]):
    cell = replayed()
    run = begin(cell)
    receipt = ask(run, cell)
    assert (receipt.status, receipt.outcomes["valid"], receipt.simulated) == ("complete", len(BUILT.items), True)
    assert decisions(run) == recorded
    rows = list(read_attempts(raw_log(run, "m", "s")))
    assert len(rows) == len(BUILT.items) + 1 and {r.status for r in rows} == {200, 503}
    # nothing was sent, so nothing took time
    assert {r.timing.request_ms for r in rows} == {None}


def test_what_was_never_recorded_is_named_and_ends_the_cell(recorded: list[dict]):
    cell = replayed(instructions="Which other?")
    run = begin(cell)
    with pytest.raises(
        MissingEvidence, match=r"recorded/lab/[0-9a-f]{16}\.json: .* key [0-9a-f]{64}, was never recorded"
    ):
        ask(run, cell)
    assert not receipt_of(cell).exists() and end_run(run) == "failed"


def test_what_was_recorded_less_often_is_named(recorded: list[dict]):
    for path in Path("recorded").rglob("*.json"):
        kept = json.loads(path.read_text())
        path.write_text(json.dumps(kept | {"exchanges": kept["exchanges"][:1]}))
    cell = replayed()
    with pytest.raises(MissingEvidence, match="was recorded 1 times only"):
        ask(begin(cell), cell)


def test_a_folder_that_is_not_there_is_said(recorded: list[dict], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DMB_REPLAY", "elsewhere")
    cell = replayed()
    with pytest.raises(MissingEvidence, match="elsewhere: is no folder of recorded exchanges"):
        ask(begin(cell), cell)
