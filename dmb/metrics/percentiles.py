"""Percentiles of latencies with an upper bound that assumes nothing about their distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from dmb.metrics.measure import Measure, NotANumber, unknown, unknown_where_nan

_SLACK = 1e-11
"""Round-off of the binomial tail: a tail that equals 1 - level counts as within it."""


@unknown_where_nan
def percentile(values_ms: Sequence[float], p: float, level: float = 0.95) -> Measure:
    """The p-quantile by nearest rank: the ceil(p * n)-th smallest value, `p` a share such as 0.95, read as written.

    `values_ms` (n,) in milliseconds; any unit goes, the result has the same. `high` is the one-sided upper bound at
    `level`: the smallest order statistic X(k) with P(Binomial(n, p) >= k) <= 1 - level (Conover 1999, 3.2; ties only
    make it safer). Where not even the largest value bounds it, `high` is None and the note names the n that would.
    `low` is always None. No rows, or a NaN: unknown.

    Raises ValueError for a value that is None or infinite, and unless 0 < p < 1 and 0 < level < 1.
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"p is a share between 0 and 1, got {p!r}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    for row, value in enumerate(values_ms):
        if value is not None and math.isnan(value):
            raise NotANumber(f"value of row {row} is nan")
        if value is None or not math.isfinite(value):
            raise ValueError(f"value of row {row} is {value!r}")
    n = len(values_ms)
    if n == 0:
        return unknown("no rows")
    ordered = sorted(float(value) for value in values_ms)
    rank = math.ceil(Fraction(Decimal(repr(float(p)))) * n)
    bound = _bound_rank(n, p, level)
    if bound is None:
        note = f"upper bound not bounded below n = {_least_rows(p, level)}"
        return Measure(value=ordered[rank - 1], n=n, note=note)
    return Measure(value=ordered[rank - 1], high=ordered[bound - 1], n=n)


def _bound_rank(n: int, p: float, level: float) -> int | None:
    """The smallest k with P(Binomial(n, p) >= k) <= 1 - level, from the top down; None when there is none up to n."""
    log_p, log_q, log_n = math.log(p), math.log1p(-p), math.lgamma(n + 1)
    tail, bound = 0.0, None
    for k in range(n, -1, -1):
        log_choose = log_n - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        tail += math.exp(log_choose + k * log_p + (n - k) * log_q)
        if tail > (1.0 - level) * (1.0 + _SLACK):
            break
        bound = k
    return bound


def _least_rows(p: float, level: float) -> int:
    """The smallest n with p**n <= 1 - level."""
    return math.ceil(math.log(1.0 - level) / math.log(p) * (1.0 - _SLACK))
