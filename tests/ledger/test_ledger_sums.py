"""What writers that have ended come to stands in the index, so that a process need not read what all before it wrote."""

from __future__ import annotations

import shutil
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.ledger.refusals import LedgerUnusable
from dmb.ledger.shelf import Shelf, read_totals
from tests.ledger.opening import committed_by_hand, ledger, reserve

#: Each attempt of a writer: what it may cost, what became of it, for which run and kind.
ATTEMPTS = st.tuples(
    st.decimals(0, 2, places=6),
    st.sampled_from(["settled", "dearer", "unsettled", "unsent", "open"]),
    st.sampled_from(["r1", "r2"]),
    st.sampled_from(["scored", "negotiation"]),
)


def write(folder: Path, attempts) -> None:
    with ledger(folder, hard="1000", soft="1000") as book:
        for worst, end, run, kind in attempts:
            kept = reserve(book, worst, run=run, kind=kind)
            if end == "unsent":
                book.release_unsent(kept)
            elif end != "open":
                book.settle(kept, {"settled": worst / 2, "dearer": worst * 3, "unsettled": None}[end])


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The writers of all rows that are read from here on."""
    rows: list[str] = []
    take = Shelf._take_row
    monkeypatch.setattr(Shelf, "_take_row", lambda self, line, writer: rows.append(writer) or take(self, line, writer))
    return rows


@settings(max_examples=30)
@given(writers=st.lists(st.lists(ATTEMPTS, max_size=4), min_size=1, max_size=5), dead=st.booleans())
def test_sums_say_what_the_rows_say(tmp_path_factory, writers, dead) -> None:
    folder = tmp_path_factory.mktemp("sums") / "v9"
    for attempts in writers:
        write(folder, attempts)
    if dead:
        with ledger(folder) as book:
            book.sweep(["r1"])
    write(folder, [(Decimal("0.5"), "settled", "r3", "scored")])
    by_index = [read_totals(folder, run) for run in (None, "r1", "r2", "r3")]
    assert Fraction(by_index[0].committed_usd) == committed_by_hand(folder)
    (folder / "writers.jsonl").unlink()
    assert [read_totals(folder, run) for run in (None, "r1", "r2", "r3")] == by_index


def test_a_process_reads_no_rows_of_writers_that_have_ended(tmp_path, read) -> None:
    folder = tmp_path / "v9"
    for _ in range(5):
        write(folder, [(Decimal("0.5"), "settled", "r1", "scored")] * 3)
    read.clear()
    write(folder, [(Decimal("0.5"), "unsent", "r1", "scored")])
    # of the last one that had ended, whom nobody had met since
    assert len(read) == 2 * 3 and len(set(read)) == 1
    read.clear()
    assert read_totals(folder).committed_usd == Decimal("3.75")
    assert len(read) == 2


def test_what_a_killed_writer_left_open_stays_to_be_read_and_swept(tmp_path, read) -> None:
    folder = tmp_path / "v9"
    write(folder, [(Decimal("0.5"), "open", "r1", "scored")])
    write(folder, [])
    write(folder, [(Decimal("0.5"), "settled", "r2", "scored")])
    assert read_totals(folder).n_unsettled == 1
    with ledger(folder) as book:
        assert book.sweep(["r1"]) == 1
    write(folder, [(Decimal("0.5"), "settled", "r2", "scored")])
    with ledger(folder) as book:
        # the mark is in the file of whoever swept, which is read for that
        assert book.sweep(["r1"]) == 0 and book.totals().n_unsettled == 1


def test_a_file_that_is_not_what_was_summed_up_is_read_or_missed(tmp_path, read) -> None:
    folder = tmp_path / "v9"
    write(folder, [(Decimal("0.5"), "settled", "r1", "scored")])
    (path,) = folder.glob("*.*.*.jsonl")
    write(folder, [(Decimal("0.5"), "settled", "r2", "scored")])
    read.clear()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"charged_usd":"0.25"', b'"charged_usd":"0.125"'))
    assert read_totals(folder, "r1").settled_usd == Decimal("0.125") and read
    for shorter in (whole[:-1], b""):
        path.write_bytes(shorter)
        with pytest.raises(LedgerUnusable, match=f"has shrunk from {len(whole)} to"):
            read_totals(folder)
    path.unlink()
    with pytest.raises(LedgerUnusable, match=path.name.replace(".", r"\.")):
        read_totals(folder)
    shutil.rmtree(folder)
    assert read_totals(folder).committed_usd == 0
