"""Log loss, with what was clipped beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dmb.metrics.calibration import Confidences, checked_answers
from dmb.metrics.columns import confidence_column
from dmb.metrics.measure import Measure, NotANumber, unknown
from dmb.metrics.timing import share

CLIP = 0.001
"""Confidences are mostly written with two or three decimals, so a 0 says no more than that it is below this."""


def log_loss(given: Confidences, clip: float = CLIP) -> tuple[Measure, Measure]:
    """(loss, clipped): the mean of -ln(probability given to what came about), and the share of rows that were clipped.

    `given` (n,): floats in [0, 1] as `calibration.ece` takes them, `given_to_outcome` of confidences or the probability
    of the right option. One below `clip` counts as `clip`, since a single 0 would make the whole infinite; the second
    measure has num clipped rows among den = n. Nothing is clipped from above: a 1 costs nothing. Natural logarithm; 0 is
    best, and -ln(clip) = 6.9 is the worst. No interval: a few rows at the clip carry most of the sum.

    No rows, or a NaN: both unknown. Raises ValueError as `ece` does and unless 0 < clip < 1.
    """
    if not 0.0 < clip < 1.0:
        raise ValueError(f"clip must lie between 0 and 1, got {clip!r}")
    try:
        column = confidence_column(given)
    except NotANumber as e:
        return unknown(str(e)), unknown(str(e))
    n = column.size
    if n == 0:
        return unknown("no rows"), unknown("no rows")
    clipped = share(column < clip, "no rows")
    # not numpy's logarithm, whose last bit depends on the processor
    num = math.fsum(-math.log(max(p, clip)) for p in column.tolist())
    note = f"{clipped.num} of {n} rows count as {clip}" if clipped.num else None
    return Measure(value=num / n, n=n, num=num, den=n, note=note), clipped


def given_to_outcome(confidence: Confidences, correct: Sequence[bool]) -> list[float]:
    """The probability that each confidence gave to what came about: itself where correct, else 1 - itself.

    Columns and errors as in `calibration.ece`.
    """
    column, corrects = checked_answers(confidence, correct)
    return [c if right else 1.0 - c for c, right in zip(column.tolist(), corrects.tolist(), strict=True)]
