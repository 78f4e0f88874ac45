"""Accepting an answer only above a confidence: what is kept, and how much of it is wrong, told out of fold."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.calibration import Confidences
from dmb.metrics.columns import boolean_column, confidence_column, group_column, same_length
from dmb.metrics.measure import Measure, unknown
from dmb.metrics.rates import rate

N_FOLDS = 5
TARGET_ERRORS = (0.01, 0.05, 0.10)


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """One tolerated share of errors: the cut-off, and what cut-offs chosen like it did on rows they were not chosen on."""

    target_error: float
    threshold: float | None
    """The smallest confidence to accept, chosen on all rows: the one to use. None: no cut-off meets the target."""
    fold_thresholds: tuple[float | None, ...]
    """Those chosen without each fold, in the order of the folds' numbers."""
    kept: Measure
    """Share of rows at or above the cut-off of their fold."""
    error: Measure
    """Share of wrong rows among the kept."""


def threshold_table(
    confidence: Confidences,
    correct: Sequence[bool],
    folds: Sequence[int],
    groups: Sequence[Hashable] | None = None,
    *,
    target_errors: Sequence[float] = TARGET_ERRORS,
    level: float = 0.95,
) -> list[ThresholdRow]:
    """For each target: the smallest confidence t such that of the rows with confidence >= t at most that share is wrong.

    `confidence` (n,) and `correct` (n,) as in `calibration.ece`; `folds` (n,): the fold of each row, rows of one group in
    one fold (`group_folds`). The cut-off of a fold is chosen on all other folds and applied to it, so `kept` and `error`
    are what somebody who chose it so would have met; a cut-off judged on the rows that it was chosen on looks too
    good. Intervals as in `rates.rate`, given the cut-offs. No rows: an empty list.

    Raises ValueError for one fold, a group in two folds, a target outside [0, 1], and as `calibration.ece` does.
    """
    confidences, corrects = confidence_column(confidence), boolean_column(correct, "correct")
    n = same_length(confidence=confidences, correct=corrects, folds=folds)
    codes, _ = group_column(groups, n)
    for target in target_errors:
        if not 0.0 <= target <= 1.0:
            raise ValueError(f"a tolerated share of errors lies in [0, 1], got {target!r}")
    if n == 0:
        return []
    names = {name: number for number, name in enumerate(sorted(set(folds)))}
    if len(names) < 2:
        raise ValueError("cut-offs are chosen on other folds: give at least two")
    fold = np.array([names[f] for f in folds])
    first: dict[int, int] = {}
    for row, (code, f) in enumerate(zip(codes.tolist(), fold.tolist(), strict=True)):
        if first.setdefault(code, f) != f:
            raise ValueError(f"the group of row {row} is in two folds")
    return [_row(confidences, corrects, fold, len(names), codes, target, level) for target in target_errors]


def _row(
    confidence: NDArray[np.float64],
    correct: NDArray[np.bool_],
    fold: NDArray[np.int64],
    n_folds: int,
    codes: NDArray[np.int64],
    target: float,
    level: float,
) -> ThresholdRow:
    cuts = [_cut_off(confidence[fold != f], correct[fold != f], target) for f in range(n_folds)]
    kept = confidence >= np.array([np.inf if cut is None else cut for cut in cuts])[fold]
    error = rate(~correct[kept], codes[kept], level) if kept.any() else unknown("nothing is kept")
    return ThresholdRow(
        target_error=target,
        threshold=_cut_off(confidence, correct, target),
        fold_thresholds=tuple(cuts),
        kept=rate(kept, codes, level),
        error=error,
    )


def _cut_off(confidence: NDArray[np.float64], correct: NDArray[np.bool_], target: float) -> float | None:
    """The smallest confidence that keeps the error within the target; rows of equal confidence stay together."""
    order = np.argsort(-confidence, kind="stable")
    ordered, wrong = confidence[order], np.cumsum(~correct[order])
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    allowed = ends[wrong[ends] <= target * (ends + 1) * (1.0 + 1e-12)]
    return float(ordered[allowed[-1]]) if allowed.size else None


def group_folds(groups: Sequence[str], n_folds: int = N_FOLDS, seed: int = 0) -> list[int]:
    """A fold from 0 to n_folds - 1 for each row, the same for all rows of a group; groups per fold differ by at most one.

    Groups are dealt out in the order of the sha256 of seed and name, so row order and other rows' values are nothing.
    """
    if n_folds < 2:
        raise ValueError(f"at least two folds, got {n_folds}")
    names = sorted(set(groups), key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest())
    fold_of = {name: place % n_folds for place, name in enumerate(names)}
    return [fold_of[name] for name in groups]
