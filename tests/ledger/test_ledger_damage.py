"""Torn lines count as nothing that was sent; anything else that is wrong stops all spending, with file and line."""

from __future__ import annotations

import re
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from dmb.ledger.refusals import LedgerUnusable
from dmb.ledger.shelf import read_totals
from tests.ledger.opening import committed_by_hand, ledger, reserve, rows_file


@pytest.fixture
def spent(tmp_path: Path) -> Path:
    """A ledger whose one writer has ended: four rows, 3 USD at the second, 2.5 at the end."""
    folder = tmp_path / "v2"
    with ledger(folder) as book:
        one, _ = reserve(book, "1"), reserve(book, "2")
        book.settle(one, Decimal("0.25"))
        reserve(book, "0.25")
    return folder


def test_a_line_torn_at_any_byte_counts_as_nothing_and_is_left_alone(spent):
    whole = rows_file(spent).read_bytes()
    name = rows_file(spent).name
    for cut in range(len(whole)):
        rows_file(spent).write_bytes(whole[:cut])
        expected = {0: "0", 1: "1", 2: "3", 3: "2.25"}[whole[:cut].count(b"\n")]
        assert read_totals(spent).committed_usd == Decimal(expected) == committed_by_hand(spent)
        # sampled, as each opens a file: spending goes on beside the torn line
        if cut % 16 == 0:
            copy = spent.with_name(f"cut{cut}")
            shutil.copytree(spent, copy)
            with ledger(copy) as book:
                reserve(book, "1")
                assert book.totals().committed_usd == Decimal(expected) + 1
            assert (copy / name).read_bytes() == whole[:cut]


def test_a_line_that_arrives_in_two_parts_is_read_once_it_is_whole(spent):
    whole = rows_file(spent).read_bytes()
    rows_file(spent).write_bytes(b"")
    book = ledger(spent)
    for end in range(0, len(whole) + 1, 7):
        rows_file(spent).write_bytes(whole[:end])
        assert book.totals() == read_totals(spent)
    rows_file(spent).write_bytes(whole)
    assert book.totals().committed_usd == Decimal("2.5")


def damage(folder: Path, number: int, change) -> str:
    """Change one line (from 1), line feed included, in the file of rows; returns 'file: line n' as a pattern."""
    path = rows_file(folder)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = change(lines[number - 1])
    path.write_bytes(b"".join(lines))
    return re.escape(f"{path}: line {number}: ")


@pytest.mark.parametrize(
    "number, change",
    [
        (2, lambda line: line.replace(b'"', b"", 1)),
        (2, lambda line: b"\n"),
        (2, lambda line: line.replace(b"\n", b" ")),
        (2, lambda line: line.replace(b'"2"', b"2.0")),
        (2, lambda line: line.replace(b'"2"', b'"-2"')),
        (2, lambda line: line.replace(b'"2"', b'"NaN"')),
        (2, lambda line: line.replace(b'"2"', b'"2e0"')),
        (2, lambda line: line.replace(b'"reserve"', b'"return"')),
        (2, lambda line: line.replace(b"{", b'{"more":1,')),
        (2, lambda line: line.replace(b'"n":2', b'"n":3')),
        (2, lambda line: line + line),
        (3, lambda line: line + line),
        (3, lambda line: line.replace(b'"n":1', b'"n":9')),
        (4, lambda line: line.replace(b"\n", b"}")),
        (4, lambda line: b"\0" * len(line)),
        (4, lambda line: line[:-5] + b"\0\0\0\0\0"),
        (4, lambda line: b"jev"),
    ],
)
def test_damage_fails_closed_and_names_file_and_line(spent, number, change):
    where = damage(spent, number, change)
    if change(b"x\n") == b"x\nx\n":
        where = where.replace(f"line\\ {number}", f"line\\ {number + 1}")
    with ledger(spent) as book:
        # the same file and line however often, from every door
        for look in (lambda: reserve(book, "0"), book.totals, lambda: reserve(book, "0"), lambda: read_totals(spent)):
            with pytest.raises(LedgerUnusable, match=where) as caught:
                look()
            assert "\n" not in str(caught.value)


def test_a_removed_line_is_noticed(spent):
    where = damage(spent, 1, lambda line: b"")
    with pytest.raises(LedgerUnusable, match=where + "reservation 2 cannot follow reservation 0"):
        read_totals(spent)


def test_damage_done_while_a_ledger_is_open_stops_it(spent):
    with ledger(spent) as one, ledger(spent) as two:
        reserve(one, "1")
        reserve(two, "1")
        mine = next(p for p in spent.glob("*.alive")).with_suffix(".jsonl")
        other = one if mine.name.startswith(two._pen.writer) else two
        mine.write_bytes(mine.read_bytes() + b"jev\n")
        with pytest.raises(LedgerUnusable, match=f"{re.escape(str(mine))}: line 2"):
            reserve(other, "1")
        mine.write_bytes(b"")
        with pytest.raises(LedgerUnusable, match="has shrunk from"):
            reserve(other, "1")
        mine.unlink()
        with pytest.raises(LedgerUnusable, match=re.escape(mine.name)):
            reserve(other, "1")


def test_a_deleted_file_is_missed(spent):
    path = rows_file(spent)
    path.unlink()
    with pytest.raises(LedgerUnusable, match=re.escape(str(path))), ledger(spent) as book:
        reserve(book, "1")


def test_a_damaged_index_is_named_and_a_torn_one_is_not_damage(spent):
    index = spent / "writers.jsonl"
    whole = index.read_bytes()
    for cut in range(len(whole)):
        index.write_bytes(whole[:cut])
        # the writers' files are found all the same
        assert read_totals(spent).committed_usd == Decimal("2.5")
    with ledger(spent) as book:
        reserve(book, "1")
    assert read_totals(spent).committed_usd == Decimal("3.5")
    index.write_bytes(b"jev\n" + whole)
    with pytest.raises(LedgerUnusable, match=re.escape(f"{index}: line 1: ")):
        read_totals(spent)


def test_files_count_without_an_index(spent):
    (spent / "writers.jsonl").unlink()
    with ledger(spent) as book:
        reserve(book, "1")
        assert book.totals().committed_usd == Decimal("3.5")


def test_a_writer_that_was_taken_for_gone_stops(spent):
    with ledger(spent) as book:
        reserve(book, "1")
        with (spent / "writers.jsonl").open("a") as index:
            index.write(f'{{"op":"gone","writer":"{book._pen.writer}"}}\n')
        with pytest.raises(LedgerUnusable, match="no longer reads its rows"):
            reserve(book, "1")
