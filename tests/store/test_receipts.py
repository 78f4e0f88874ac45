"""Receipts: numbered, written once."""

from __future__ import annotations

import pytest

from dmb.contracts.receipt import Receipt
from dmb.errors import DamagedFile, MissingEvidence
from dmb.store.receipts import load_receipt, newest_number, write_receipt


def receipt(number: int = 1, **fields) -> Receipt:
    known = {"cell_key": "a" * 64, "contender": "c", "suite": "s", "run": "r1", "status": "complete", "items": "b" * 64}
    counts = {"n_expected": 2, "n_asked": 2, "n_imported": 0, "n_attempts": 2, "outcomes": {"valid": 2}, "wall_s": 0.5}
    return Receipt(**{"number": number, "parts": {}} | known | counts | fields)


def test_a_receipt_comes_back_and_is_never_written_again(tmp_path):
    path = tmp_path / "receipt.1.json"
    write_receipt(path, receipt())
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        write_receipt(path, receipt(status="stopped"))
    assert path.read_bytes() == before
    assert load_receipt(path) == receipt()


def test_a_receipt_that_is_not_there(tmp_path):
    with pytest.raises(MissingEvidence, match=r"receipt\.1\.json: the receipt is not here"):
        load_receipt(tmp_path / "receipt.1.json")


def test_a_receipt_with_a_field_too_many_or_too_few_is_none(tmp_path):
    for number, text in enumerate(["{}", receipt().model_dump_json()[:-1] + ',"extra":1}', "", "null"]):
        path = tmp_path / f"receipt.{number}.json"
        path.write_text(text)
        with pytest.raises(DamagedFile, match=rf"{path.name}: is damaged"):
            load_receipt(path)


def test_numbers(tmp_path):
    cell = tmp_path / "cell"
    assert newest_number(cell) == 0
    cell.mkdir()
    for name in (
        "lock",
        "owner.json",
        "ask.7.log",
        "score.12.log",
        ".receipt.20.json.ab.part",
        "receipt.x.json",
        "receipt.5",
    ):
        (cell / name).touch()
    # a log of a score stands beside it and carries its number
    assert newest_number(cell) == 12
    (cell / "score.12.log").unlink()
    assert newest_number(cell) == 0
    for n in (1, 2, 10):
        write_receipt(cell / f"receipt.{n}.json", receipt(n))
    assert newest_number(cell) == 10


def test_the_number_of_a_lost_receipt_is_not_given_away_while_a_score_of_it_is_there(tmp_path):
    write_receipt(tmp_path / "receipt.1.json", receipt(1))
    (tmp_path / "score.1.0123456789abcdef.json").touch()
    (tmp_path / "receipt.1.json").unlink()
    assert newest_number(tmp_path) == 1
