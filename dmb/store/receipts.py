"""Receipts: numbered, written once, never edited; the newest counts."""

from __future__ import annotations

import re
from pathlib import Path

from dmb.contracts.receipt import Receipt
from dmb.errors import DamagedFile, MissingEvidence
from dmb.store.files import pretty_json, write_once

#: Begins the reason of a cell that was skipped since its provider had stopped; such a cell is asked on request only.
LANE_STOPPED = "lane stopped"

_NUMBERED = re.compile(r"^(receipt|score)\.(\d+)\.")


def newest_number(cell: Path) -> int:
    """The highest number that a receipt or a score of this cell carries; 0 when there is none.

    Scores count too: after the loss of a receipt its number must not be given to another one.
    """
    if not cell.is_dir():
        return 0
    numbers = [int(m[2]) for p in cell.iterdir() if (m := _NUMBERED.match(p.name))]
    return max(numbers, default=0)


def load_receipt(path: Path) -> Receipt:
    """Raises ``MissingEvidence`` when the file is not there."""
    try:
        return Receipt.model_validate_json(path.read_bytes())
    except ValueError:
        raise DamagedFile(f"{path}: is damaged; delete it: rows that are on disk are not asked again") from None
    except FileNotFoundError:
        raise MissingEvidence(
            f"{path}: the receipt is not here; start again: rows that are on disk are not asked again"
        ) from None


def write_receipt(path: Path, receipt: Receipt) -> None:
    """Raises ``FileExistsError`` when that number is taken."""
    write_once(path, pretty_json(receipt.model_dump(mode="json")))
