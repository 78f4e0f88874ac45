"""Percentiles of latencies with an upper bound that assumes nothing about their distribution."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.cluster import effective_rows
from dmb.metrics.columns import group_column
from dmb.metrics.measure import Measure, NotANumber, unknown, unknown_where_nan
from dmb.metrics.quantiles import normal_quantile, t_quantile

_SLACK = 1e-11
"""Round-off of the binomial tail: a tail that equals 1 - level counts as within it."""


@unknown_where_nan
def percentile(
    values_ms: Sequence[float], p: float, level: float = 0.95, groups: Sequence[Hashable] | None = None
) -> Measure:
    """The p-quantile by nearest rank: the ceil(p * n)-th smallest value, `p` a share such as 0.95, read as written.

    `values_ms` (n,) in milliseconds; any unit goes, the result has the same. `high` is the one-sided upper bound at
    `level`: the smallest order statistic X(k) with P(Binomial(n, p) >= k) <= 1 - level (Conover 1999, 3.2; ties only
    make it safer). Where not even the largest value bounds it, `high` is None and the note names the n that would.
    `low` is always None. No rows, or a NaN: unknown.

    `groups` (n,) or None for independent rows. Where groups have several rows, n in the tail is the effective number of
    rows of the share at or below the value (`cluster.effective_rows`; Woodruff 1952), less for Student's t with G - 1
    degrees of freedom (Korn and Graubard 1998), and k is scaled back to n. Rows of 25 groups counted as independent would
    bound the median in 74 to 87 % of samples, so in 95 to 99 % (docs/statistics.md). One group of several rows has no bound.

    Raises ValueError for a value that is None or infinite, groups as `rates.rate` does, and unless 0 < p < 1 and 0 < level < 1.
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"p is a share between 0 and 1, got {p!r}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    # None comes out as NaN
    if not np.isfinite(np.array(values_ms, dtype=np.float64)).all():
        _refuse_first(values_ms)
    n = len(values_ms)
    codes, n_groups = group_column(groups, n)
    if n == 0:
        return unknown("no rows")
    ordered = sorted(float(value) for value in values_ms)
    rank = math.ceil(Fraction(Decimal(repr(float(p)))) * n)
    value = ordered[rank - 1]
    if n_groups < n:
        return _grouped(ordered, value, [v <= value for v in values_ms], codes, n_groups, p, level)
    bound = _bound_rank(n, p, level)
    if bound is None:
        note = f"upper bound not bounded below n = {_least_rows(p, level)}"
        return Measure(value=value, n=n, note=note)
    return Measure(value=value, high=ordered[bound - 1], n=n)


def _refuse_first(values_ms: Sequence[float | None]) -> None:
    """Raise for the first row that is no finite number."""
    for row, value in enumerate(values_ms):
        if value is not None and math.isnan(value):
            raise NotANumber(f"value of row {row} is nan")
        if value is None or not math.isfinite(value):
            raise ValueError(f"value of row {row} is {value!r}")


def _grouped(
    ordered: list[float],
    value: float,
    within: list[bool],
    codes: NDArray[np.int64],
    n_groups: int,
    p: float,
    level: float,
) -> Measure:
    n, least = len(ordered), _least_rows(p, level)
    if n_groups == 1:
        return Measure(value=value, n=n, n_groups=1, note="one group: no upper bound")
    by_t = (normal_quantile(level) / t_quantile(level, n_groups - 1)) ** 2 if level > 0.5 else 1.0
    effective = max(1, int(effective_rows(within, codes, n_groups) * by_t))
    bound = _bound_rank(effective, p, level)
    if bound is None:
        note = f"no upper bound: the rows are worth {effective} independent ones, and it takes {least}"
        return Measure(value=value, n=n, n_groups=n_groups, note=note)
    rank = -(-bound * n // effective)
    return Measure(value=value, high=ordered[rank - 1], n=n, n_groups=n_groups)


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
