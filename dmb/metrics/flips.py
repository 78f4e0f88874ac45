"""What changes when the same items are asked in another order."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.calibration import N_BINS, Confidences, bin_gaps, bin_indices
from dmb.metrics.columns import boolean_column, confidence_column, group_column, same_length
from dmb.metrics.measure import Measure, join_notes, unknown, unknown_where_nan
from dmb.metrics.rates import rate
from dmb.metrics.resampling import RESAMPLES, basic_interval, resampled_sums

_WHY = "an error near 0 can only be overestimated"


def flip_rate(
    pairs: Sequence[tuple[Hashable | None, Hashable | None]],
    groups: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Measure:
    """Share of pairs whose two choices differ, among the pairs where both exist.

    `pairs` (n,) of (base choice, other choice), both already mapped back to the same option names; None where there
    was no valid decision. `groups` (n,) the base item of each pair. Interval as in `rates.rate`; the note counts the
    pairs left out. Raises ValueError for different lengths or a group that is None.
    """
    same_length(pairs=pairs, groups=pairs if groups is None else groups)
    kept = [row for row, (base, other) in enumerate(pairs) if base is not None and other is not None]
    if not kept:
        return unknown("no pair with both choices" if pairs else "no rows")
    measure = rate(
        [pairs[row][0] != pairs[row][1] for row in kept],
        None if groups is None else [groups[row] for row in kept],
        level,
    )
    left_out = len(pairs) - len(kept)
    note = f"{left_out} of {len(pairs)} pairs lack a choice" if left_out else None
    return replace(measure, note=join_notes(note, measure.note))


@unknown_where_nan
def ece_drift(
    confidence_a: Confidences,
    correct_a: Sequence[bool],
    confidence_b: Confidences,
    correct_b: Sequence[bool],
    groups: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Measure:
    """ECE(b) - ECE(a), paired: row i of a and of b is the same item. num / den with den = n rows, num may be negative.

    Columns (n,) as in `calibration.ece`; `groups` (n,) or None for one row per group. Interval: groups resampled, both
    sides together (splitmix64 from `seed`), basic interval, clipped to [-1, 1]. One group, or resamples that do not
    differ: no interval and a note. Else the note says that it is approximate: an error near 0 can only be overestimated, the
    more so on fewer rows, and no interval tried mends that (95 % limits cover 88 to 91 %, docs/statistics.md). No rows, or a NaN: unknown. Raises ValueError as `calibration.ece` does.
    """
    sides = [
        (confidence_column(confidence_a), boolean_column(correct_a, "correct_a")),
        (confidence_column(confidence_b), boolean_column(correct_b, "correct_b")),
    ]
    n = same_length(confidence_a=sides[0][0], correct_a=sides[0][1], confidence_b=sides[1][0], correct_b=sides[1][1])
    codes, n_groups = group_column(groups, n)
    if n == 0:
        return unknown("no rows")
    num = math.fsum(bin_gaps(*sides[1]) + [-gap for gap in bin_gaps(*sides[0])])
    value = num / n
    limits: tuple[float, float] | None = None
    note: str | None = "one group: no interval"
    if n_groups > 1:
        sums = resampled_sums(_group_table(sides, codes, n_groups), seed, resamples)
        limits = basic_interval(value, _drifts(sums), level, least=-1.0, most=1.0)
        note = "no resample differs: no interval" if limits is None else f"approximate interval: {_WHY}"
    low, high = limits or (None, None)
    return Measure(value=value, low=low, high=high, n=n, num=num, den=n, n_groups=n_groups, note=note)


def _group_table(
    sides: list[tuple[NDArray[np.float64], NDArray[np.bool_]]], codes: NDArray[np.int64], n_groups: int
) -> NDArray[np.float64]:
    """Shape (n_groups, 21): sums of (confidence - correct) per bin of a, then of b, then the rows of the group."""
    order = np.lexsort((sides[0][0], sides[0][1], sides[1][0], sides[1][1], codes))
    codes = codes[order]
    blocks = []
    for confidence, correct in sides:
        cells = codes * N_BINS + bin_indices(confidence[order])
        sums = np.bincount(cells, weights=confidence[order] - correct[order], minlength=n_groups * N_BINS)
        blocks.append(sums.reshape(n_groups, N_BINS))
    rows = np.bincount(codes, minlength=n_groups).astype(np.float64)
    return np.column_stack([*blocks, rows])


def _drifts(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """ECE(b) - ECE(a) of each resample, shape (resamples,), from sums laid out as in `_group_table`."""
    difference = np.zeros(len(sums))
    for k in range(N_BINS):
        difference += np.abs(sums[:, N_BINS + k]) - np.abs(sums[:, k])
    return difference / sums[:, 2 * N_BINS]
