"""Between which ends accuracy would lie, had every row been answered."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from dmb.metrics.measure import Measure
from dmb.metrics.rates import rate


def accuracy_band(
    correct: Sequence[bool | None], groups: Sequence[Hashable] | None = None, level: float = 0.95
) -> tuple[Measure, Measure]:
    """(worst case, best case): accuracy over all expected rows if every unanswered one were wrong, and if it were right.

    `correct` (n,): whether each row's answer is correct, None where there is no valid answer; `groups` (n,) or None as in
    `rates.rate`, which has the intervals. The ends are the bounds of Manski 1989 for answers that are missing for reasons
    that nobody knows; accuracy over the valid rows lies between them. No rows: both unknown.

    Raises ValueError for anything but true, false and None, a group that is None, or different lengths.
    """
    worst = [False if answer is None else answer for answer in correct]
    best = [True if answer is None else answer for answer in correct]
    return rate(worst, groups, level), rate(best, groups, level)
