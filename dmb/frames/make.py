"""Rows -> a frame with exactly the columns that are documented, each of its kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from dmb.errors import DmbError
from dmb.frames.columns import FRAMES, KINDS

MONEY = pd.ArrowDtype(pa.decimal128(38, 24))


def frame(name: str, rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """``rows``: plain values by column, None where unknown. Columns beyond those of ``FRAMES`` come last, by name.

    Raises ``DmbError`` for an amount of money with more digits than a column holds.
    """
    kinds = {column: kind for column, (kind, _) in FRAMES[name].items()}
    for column in sorted({c for row in rows for c in row} - kinds.keys()):
        kinds[column] = kind_of([row[column] for row in rows if row.get(column) is not None])
    columns = {column: _column(column, kind, [row.get(column) for row in rows]) for column, kind in kinds.items()}
    return pd.DataFrame(columns)


def kind_of(values: Sequence[Any]) -> str:
    """The kind of a field that items have: flags, whole numbers, or text where it is anything else or mixed."""
    if all(isinstance(v, bool) for v in values):
        return "flag"
    return "count" if all(isinstance(v, int) and not isinstance(v, bool) for v in values) else "text"


def _column(name: str, kind: str, values: Sequence[Any]) -> pd.Series:
    if kind == "money":
        try:
            return pd.Series(pd.array(values, dtype=MONEY))
        except pa.ArrowInvalid:
            raise DmbError(f"{name}: holds an amount with more than 24 digits behind the point") from None
    if kind == "text":
        # half of a surrogate pair, which a reply may hold, is no text for anybody else
        values = [None if v is None else str(v).encode("utf-8", "backslashreplace").decode("utf-8") for v in values]
    return pd.Series(pd.array(values, dtype=KINDS[kind]))
