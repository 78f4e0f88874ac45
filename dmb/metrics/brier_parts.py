"""What a Brier score is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dmb.metrics.calibration import N_BINS, Confidences, bin_indices, checked_answers
from dmb.metrics.exact_sum import sums_by_bin
from dmb.metrics.measure import Measure, NotANumber, unknown


@dataclass(frozen=True, slots=True)
class BrierParts:
    """Brier score = reliability - resolution + uncertainty, up to rounding."""

    reliability: Measure
    """Mean square of (mean confidence - accuracy) of the row's bin; 0 is best."""
    resolution: Measure
    """How far confidences tell right from wrong; higher is better, below 0 they tell it the wrong way round."""
    uncertainty: Measure
    """accuracy * (1 - accuracy): what saying the accuracy every time would score."""


def brier_parts(confidence: Confidences, correct: Sequence[bool]) -> BrierParts:
    """The three parts over the ten bins of `calibration.ece`, exact for confidences that differ inside a bin too.

    `confidence`, `correct` (n,) as there. Murphy's decomposition (1973) is exact only where all confidences of a bin are
    equal; what is missing otherwise is the variance of the confidences inside bins less twice their covariance with
    correctness (Stephenson, Coelho and Jolliffe 2008). That belongs to what confidences tell apart, so it is taken off
    the resolution, which is their "generalised resolution". Each part is num / den with den = n, without an interval.

    No rows, or a NaN: all three unknown. Raises ValueError as `ece` does.
    """
    try:
        column, corrects = checked_answers(confidence, correct)
    except NotANumber as e:
        return BrierParts(*[unknown(str(e))] * 3)
    n = column.size
    if n == 0:
        return BrierParts(*[unknown("no rows")] * 3)
    index = bin_indices(column)
    counts = np.bincount(index, minlength=N_BINS).tolist()
    n_correct = np.bincount(index, weights=corrects, minlength=N_BINS).tolist()
    sums, squares = sums_by_bin(column, index, N_BINS), sums_by_bin(column * column, index, N_BINS)
    shared = sums_by_bin(column * corrects, index, N_BINS)
    filled = [k for k in range(N_BINS) if counts[k]]

    base = math.fsum(n_correct) / n
    reliability = math.fsum((sums[k] - n_correct[k]) ** 2 / counts[k] for k in filled)
    between = [(n_correct[k] - base * counts[k]) ** 2 / counts[k] for k in filled]
    spread = [squares[k] - sums[k] ** 2 / counts[k] for k in filled]
    covaried = [shared[k] - sums[k] * n_correct[k] / counts[k] for k in filled]
    resolution = math.fsum([*between, *(-part for part in spread), *(2.0 * part for part in covaried)])
    return BrierParts(
        *(Measure(value=num / n, n=n, num=num, den=n) for num in (reliability, resolution, n * base * (1.0 - base)))
    )
