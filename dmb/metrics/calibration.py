"""Calibration of confidences: reliability bins, expected calibration error, Brier score.

The edge rule, once for all: bin k of 0 to 9 holds the confidences in (k/10, (k + 1)/10], and bin 0 holds 0 too. It is
a rule on decimals as written: 0.3 is in the third bin (k = 2). A float64 stands for the shortest decimal that reads
back as it, so the float nearest to k/10 is k/10, and its neighbours are not. Reading is monotone, hence comparing with
the floats nearest to the edges gives exactly what comparing `Decimal(repr(x))` with the edges gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.columns import boolean_column, confidence_column, same_length
from dmb.metrics.exact_sum import sums_by_bin
from dmb.metrics.measure import Measure, unknown, unknown_where_nan

N_BINS = 10

Confidences = Sequence[float | Decimal | str] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin that has rows: confidences in (low, high], for index 0 also 0."""

    index: int
    low: float
    high: float
    n: int
    mean_confidence: float
    accuracy: float
    """n_correct / n."""
    n_correct: int


def bin_indices(confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """Bin (0 to 9) of each confidence, by the edge rule above. (n,) float64 in [0, 1] in, (n,) int64 out."""
    index = np.zeros(confidence.size, dtype=np.int8)
    for edge in range(1, N_BINS):
        index += confidence > edge / N_BINS
    return index.astype(np.int64)


def reliability(confidence: Confidences, correct: Sequence[bool]) -> list[Bin]:
    """The bins that have rows, in order; empty bins are absent.

    `confidence` (n,): float64 array (fast), floats, Decimals or decimal strings in [0, 1]; `correct` (n,) of booleans.
    Raises ValueError for None, a confidence outside [0, 1], or different lengths.
    """
    counts, sums, n_correct = _bin_totals(*checked_answers(confidence, correct))
    return [
        Bin(
            index=k,
            low=k / N_BINS,
            high=(k + 1) / N_BINS,
            n=counts[k],
            mean_confidence=sums[k] / counts[k],
            accuracy=n_correct[k] / counts[k],
            n_correct=n_correct[k],
        )
        for k in range(N_BINS)
        if counts[k]
    ]


@unknown_where_nan
def ece(confidence: Confidences, correct: Sequence[bool]) -> Measure:
    """Expected calibration error in 10 equal-width bins (Naeini et al. 2015; Guo et al. 2017).

    num is the sum over bins of |sum of confidences - correct rows|, den = n. Columns and errors as in `reliability`;
    a NaN makes it unknown. No interval: the estimate is biased upwards, and of a calibrated contender a bootstrap
    interval holds the truth in 0 (percentile) to 66 % (basic) of draws, simulated at n = 200 and 1,000. `noise_floor` and
    `debiased_ece` stand beside it.
    """
    columns = checked_answers(confidence, correct)
    n = len(columns[0])
    if n == 0:
        return unknown("no rows")
    num = math.fsum(bin_gaps(*columns))
    return Measure(value=num / n, n=n, num=num, den=n)


@unknown_where_nan
def brier(confidence: Confidences, correct: Sequence[bool]) -> Measure:
    """Mean of (confidence - correct)^2, with correct as 0 or 1 (Brier 1950, for the event "the choice is correct").

    num is the sum of the squares, den = n. Columns and errors as in `reliability`; a NaN
    makes it unknown. No interval.
    """
    confidences, corrects = checked_answers(confidence, correct)
    n = len(confidences)
    if n == 0:
        return unknown("no rows")
    differences = confidences - corrects
    (num,) = sums_by_bin(differences * differences, np.zeros(n, dtype=np.int64), 1)
    return Measure(value=num / n, n=n, num=num, den=n)


def bin_gaps(confidence: NDArray[np.float64], correct: NDArray[np.bool_]) -> list[float]:
    """|sum of confidences - correct rows| of each of the 10 bins; both (n,), already checked."""
    _, sums, n_correct = _bin_totals(confidence, correct)
    return [abs(sums[k] - n_correct[k]) for k in range(N_BINS)]


def checked_answers(confidence: Confidences, correct: Sequence[bool]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Both columns as arrays, (n,) float64 and (n,) bool. Errors as in `reliability`."""
    columns = confidence_column(confidence), boolean_column(correct, "correct")
    same_length(confidence=columns[0], correct=columns[1])
    return columns


def _bin_totals(
    confidence: NDArray[np.float64], correct: NDArray[np.bool_]
) -> tuple[list[int], list[float], list[int]]:
    """Rows, sum of confidences and correct rows of each bin."""
    index = bin_indices(confidence)
    counts = np.bincount(index, minlength=N_BINS).tolist()
    n_correct = [int(rows) for rows in np.bincount(index, weights=correct, minlength=N_BINS)]
    return counts, sums_by_bin(confidence, index, N_BINS), n_correct
