"""The difference between two contenders, or two ways of asking, on the same rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from dmb.metrics.columns import boolean_column, group_column, same_length
from dmb.metrics.measure import Measure, unknown
from dmb.metrics.quantiles import normal_critical, t_critical


def paired_difference(
    a: Sequence[bool], b: Sequence[bool], groups: Sequence[Hashable] | None = None, level: float = 0.95
) -> Measure:
    """Share of true rows of `a` minus that of `b`: num = rows true in `a` only minus rows true in `b` only, den = n.

    `a`, `b` (n,) of booleans, row i of both is the same item; `groups` (n,) or None for one row per group.

    Where every group has one row: Agresti and Min 2005 (half a row is added to each cell of the two-by-two table, then
    the Wald interval). Unlike a bootstrap it keeps a width when hardly any or no row differs. Otherwise the same with
    the effective number of rows n / deff, where deff is the variance over groups (factor G / (G - 1)) over that of
    independent rows, at least 1, and Student's t with G - 1 degrees of freedom (the effective sample size of Korn and
    Graubard 1998, taken to differences). Where no row differs, or all differ alike, an effective row is a group.
    Limits are clipped to [-1, 1] and lie around the value. One group of several rows: no interval and a note.
    No rows: unknown.

    Raises ValueError for different lengths, and for None among rows or groups.
    """
    columns = boolean_column(a, "a"), boolean_column(b, "b")
    n = same_length(a=columns[0], b=columns[1])
    codes, n_groups = group_column(groups, n)
    if n == 0:
        return unknown("no rows")
    differences = columns[0].astype(np.int64) - columns[1]
    num, n_differing = int(differences.sum()), int(np.abs(differences).sum())
    value = num / n
    limits: tuple[float, float] | None
    note = None
    if n_groups == n:
        limits = shrunk_interval(num, n_differing, n, normal_critical(level))
    elif n_groups == 1:
        limits, note = None, "one group: no interval"
    else:
        effective = _effective_rows(differences, codes, n_groups)
        share = effective / n
        limits = shrunk_interval(num * share, n_differing * share, effective, t_critical(level, n_groups - 1))
    low, high = (min(limits[0], value), max(limits[1], value)) if limits else (None, None)
    return Measure(value=value, low=low, high=high, n=n, num=num, den=n, n_groups=n_groups, note=note)


def discordant(a: Sequence[bool], b: Sequence[bool]) -> tuple[int, int]:
    """(rows true in `a` only, rows true in `b` only), what McNemar's test looks at. Columns as in `paired_difference`."""
    columns = boolean_column(a, "a"), boolean_column(b, "b")
    same_length(a=columns[0], b=columns[1])
    return int((columns[0] & ~columns[1]).sum()), int((columns[1] & ~columns[0]).sum())


def shrunk_interval(total: float, squares: float, n: float, critical: float) -> tuple[float, float]:
    """Agresti and Min's limits of a mean difference, clipped to [-1, 1].

    `total` and `squares`: sum and sum of squares of `n` differences, each in [-1, 1]. Half an observation of +1, half
    of -1 and one of 0 are added, which for differences of -1, 0 and 1 is half a row in each cell of the table; for
    fractions it is the same rule. `critical`: half-width in standard errors.
    """
    centre = total / (n + 2.0)
    variance = (squares + 1.0 - total * centre) / (n + 2.0) ** 2
    half = critical * math.sqrt(variance)
    return max(-1.0, centre - half), min(1.0, centre + half)


def _effective_rows(differences: NDArray[np.int64], codes: NDArray[np.int64], n_groups: int) -> float:
    """How many independent rows would tell as much, at most n. Sums of whole numbers, so row order is nothing."""
    n, total, squares = len(differences), int(differences.sum()), int((differences * differences).sum())
    by_row = n * squares - total * total
    if by_row == 0:
        return float(n_groups)
    sums = np.bincount(codes, weights=differences, minlength=n_groups).astype(np.int64)
    sizes = np.bincount(codes, minlength=n_groups)
    residuals = (n * sums - total * sizes).tolist()
    by_group = sum(residual * residual for residual in residuals) * n_groups / (n_groups - 1) / n
    return n * by_row / max(by_row, by_group)
