"""Reading a log that is being written."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dmb.store import tail
from dmb.store.tail import Tail


@given(
    st.lists(st.binary(max_size=9).map(lambda b: b.replace(b"\n", b"")), max_size=8),
    st.lists(st.integers(0, 90), max_size=6),
    st.integers(1, 20),
)
def test_however_a_log_grows_each_whole_line_is_read_once(tmp_path_factory, lines, cuts, block):
    path = tmp_path_factory.mktemp("tail") / "log"
    data = b"".join(line + b"\n" for line in lines)
    reader, seen = Tail(path), []
    before, tail.BLOCK_BYTES = tail.BLOCK_BYTES, block
    try:
        for cut in [*sorted(cuts), len(data)]:
            path.write_bytes(data[:cut])
            seen += reader.new_lines()
            # what has no line feed yet is nobody's line
            assert b"".join(line + b"\n" for line in seen) == data[: data[:cut].rfind(b"\n") + 1]
    finally:
        tail.BLOCK_BYTES = before
    assert seen == lines and reader.offset == len(data) and list(reader.new_lines()) == []


def test_a_log_that_is_not_there_yet_and_one_that_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log"
    reader = Tail(path)
    assert list(reader.new_lines()) == [] and not reader.has_shrunk()
    path.write_bytes(b"one\ntwo\nhalf")
    assert list(reader.new_lines()) == [b"one", b"two"]
    # a torn line that is set aside is no loss
    path.write_bytes(b"one\ntwo\n")
    assert not reader.has_shrunk()
    path.write_bytes(b"one\n")
    assert reader.has_shrunk()
    path.unlink()
    assert reader.has_shrunk() and list(reader.new_lines()) == []
