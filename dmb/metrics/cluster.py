"""Interval for a rate whose rows come in groups that are not independent inside."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction

from dmb.metrics.columns import same_length
from dmb.metrics.quantiles import t_critical, upper_share
from dmb.metrics.wilson import wilson


def cluster_interval(
    values: Sequence[float], groups: Sequence[Hashable], level: float = 0.95
) -> tuple[float | None, float | None]:
    """Limits (low, high) of the pooled mean of `values`, inside [0, 1]; (None, None) when there is one group.

    `values` (n,): booleans or numbers in [0, 1]; `groups` (n,): the group of each row, groups of any sizes.

    The pooled mean is a ratio of two group totals; its variance is linearised over groups with the factor
    G / (G - 1), and the limits are Student's t with G - 1 degrees of freedom (Cochran 1977, section 6 and 9A), clipped.
    Where all groups have the same mean there is nothing to estimate the variance from: then each group counts as
    one observation, with the exact (Clopper-Pearson) limits when all are 0 or all are 1 and Wilson's in between.

    With 25 groups of 11 rows, simulated, 95 % limits cover 94 to 95 % while the rate is between 0.5 and 0.8, and 91 %
    at 0.95, where group means pile up against 1 (test_cluster.py has the figures).

    Raises ValueError for no rows, different lengths, or a value outside [0, 1].
    """
    if same_length(values=values, groups=groups) == 0:
        raise ValueError("an interval needs at least one row")
    members: dict[Hashable, list[float]] = {}
    for row, (value, group) in enumerate(zip(values, groups, strict=True)):
        if not 0 <= value <= 1:
            raise ValueError(f"value of row {row} is {value!r}, outside [0, 1]")
        members.setdefault(group, []).append(float(value))
    if len(members) == 1:
        return None, None
    totals = [(math.fsum(rows), len(rows)) for rows in members.values()]
    if len({Fraction(total) / size for total, size in totals}) == 1:
        return _agreeing(totals[0][0] / totals[0][1], len(totals), level)

    n_rows, n_groups = len(values), len(totals)
    rate = math.fsum(total for total, _ in totals) / n_rows
    squares = math.fsum((total - rate * size) ** 2 for total, size in totals)
    error = math.sqrt(n_groups / (n_groups - 1) * squares) / n_rows
    half = t_critical(level, n_groups - 1) * error
    return max(0.0, rate - half), min(1.0, rate + half)


def _agreeing(mean: float, n_groups: int, level: float) -> tuple[float, float]:
    reach = (1.0 - upper_share(level)) ** (1.0 / n_groups)
    if mean == 0.0:
        return 0.0, 1.0 - reach
    if mean == 1.0:
        return reach, 1.0
    return wilson(mean * n_groups, n_groups, level)
