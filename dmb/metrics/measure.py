"""The one result type of all metrics."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")


class NotANumber(ValueError):
    """A column holds a NaN: whatever is computed from it is unknown, and the message says which row."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One measured number with what it was made of. All numbers are plain Python, none is NaN or infinite.

    An undefined measure has no `value`, and a `note` that says why; a missing limit means that no limit
    could be stated, which the note explains too where the metric has an interval at all.
    """

    value: float | None
    low: float | None = None
    """Lower limit of the interval, at the level the metric was asked for."""
    high: float | None = None
    """Upper limit; for percentiles a one-sided bound."""
    n: int = 0
    """Rows that went in."""
    num: float | int | None = None
    den: float | int | None = None
    """`value` is `num / den` for rates and means (times 1,000 for the cost per 1,000 decisions)."""
    n_groups: int | None = None
    """Independent groups of rows, where the metric knows about groups."""
    note: str | None = None

    def __post_init__(self) -> None:
        if self.value is None and not self.note:
            raise ValueError("a measure without a value needs a note that says why")
        for name in ("value", "low", "high", "num", "den"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{name} of a measure must be finite, got {number!r}")


def unknown(note: str, n: int = 0) -> Measure:
    """A measure that has no value, because of `note`; `n` rows were looked at."""
    return Measure(value=None, n=n, note=note)


def join_notes(*notes: str | None) -> str | None:
    """The notes that there are, in order, as one; None when there are none."""
    return "; ".join(note for note in notes if note) or None


def unknown_where_nan(metric: Callable[P, Measure]) -> Callable[P, Measure]:
    """The metric, with a NaN among its numbers making the measure unknown, for a reason that names the row."""

    @wraps(metric)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Measure:
        try:
            return metric(*args, **kwargs)
        except NotANumber as e:
            return unknown(str(e))

    return guarded
