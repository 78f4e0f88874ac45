"""Calibration error without bins, smoothed at the scale that the error itself has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.calibration import Confidences, checked_answers
from dmb.metrics.measure import Measure, unknown, unknown_where_nan

LEAST_WIDTH = 0.005
"""Kernels are never narrower; below it smoothing would look at single rows."""
DECIMALS = 6
_GRID = 1000
_HALVINGS = 20
_NEGLIGIBLE = 1e-9


@unknown_where_nan
def smooth_ece(confidence: Confidences, correct: Sequence[bool]) -> Measure:
    """Smooth ECE (Błasiok and Nakkiran 2023): the residuals, smoothed over confidence, in absolute value, integrated.

    `confidence`, `correct` (n,) as in `calibration.ece`. With r(t) the mean over rows of (correct - confidence) times a
    Gaussian kernel of width s around the row's confidence, reflected at 0 and 1, the error at width s is the integral of
    |r| over [0, 1]. It falls as s grows; the value is the error at the s that equals it, but not below 0.005.

    The reflected Gaussian is the heat kernel of [0, 1], so r is a cosine series whose k-th term is damped by
    exp(-(pi k s)^2 / 2); the integral is a trapezoid sum over 1,000 steps. Rounded to 6 decimals, which is more than is
    known of it, so that it is the same on every machine. No interval. No rows, or a NaN: unknown. Raises as `ece` does.
    """
    column, corrects = checked_answers(confidence, correct)
    n = column.size
    if n == 0:
        return unknown("no rows")
    series = _coefficients(column, corrects)
    narrow, wide = LEAST_WIDTH, 1.0
    error = _error_at(series, narrow)
    if error > narrow:
        for _ in range(_HALVINGS):
            middle = (narrow + wide) / 2.0
            if _error_at(series, middle) > middle:
                narrow = middle
            else:
                wide = middle
        error = _error_at(series, wide)
    return Measure(value=round(error, DECIMALS), n=n)


def smooth_ece_at(confidence: Confidences, correct: Sequence[bool], width: float) -> float:
    """The error at one kernel width, not rounded. Raises ValueError below the least width, and without rows."""
    column, corrects = checked_answers(confidence, correct)
    if width < LEAST_WIDTH or column.size == 0:
        raise ValueError(f"needs rows and a width of at least {LEAST_WIDTH}, got {column.size} and {width!r}")
    return _error_at(_coefficients(column, corrects), width)


def _terms(width: float) -> int:
    """As many terms of the series as are not negligible at that width, the constant one included."""
    return math.ceil(math.sqrt(-2.0 * math.log(_NEGLIGIBLE)) / (math.pi * width)) + 1


def _coefficients(column: NDArray[np.float64], correct: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Mean of (correct - confidence) * cos(pi k confidence) for each k, as many as the narrowest kernel asks for."""
    distinct, rows, counts = np.unique(column, return_inverse=True, return_counts=True)
    residuals = (np.bincount(rows, weights=correct) - counts * distinct) / column.size
    first = np.array([math.cos(math.pi * value) for value in distinct.tolist()])
    before, now = first, np.ones_like(first)
    out = np.empty(_terms(LEAST_WIDTH))
    for k in range(out.size):
        out[k] = residuals @ now
        before, now = now, 2.0 * first * now - before
    return out


def _error_at(series: NDArray[np.float64], width: float) -> float:
    n_terms = min(_terms(width), series.size)
    damped = [
        float(c) * math.exp(-((math.pi * k * width) ** 2) / 2.0) * (2.0 if k else 1.0)
        for k, c in enumerate(series[:n_terms].tolist())
    ]
    curve = np.abs(np.array(damped) @ _waves()[:n_terms])
    return float(curve.sum() - (curve[0] + curve[-1]) / 2.0) / _GRID


@lru_cache(maxsize=1)
def _waves() -> NDArray[np.float64]:
    """cos(pi k j / 1000) for each term k and each j from 0 to 1,000."""
    table = np.array([math.cos(math.pi * j / _GRID) for j in range(2 * _GRID)])
    k, j = np.arange(_terms(LEAST_WIDTH))[:, None], np.arange(_GRID + 1)[None, :]
    return table[k * j % (2 * _GRID)]
