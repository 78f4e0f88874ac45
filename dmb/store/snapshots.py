"""The price table that a run kept when it was asked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dmb.contracts.price import PriceRow, PricesFile
from dmb.errors import DamagedFile
from dmb.store.layout import run_dir

#: Of a row these say where its prices were read, and change no amount.
_NO_AMOUNT = {"source", "checked_on"}


def prices_asked_at(run: str, root: Path = Path()) -> PricesFile:
    """The rows in a run's ``prices.toml``; none where it is not here. Raises ``DamagedFile``."""
    path = root / run_dir(run) / "prices.toml"
    try:
        return PricesFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return PricesFile(price=())
    except ValueError:
        raise DamagedFile(f"{path}: is damaged: it holds no price rows; put the right file back") from None


def rows_that_differ(
    used: Iterable[PriceRow], table: PricesFile, asked: Mapping[str, Any]
) -> tuple[PriceRow, ...] | None:
    """Rows of a contender's model in another table; None where it has none, or where they come to the same amounts.

    ``asked``: the contender's fields in a cell's key.
    """
    rows = tuple(r for r in table.price if (r.provider, r.model) == (asked["provider"], asked["model"]))
    mine, theirs = ([r.model_dump(exclude=_NO_AMOUNT) for r in table] for table in (tuple(used), rows))
    same = len(mine) == len(theirs) and all(row in theirs for row in mine)
    return rows if rows and not same else None
