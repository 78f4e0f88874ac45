"""What is gained by keeping only the answers that a contender is sure of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from dmb.metrics.calibration import Confidences, checked_answers
from dmb.metrics.measure import Measure, unknown, unknown_where_nan


class RiskPoint(NamedTuple):
    """What accepting at a cut-off comes to: rows with a confidence of at least `threshold`, and those of them that are wrong."""

    threshold: float
    n_accepted: int
    n_wrong: int


def risk_coverage(confidence: Confidences, correct: Sequence[bool]) -> list[RiskPoint]:
    """The curve: one point per distinct confidence, the highest first; no rows, no points.

    `confidence`, `correct` (n,) as in `calibration.ece`, with the same errors. Coverage of a point is n_accepted / n, its
    risk n_wrong / n_accepted (El-Yaniv and Wiener 2010). Rows of equal confidence cannot be told apart by a cut-off, so
    they are accepted together.
    """
    column, corrects = checked_answers(confidence, correct)
    distinct, rows, counts = np.unique(column, return_inverse=True, return_counts=True)
    wrong = np.bincount(rows, weights=~corrects, minlength=distinct.size).astype(np.int64)
    accepted, n_wrong = np.cumsum(counts[::-1]).tolist(), np.cumsum(wrong[::-1]).tolist()
    return [RiskPoint(*point) for point in zip(distinct[::-1].tolist(), accepted, n_wrong, strict=True)]


@unknown_where_nan
def aurc(confidence: Confidences, correct: Sequence[bool]) -> Measure:
    """Area under the risk-coverage curve: the mean over k = 1 to n of the risk of the k surest rows; lower is better.

    Rows of equal confidence are averaged over every order in which they could stand (Geifman, Uziel and El-Yaniv 2019
    leave ties open), so their order does not matter: inside a tie of m rows of which e are wrong, the j-th adds e / m.
    A contender that is always equally sure has its error rate. num is the sum of the n risks, den = n. No interval.

    Columns and errors as in `risk_coverage`. No rows, or a NaN: unknown.
    """
    points = risk_coverage(confidence, correct)
    if not points:
        return unknown("no rows")
    n = points[-1].n_accepted
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, n + 1)))).tolist()
    risks: list[float] = []
    accepted = wrong = 0
    for point in points:
        rate = (point.n_wrong - wrong) / (point.n_accepted - accepted)
        # sum over j of (wrong + j * rate) / (accepted + j)
        risks.append(rate * (point.n_accepted - accepted))
        risks.append((wrong - accepted * rate) * (harmonic[point.n_accepted] - harmonic[accepted]))
        accepted, wrong = point.n_accepted, point.n_wrong
    num = math.fsum(risks)
    return Measure(value=num / n, n=n, num=num, den=n)


@unknown_where_nan
def coverage_at_risk(confidence: Confidences, correct: Sequence[bool], risk: float) -> Measure:
    """The largest share of rows that some cut-off accepts at an error rate of at most `risk`, read as written.

    num accepted rows among den = n; 0 where every cut-off errs more. The cut-off is chosen on the rows that it is judged
    by, so this is the best case, and no interval is given; a cut-off chosen on other rows keeps less.

    Columns and errors as in `risk_coverage`; ValueError unless 0 <= risk < 1. No rows, or a NaN: unknown.
    """
    if not 0.0 <= risk < 1.0:
        raise ValueError(f"risk is a share from 0 to below 1, got {risk!r}")
    points = risk_coverage(confidence, correct)
    if not points:
        return unknown("no rows")
    most = Fraction(Decimal(repr(float(risk))))
    n, num = points[-1].n_accepted, max((p.n_accepted for p in points if p.n_wrong <= most * p.n_accepted), default=0)
    return Measure(value=num / n, n=n, num=num, den=n)
