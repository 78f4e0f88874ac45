"""Writers of other hosts: their locks are believed where they are known to reach here."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from dmb.ledger.ledger import Ledger
from dmb.ledger.shelf import Shelf, read_totals
from dmb.process_identity import who_i_am
from dmb.store.files import pretty_json, write_whole


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A ledger with one open reservation, of a process of another host that has died."""
    monkeypatch.chdir(tmp_path)
    folder = Path("runs/_budget/v2")
    ledger = Ledger(folder, Decimal(10), Decimal(8))
    ledger.reserve(Decimal(7), run="dead", contender="jev", suite="s", item="i", attempt=1)
    ledger._pen._alive.release()
    return folder


def came_from(folder: Path, **where: object) -> dict:
    """The writer says so in the index."""
    index = folder / "writers.jsonl"
    row = json.loads(index.read_text()) | where
    index.write_text(json.dumps(row) + "\n")
    return row


def n_gone(folder: Path) -> tuple[int, int]:
    """Open and unsettled reservations; together they are all that there is."""
    totals = read_totals(folder)
    assert totals.committed_usd == 7
    return totals.n_open, totals.n_unsettled


def test_of_another_hosts_writer_a_free_lock_says_nothing(folder):
    assert n_gone(folder) == (0, 1)
    came_from(folder, host="far", boot="another")
    assert n_gone(folder) == (1, 0)
    with Ledger(folder, Decimal(10), Decimal(8)) as ledger:
        assert ledger.sweep(["dead"]) == 0
        # it is not taken for ended when a new writer joins, so its rows are read on
        ledger.reserve(Decimal(1), run="r", contender="jev", suite="s", item="i", attempt=1)
    assert "gone" not in (folder / "writers.jsonl").read_text()


def test_where_locks_were_tried_between_the_hosts_it_does(folder):
    row = came_from(folder, host="far", boot="another", machine="m")
    me, far = {**who_i_am(), "mount": row["mount"]}, {k: row[k] for k in ("host", "machine", "mount")}
    write_whole(Path("runs/_hosts/peers.1.json"), pretty_json({"locks_shared": True, "hosts": [me, far]}))
    assert n_gone(folder) == (0, 1)


def test_a_writer_of_before_hosts_said_more_than_their_names(folder):
    came_from(folder, host=None, boot=None, machine=None, mount=None)
    assert n_gone(folder) == (0, 1)
    (writer,) = (p.stem for p in folder.glob("*.alive"))
    for path in folder.glob(f"{writer}.*"):
        path.rename(folder / path.name.replace(writer, f"far.{writer.partition('.')[2]}"))
    came_from(folder, writer=f"far.{writer.partition('.')[2]}")
    assert n_gone(folder) == (1, 0)


def test_a_file_that_is_in_no_index_is_judged_by_its_name(folder):
    (folder / "writers.jsonl").unlink()
    shelf = Shelf(folder)
    shelf.refresh()
    assert [shelf.is_gone(w) for w in shelf.living()] == [True]
