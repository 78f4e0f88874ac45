"""The difference between two contenders, or two ways of asking, on the same rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from dmb.metrics.cluster import effective_rows
from dmb.metrics.columns import boolean_column, group_column, same_length
from dmb.metrics.measure import Measure, unknown
from dmb.metrics.quantiles import normal_critical, t_critical
from dmb.metrics.wilson import score_limits


def paired_difference(
    a: Sequence[bool], b: Sequence[bool], groups: Sequence[Hashable] | None = None, level: float = 0.95
) -> Measure:
    """Share of true rows of `a` minus that of `b`: num = rows true in `a` only minus rows true in `b` only, den = n.

    `a`, `b` (n,) of booleans, row i of both is the same item; `groups` (n,) or None for one row per group.

    Where every group has one row: `shrunk_interval`, which unlike a bootstrap keeps a width when hardly any or no row
    differs. Otherwise the same with the effective number of rows (`cluster.effective_rows`: the effective sample size
    of Korn and Graubard 1998, taken to differences) and Student's t with G - 1 degrees of freedom.
    95 % limits cover 94 to 98 % at the suites' sizes, and more where hardly any row differs (docs/statistics.md).
    Limits lie around the value. One group of several rows: no interval and a note. No rows: unknown.

    Raises ValueError for different lengths, and for None among rows or groups.
    """
    columns = boolean_column(a, "a"), boolean_column(b, "b")
    n = same_length(a=columns[0], b=columns[1])
    codes, n_groups = group_column(groups, n)
    if n == 0:
        return unknown("no rows")
    differences = (columns[0].astype(np.int64) - columns[1]).tolist()
    up, down = differences.count(1), differences.count(-1)
    value = (up - down) / n
    limits: tuple[float, float] | None
    note = None
    if n_groups == n:
        limits = shrunk_interval(up, down, up + down, n, normal_critical(level))
    elif n_groups == 1:
        limits, note = None, "one group: no interval"
    else:
        effective = effective_rows(differences, codes, n_groups)
        share = effective / n
        critical = t_critical(level, n_groups - 1)
        limits = shrunk_interval(up * share, down * share, (up + down) * share, effective, critical)
    low, high = (min(limits[0], value), max(limits[1], value)) if limits else (None, None)
    return Measure(value=value, low=low, high=high, n=n, num=up - down, den=n, n_groups=n_groups, note=note)


def discordant(a: Sequence[bool], b: Sequence[bool]) -> tuple[int, int]:
    """(rows true in `a` only, rows true in `b` only), what McNemar's test looks at. Columns as in `paired_difference`."""
    columns = boolean_column(a, "a"), boolean_column(b, "b")
    same_length(a=columns[0], b=columns[1])
    return int((columns[0] & ~columns[1]).sum()), int((columns[1] & ~columns[0]).sum())


def shrunk_interval(up: float, down: float, squares: float, n: float, critical: float) -> tuple[float, float]:
    """Limits of the mean of `n` differences in [-1, 1], inside [-1, 1]; `critical` is the half-width in standard errors.

    `up`: the sum of those above 0, `down`: of those below 0, without sign; `squares`: of all squares.
    Agresti and Min 2005: half an observation of +1, half of -1 and one of 0 are added, then the Wald interval; for
    differences of -1, 0 and 1 that is half a row in each cell of the two-by-two table. Where nothing points one way, the
    difference is a plain rate, and the limit on the other side is at least Wilson's: by itself the method covers 87 %
    where all of very few differences point one way.
    """
    total = up - down
    centre = total / (n + 2.0)
    half = critical * math.sqrt(squares + 1.0 - total * centre) / (n + 2.0)
    low, high = max(-1.0, centre - half), min(1.0, centre + half)
    if down == 0:
        high = max(high, score_limits(up, n, critical)[1])
    if up == 0:
        low = min(low, -score_limits(down, n, critical)[1])
    return low, high
