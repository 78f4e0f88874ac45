"""The attempts log: what was paid for is never lost, glued or cut."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dmb.contracts.attempt import Attempt, Failure, Timing
from dmb.store.attempts import AttemptLog, read_attempts, whole_lines

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("\n\r\x00\x85\u2028\u2029\ud800\udfff"))


def attempt(item: str = "i", n: int = 1, cell: str = "c" * 64, **fields) -> Attempt:
    known = {"contender": "c", "suite": "s", "request": "0" * 64, "asker": "baseline:x", "asker_version": 1}
    timing = Timing(sent_at="2026-11-30T12:00:00.000000Z", request_ms=1.5)
    return Attempt(**{"cell": cell, "item": item, "attempt": n, "outcome": "valid", "timing": timing} | known | fields)


def write(path: Path, rows) -> bytes:
    with AttemptLog(path) as log:
        for row in rows:
            log.append(row)
    return path.read_bytes()


@given(st.lists(any_text, min_size=1, max_size=4))
def test_any_text_is_one_ascii_line_and_comes_back(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("log") / "raw/x.attempts.jsonl"
    rows = [
        attempt(t, body=t, reply=t, reason=t, outcome="failed", failure=Failure(kind="rejected", detail=t))
        for t in texts
    ]
    data = write(path, rows)
    assert data.isascii() and data.endswith(b"\n")
    assert data.count(b"\n") == len(data.splitlines()) == len(texts)
    assert list(read_attempts(path)) == rows


def test_absent_fields_take_no_room_and_come_back_as_absent(tmp_path):
    data = write(tmp_path / "x", [attempt()])
    assert b"null" not in data
    assert list(read_attempts(tmp_path / "x")) == [attempt()]


def test_a_torn_last_line_is_set_aside_at_every_byte_and_nothing_is_glued_to_it(tmp_path):
    path = tmp_path / "x"
    rows = [attempt("a", reply="\u2028"), attempt("b", reply='{"x":"\\n"}'), attempt("c")]
    data = write(path, rows)
    ends = [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]
    start = ends[1]
    for cut in range(start, len(data)):
        path.write_bytes(data[:cut])
        torn = path.with_name("x.torn")
        torn.unlink(missing_ok=True)
        assert list(read_attempts(path)) == rows[:2]
        AttemptLog(path).close()
        assert path.read_bytes() == data[:start]
        assert (torn.read_bytes() if torn.exists() else b"") == (data[start:cut] + b"\n" if cut > start else b"")
    write(path, [attempt("d")])
    assert list(read_attempts(path)) == [*rows[:2], attempt("d")]


def test_a_first_line_may_be_torn_as_well(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b'{"cell":')
    assert list(read_attempts(path)) == []
    write(path, [attempt()])
    assert list(read_attempts(path)) == [attempt()]


def test_a_log_that_is_not_there_has_no_rows(tmp_path):
    assert list(read_attempts(tmp_path / "x")) == list(whole_lines(tmp_path / "x")) == []


def test_a_log_is_continued_and_never_begun_afresh(tmp_path):
    first = write(tmp_path / "x", [attempt("a")])
    assert write(tmp_path / "x", [attempt("b")]).startswith(first)


def test_rows_of_one_cell(tmp_path):
    mine, other = "a" * 64, "b" * 64
    # the other cell's reply names this one
    rows = [attempt("1", cell=mine), attempt("2", cell=other, reply=mine), attempt("3", cell=mine)]
    write(tmp_path / "x", rows)
    assert [r.item for r in read_attempts(tmp_path / "x", mine)] == ["1", "3"]


def test_many_threads_write_whole_rows(tmp_path):
    with AttemptLog(tmp_path / "x") as log:

        def work(t: int) -> None:
            for n in range(1, 41):
                log.append(attempt(f"item-{t}", n, reply="x" * 5000))

        threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    found = [(r.item, r.attempt) for r in read_attempts(tmp_path / "x")]
    assert sorted(found) == sorted((f"item-{t}", n) for t in range(4) for n in range(1, 41))


WRITER = """
import sys
from pathlib import Path
from tests.store.test_attempts import AttemptLog, attempt
log = AttemptLog(Path(sys.argv[1]))
n = 0
while True:
    n += 1
    log.append(attempt(str(n)))
    print(n, flush=True)
"""


def test_a_killed_writer_loses_no_row_whose_append_returned(tmp_path):
    path = tmp_path / "x"
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as writer:
        said = [writer.stdout.readline() for _ in range(50)]
        os.kill(writer.pid, signal.SIGKILL)
        said += writer.stdout.readlines()
    promised = [int(line) for line in said if line.endswith("\n")]
    assert len(promised) >= 50
    found = [int(r.item) for r in read_attempts(path)]
    assert found[: len(promised)] == promised and len(found) <= len(promised) + 1


def test_a_row_that_does_not_fit_on_the_disk_leaves_no_half_of_it_behind(tmp_path):
    code = """
        import resource, sys
        from pathlib import Path
        from dmb.errors import DmbError
        from dmb.store.attempts import AttemptLog
        from tests.store.test_attempts import attempt
        resource.setrlimit(resource.RLIMIT_FSIZE, (2400, 2400))
        with AttemptLog(Path(sys.argv[1])) as log:
            for n in range(9):
                try:
                    log.append(attempt(str(n), reply="x" * (500 if n < 8 else 5)))
                except DmbError as e:
                    print(e)
    """
    path = tmp_path / "log"
    command = [sys.executable, "-c", textwrap.dedent(code), str(path)]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.count("what was logged before is whole") == len(done.stdout.splitlines()) == 6
    # one that is small enough still fits
    assert [row.item for row in read_attempts(path)] == ["0", "1", "8"]
    assert path.read_bytes().endswith(b"\n")
