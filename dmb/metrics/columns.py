"""What a caller may hand in as a column, and its checked array form. Errors name the first offending row."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.measure import NotANumber


def confidence_column(values: Iterable[float | Decimal | str]) -> NDArray[np.float64]:
    """Confidences in [0, 1] as float64, shape (n,).

    Takes a float64 array as it is (no copy), otherwise floats, integers, `Decimal`s or decimal strings, each read to
    its nearest float64. A float32 array is refused: its 0.3 is no longer the number that was written.

    Raises NotANumber (a ValueError) for NaN, ValueError for None or a number outside [0, 1], and TypeError for any other
    kind.
    """
    if isinstance(values, np.ndarray) and values.dtype != object:
        if values.dtype != np.float64 and values.dtype.kind not in "iu":
            raise TypeError(f"confidences must be float64, got an array of {values.dtype}")
        column = values.astype(np.float64, copy=False)
    elif isinstance(values, list | tuple) and set(map(type, values)) == {float}:
        column = np.array(values)
    else:
        column = np.array([_confidence(row, value) for row, value in enumerate(values)], dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"confidences must be one column, got shape {column.shape}")
    if column.size and not (column.min() >= 0.0 and column.max() <= 1.0):
        if np.isnan(column).any():
            raise NotANumber(f"confidence of row {int(np.flatnonzero(np.isnan(column))[0])} is nan")
        row = int(np.flatnonzero((column < 0.0) | (column > 1.0))[0])
        raise ValueError(f"confidence of row {row} is {column[row]}, outside [0, 1]")
    return column


def _confidence(row: int, value: float | Decimal | str) -> float:
    if value is None:
        raise ValueError(f"confidence of row {row} is None; pass only rows that have one")
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (float, int, str, Decimal, np.integer)):
        raise TypeError(f"confidence of row {row} is a {type(value).__name__}: {value!r}")
    return float(value)


def boolean_column(values: Iterable[bool], name: str) -> NDArray[np.bool_]:
    """Booleans (or integers 0 and 1) as a bool array, shape (n,).

    `name` says in errors which column it was. Raises ValueError for None and for anything that is not 0 or 1.
    """
    column = values if isinstance(values, np.ndarray) else np.array(list(values))
    if column.ndim != 1:
        raise ValueError(f"{name} must be one column, got shape {column.shape}")
    if column.dtype == np.bool_ or column.size == 0:
        return column.astype(np.bool_)
    if column.dtype.kind in "iu" and bool(((column == 0) | (column == 1)).all()):
        return column.astype(np.bool_)
    listed = column.tolist()
    row = next(
        (row for row, value in enumerate(listed) if not isinstance(value, (bool, int)) or value not in (0, 1)), 0
    )
    raise ValueError(f"{name} of row {row} is {listed[row]!r}, neither true nor false")


def group_column(groups: Sequence[Hashable] | NDArray | None, n_rows: int) -> tuple[NDArray[np.int64], int]:
    """Group of each row as a number from 0 (in order of first appearance), shape (n_rows,), and how many there are.

    None means that every row is a group of its own. Raises ValueError for a wrong length or a None among the groups.
    """
    if groups is None:
        return np.arange(n_rows, dtype=np.int64), n_rows
    same_length(rows=range(n_rows), groups=groups)
    listed = groups.tolist() if isinstance(groups, np.ndarray) else groups
    different = dict.fromkeys(listed)
    if None in different:
        raise ValueError(f"group of row {list(listed).index(None)} is None")
    if len(different) == n_rows:
        return np.arange(n_rows, dtype=np.int64), n_rows
    numbers = {group: number for number, group in enumerate(different)}
    return np.fromiter(map(numbers.__getitem__, listed), dtype=np.int64, count=n_rows), len(numbers)


def same_length(**columns: Sequence | NDArray | range) -> int:
    """The common length of the named columns; ValueError, naming each with its length, where they differ."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError("columns differ in length: " + ", ".join(f"{name} {n}" for name, n in lengths.items()))
    return next(iter(lengths.values()))
