"""How large a calibration error chance alone makes: what a perfectly calibrated contender would show."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.calibration import N_BINS, Confidences, bin_indices
from dmb.metrics.columns import confidence_column, group_column
from dmb.metrics.exact_sum import sums_by_bin
from dmb.metrics.measure import Measure, unknown, unknown_where_nan
from dmb.metrics.resampling import RESAMPLES, high_words

_WORDS = 2.0**32


@unknown_where_nan
def ece_floor(
    confidence: Confidences,
    groups: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = RESAMPLES,
) -> Measure:
    """The ECE that a perfectly calibrated contender with these very confidences stays within in `level` of all draws.

    `confidence` (n,) as in `calibration.ece`; `groups` (n,) or None for rows that are independent. In each draw a row is
    correct with the probability that its confidence states (splitmix64 from `seed`), and the value is the
    ceil((draws + 1) * level)-th smallest ECE: an ECE at or below it is no sign of miscalibration (the consistency
    resampling of Bröcker and Smith 2007, for the whole sum in place of each bin).

    Rows of one group share the number that is drawn, so that a group is right or wrong together as far as its confidences
    allow. That is the most that its rows can hang together, so the floor is then an upper one, and the note says so.

    Raises ValueError as `ece` does, unless 0 < level < 1, and for too few draws. No rows, or a NaN: unknown.
    """
    column = confidence_column(confidence)
    codes, n_groups = group_column(groups, column.size)
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    rank = math.ceil((draws + 1) * level - 1e-9)
    if rank > draws:
        raise ValueError(f"{draws} draws are too few for level {level}")
    n = column.size
    if n == 0:
        return unknown("no rows")

    sums = sums_by_bin(column, bin_indices(column), N_BINS)
    n_correct = _drawn(_members(column, codes, n_groups), seed, draws)
    gaps = np.zeros(draws)
    for total, row in zip(sums, n_correct, strict=True):
        gaps += np.abs(total - row)
    draw = int(np.argsort(gaps, kind="stable")[rank - 1])
    # summed as `ece` does, so that an equal outcome has the equal number
    num = math.fsum(abs(total - int(row[draw])) for total, row in zip(sums, n_correct, strict=True))
    note = None if n_groups == n else "groups drawn whole: an upper floor"
    return Measure(value=num / n, n=n, num=num, den=n, n_groups=n_groups, note=note)


def _members(column: NDArray[np.float64], codes: NDArray[np.int64], n_groups: int) -> list[list[float]]:
    """The confidences of each group, in an order that has nothing to do with the order of the rows."""
    members: list[list[float]] = [[] for _ in range(n_groups)]
    for confidence, group in zip(column.tolist(), codes.tolist(), strict=True):
        members[group].append(confidence)
    return sorted(sorted(group) for group in members)


def _drawn(members: list[list[float]], seed: int, draws: int) -> NDArray[np.int64]:
    """Correct rows per bin and draw, shape (10, draws)."""
    bins = iter(bin_indices(np.array([c for group in members for c in group])).tolist())
    n_correct = np.zeros((N_BINS, draws), dtype=np.int64)
    for number, group in enumerate(members):
        words = high_words(seed, number * draws, draws)
        for confidence in group:
            # a confidence of 1 is above every word, and none is below a confidence of 0
            n_correct[next(bins)] += words < confidence * _WORDS
    return n_correct
