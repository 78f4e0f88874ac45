"""What earlier runs have logged: found over all of them, put in order, and read when it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmb.canonical import json_line
from dmb.engine.earlier import logged_attempts
from dmb.errors import DamagedFile
from dmb.store.files import file_sha256, load_json, pretty_json, write_whole
from dmb.store.layout import raw_log, run_dir
from tests.store.test_attempts import attempt

CELL = "c" * 64


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def row(item: str, n: int = 1, second: int = 0, **fields):
    made = attempt(item, n, body=f"asked {item}", reply="x" * 50, **fields)
    return made.model_copy(
        update={"timing": made.timing.model_copy(update={"sent_at": f"2026-11-30T12:00:{second:02}.000000Z"})}
    )


def log(run: str, *rows, torn: str = "") -> Path:
    path = raw_log(run, "c", "s")
    path.parent.mkdir(parents=True)
    path.write_text("".join(json_line(r.model_dump(mode="json", exclude_none=True)) for r in rows) + torn)
    return path


def found(own: str | None = None) -> dict:
    earlier = logged_attempts("c", "s", CELL, own)
    assert len(earlier) == len(list(earlier))
    for key in earlier:
        # what is held says the same as what lies in the files, as far as it goes
        held = [(r.outcome, r.cause, r.origin, r.failure and r.failure.kind, r.simulated) for r in earlier.seen(key)]
        read = earlier.rows(key)
        assert held == [(r.outcome, r.cause, r.origin, r.failure and r.failure.kind, r.simulated) for r in read]
        assert all(r.body == f"asked {key[0]}" for r in read)
    return {key[0]: [(r.attempt, r.origin) for r in earlier.rows(key)] for key in earlier}


def test_nothing_was_logged():
    assert found() == {}
    earlier = logged_attempts("c", "s", CELL)
    assert (earlier.rows(("a", 0, 0)), earlier.seen(("a", 0, 0)), bool(earlier)) == ([], [], False)


def test_an_item_goes_on_from_run_to_run_whatever_their_names_and_copies_count_once():
    log("z-first", row("a", 1, 1, outcome="malformed"), row("b", 1, 2, simulated=True), torn='{"cell":"')
    log("m-second", row("a", 2, 3, cause="malformed"), row("a", 1, 1, outcome="malformed", origin="z-first"))
    log(
        "a-third",
        row("b", 1, 2, origin="z-first", simulated=True),
        row("a", 2, 3, cause="malformed", origin="m-second"),
    )
    assert found() == {"a": [(1, "z-first"), (2, "m-second")], "b": [(1, "z-first")]}
    assert found(own="m-second") == {"a": [(1, "z-first"), (2, None)], "b": [(1, "z-first")]}


def test_of_two_runs_that_asked_the_same_attempt_the_first_counts():
    log("r1", row("a", 1, 5))
    log("r2", row("a", 1, 4))
    assert found() == {"a": [(1, "r2")]}


def test_an_attempt_whose_predecessor_is_lost_is_none():
    log("r1", row("a", 2, 1), row("b", 1, 2), row("b", 3, 3))
    assert found() == {"b": [(1, "r1")]}


def test_rows_of_other_cells_are_passed_over():
    log("r1", row("a", cell="d" * 64), row("b", 1, 1), row("c", 1, 2, cell="d" * 64, reason=CELL), row("d", 1, 3))
    assert found() == {"b": [(1, "r1")], "d": [(1, "r1")]}


def test_a_row_that_has_changed_since_it_was_found_is_not_believed():
    path = log("r1", row("a", 1, 1), row("b", 1, 2))
    earlier = logged_attempts("c", "s", CELL)
    path.write_bytes(path.read_bytes()[10:])
    with pytest.raises(DamagedFile, match=r"attempts.jsonl: byte \d+ is no attempt"):
        earlier.rows(("b", 0, 0))


def test_attempts_stand_in_their_order_whatever_the_clock_said():
    log("r-1", row("i", 1, second=5, outcome="failed"), row("i", 2, second=1))
    assert [r.attempt for r in logged_attempts("c", "s", CELL).rows(("i", 0, 0))] == [1, 2]


def test_the_index_of_a_run_is_read_once_for_all_its_cells(monkeypatch):
    """Were it read once a cell, a start after a stop would read thousands of cells thousands of times."""
    for n in range(3):
        path = raw_log("r1", f"c{n}", "s")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json_line(row("a").model_dump(mode="json", exclude_none=True)))
    logs = [str(raw_log("r1", f"c{n}", "s")) for n in range(3)]
    index = [{"raw": log, "raw_sha256": file_sha256(Path(log))} for log in logs]
    write_whole(run_dir("r1") / "cells.json", pretty_json(index))
    read = []
    monkeypatch.setattr("dmb.engine.earlier.load_json", lambda path: read.append(path) or load_json(path))
    for n in range(3):
        assert len(logged_attempts(f"c{n}", "s", CELL)) == 1
    assert len(read) == 1
    # another index is another one, whenever it was written
    write_whole(run_dir("r1") / "cells.json", pretty_json([i | {"raw_sha256": "0" * 64} for i in index]))
    with pytest.raises(DamagedFile, match="its bytes are not those that run r1 recorded"):
        logged_attempts("c2", "s", CELL)
    assert len(read) == 2
