"""Calibration error with the part that chance adds taken off."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.calibration import N_BINS, Confidences, checked_answers
from dmb.metrics.exact_sum import sums_by_bin
from dmb.metrics.measure import Measure, unknown, unknown_where_nan


@unknown_where_nan
def debiased_ece(confidence: Confidences, correct: Sequence[bool]) -> Measure:
    """Root mean square calibration error in up to 10 bins of equal mass, debiased (Kumar, Liang and Ma 2019).

    `confidence`, `correct` (n,) as in `calibration.ece`. With m rows in a bin, mean confidence f and accuracy a, the
    square of its gap is taken as (f - a)^2 - a (1 - a) / (m - 1), whose expectation is the square of the true gap; the
    value is the root of their mean over rows. The estimated mean square is num / den with den = n; it can be negative,
    and the value is then 0 and the note says so. Being a root of squares it is not below the plain ECE of the same bins
    except for what was taken off: compare it with other debiased errors, not with `ece`.

    Bins: a confidence with b rows below it belongs to bin floor(k * b / n), k = min(10, n // 2), so that equal
    confidences stay together; a bin of one row, which has no spread to take off, joins the one below it (the lowest: the
    one above). No interval. Below 2 rows, or with a NaN: unknown. Raises ValueError as `ece` does.
    """
    column, corrects = checked_answers(confidence, correct)
    n = column.size
    if n < 2:
        return unknown("fewer than 2 rows" if n else "no rows", n)
    index = equal_mass_bins(column)
    n_bins = int(index.max()) + 1
    counts = np.bincount(index, minlength=n_bins).tolist()
    n_correct = np.bincount(index, weights=corrects, minlength=n_bins).tolist()
    sums = sums_by_bin(column, index, n_bins)
    num = math.fsum(
        (total - right) ** 2 / m - right * (m - right) / (m * (m - 1))
        for m, total, right in zip(counts, sums, n_correct, strict=True)
    )
    note = "the estimated square is below 0: taken as 0" if num < 0 else None
    return Measure(value=math.sqrt(max(num, 0.0) / n), n=n, num=num, den=n, note=note)


def equal_mass_bins(column: NDArray[np.float64]) -> NDArray[np.int64]:
    """Bin of each row by the rule above, numbered without gaps from the lowest: (n,) with n >= 2 in, (n,) out."""
    n = column.size
    _, rows, counts = np.unique(column, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    wanted = below * min(N_BINS, n // 2) // n
    bins: list[int] = []
    size = 0
    for place, (bin_number, count) in enumerate(zip(wanted.tolist(), counts.tolist(), strict=True)):
        starts = place > 0 and bin_number != wanted[place - 1] and size > 1
        size = count if starts else size + count
        bins.append((bins[-1] if bins else 0) + starts)
    if size == 1 and bins[-1] > 0:
        bins[-1] -= 1
    return np.array(bins, dtype=np.int64)[rows]
