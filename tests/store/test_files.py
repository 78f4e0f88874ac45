"""Files that appear whole or not at all."""

from __future__ import annotations

import json
import math
import threading
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.store import files
from dmb.store.files import load_json, pretty_json, write_once, write_whole


def at_once(n: int, work) -> list:
    """What ``work(i)`` returned or raised in ``n`` threads that begin together."""
    results: list = [None] * n
    gate = threading.Barrier(n)

    def run(i: int) -> None:
        gate.wait()
        try:
            results[i] = work(i)
        except OSError as e:
            results[i] = e

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def test_a_reader_sees_whole_files_only_while_writers_race(tmp_path):
    path = tmp_path / "deep" / "file"
    sizes = [1, 100_000, 300_000, 7]
    write_whole(path, b"0")

    def work(i: int) -> None:
        for _ in range(10):
            write_whole(path, b"%d" % i * sizes[i])
            seen = path.read_bytes()
            assert len(set(seen)) == 1 and len(seen) == sizes[int(seen[:1])]

    assert at_once(4, work) == [None] * 4
    assert [p.name for p in path.parent.iterdir()] == ["file"]


def test_one_of_many_writers_creates_a_file_and_the_others_are_told(tmp_path):
    path = tmp_path / "receipt.1.json"
    results = at_once(8, lambda i: write_once(path, b"%d" % i * 50_000))
    winners = [i for i, r in enumerate(results) if r is None]
    assert len(winners) == 1 and sum(isinstance(r, FileExistsError) for r in results) == 7
    assert path.read_bytes() == b"%d" % winners[0] * 50_000
    assert [p.name for p in tmp_path.iterdir()] == ["receipt.1.json"]


def test_a_file_that_is_there_is_not_written_again(tmp_path):
    path = tmp_path / "f"
    write_once(path, b"first")
    with pytest.raises(FileExistsError):
        write_once(path, b"second")
    assert path.read_bytes() == b"first"


@pytest.mark.parametrize("write", [write_whole, write_once])
def test_what_a_killed_writer_left_does_not_stand_in_the_way(tmp_path, monkeypatch, write):
    path = tmp_path / "f"

    def killed(_fd: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            write(path, b"torn")
    assert not path.exists()
    write(path, b"whole")
    assert path.read_bytes() == b"whole"


def test_pretty_json_is_sorted_utf_8_with_a_newline(tmp_path):
    data = pretty_json({"b": 1, "a": ["é", None]})
    assert data == '{\n "a": [\n  "é",\n  null\n ],\n "b": 1\n}\n'.encode()
    write_whole(tmp_path / "f", data)
    assert load_json(tmp_path / "f") == {"a": ["é", None], "b": 1}
    with pytest.raises(ValueError):
        pretty_json(float("nan"))


keys = st.text() | st.sampled_from(["a", "ä", "\ud800", "\u2028", '"\\'])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | keys,
        lambda v: st.lists(v, max_size=4) | st.tuples(v, v) | st.dictionaries(keys, v, max_size=4),
        max_leaves=20,
    )
)
def test_pretty_json_is_what_the_standard_library_writes(value):
    said = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    try:
        expected = said.encode()
    except UnicodeEncodeError:
        with pytest.raises(UnicodeEncodeError):
            pretty_json(value)
    else:
        assert pretty_json(value) == expected


class Level(IntEnum):
    HIGH = 3


@pytest.mark.parametrize("value", [{2: 1, 1: 2}, {"a": Level.HIGH}, {"a": {True: 0}}])
def test_what_json_makes_of_other_keys_and_numbers_stays(value):
    assert pretty_json(value) == (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


@pytest.mark.parametrize("value", [math.nan, {"a": [math.inf]}, -math.inf])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        pretty_json(value)


@pytest.mark.parametrize("value", [{1: 0, "a": 1}, {"a": object()}])
def test_what_is_no_json_is_refused(value):
    with pytest.raises(TypeError):
        pretty_json(value)
