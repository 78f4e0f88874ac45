"""How a rate changes with every doubling of the number of options."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from dmb.metrics.cluster import groups_with_rarer
from dmb.metrics.columns import boolean_column, group_column, same_length
from dmb.metrics.measure import Measure, unknown
from dmb.metrics.quantiles import t_critical

#: So many groups at least must hold each of the two outcomes; below, 95 % limits of a slope cover 92 %.
_GROUPS_TO_TELL = 5


@dataclass(frozen=True, slots=True)
class Trend:
    """A straight line through a rate over log2 of the number of options."""

    slope: Measure
    """Change of the rate per doubling; num and den are those of the least-squares slope."""
    line: tuple[tuple[int, Measure], ...] = ()
    """(number of options, fitted rate with its band) for each size that occurs, ascending; clipped to [0, 1]."""


def log2_trend(
    n_options: Sequence[int], hits: Sequence[bool], groups: Sequence[Hashable], level: float = 0.95
) -> Trend:
    """Least-squares line of `hits` on log2(`n_options`), with limits that respect groups.

    `n_options` (n,) of whole numbers >= 1, `hits` (n,) of booleans, `groups` (n,): the question behind each row. Leave out
    rows that could not be asked (unsupported), and the line speaks of the sizes that are there.

    Standard errors are the cluster sandwich with factor G / (G - 1) * (n - 1) / (n - 2), limits Student's t with G - 1
    degrees of freedom (Liang and Zeger 1986; as statsmodels' `cov_type="cluster"`), noted as approximate where one of the
    two outcomes occurs in fewer than 5 groups (with 25 groups of 11 sizes they cover 92 to 95 %, docs/statistics.md). The line is a summary: a rate near 0 or 1 bends. Where residuals leave
    nothing to estimate from (all rows agree) there is no interval, and a note. Fewer than three rows or two sizes: the
    slope is unknown and there is no line.

    Raises ValueError for different lengths, a size below 1, and None among hits or groups.
    """
    column = boolean_column(hits, "hits")
    n = same_length(n_options=n_options, hits=column, groups=groups)
    codes, n_groups = group_column(groups, n)
    for row, size in enumerate(n_options):
        if size != int(size) or size < 1:
            raise ValueError(f"n_options of row {row} is {size!r}")
    sizes = sorted({int(size) for size in n_options})
    if n < 3 or len(sizes) < 2:
        return Trend(unknown("no rows" if n == 0 else "fewer than two sizes or three rows: no trend", n))

    x = [math.log2(size) for size in n_options]
    y = column.astype(float).tolist()
    mean_x, mean_y = math.fsum(x) / n, int(column.sum()) / n
    spread = math.fsum((xi - mean_x) ** 2 for xi in x)
    rise = math.fsum((xi - mean_x) * (yi - mean_y) for xi, yi in zip(x, y, strict=True))
    slope = rise / spread
    variances = None
    note: str | None = "one group: no interval"
    if n_groups > 1:
        variances = _sandwich(x, y, codes.tolist(), mean_x, mean_y, slope, spread)
        note = "all rows lie on the line: no interval"
    if variances is None or variances[1] <= 1e-24:
        fitted = [(size, mean_y + slope * (math.log2(size) - mean_x)) for size in sizes]
        bare = Measure(value=slope, n=n, num=rise, den=spread, n_groups=n_groups, note=note)
        return Trend(bare, tuple((size, _fit(value, None, n, n_groups, note)) for size, value in fitted))
    few = groups_with_rarer(column.tolist(), codes.tolist()) < _GROUPS_TO_TELL
    note = "approximate interval: the rarer outcome occurs in few groups" if few else None
    critical = t_critical(level, n_groups - 1)
    half = critical * math.sqrt(variances[1])
    line = []
    for size in sizes:
        u = math.log2(size) - mean_x
        error = math.sqrt(max(0.0, math.fsum((variances[0], 2.0 * u * variances[2], u * u * variances[1]))))
        line.append((size, _fit(mean_y + slope * u, critical * error, n, n_groups, note)))
    limits = {"low": slope - half, "high": slope + half}
    return Trend(Measure(value=slope, **limits, n=n, num=rise, den=spread, n_groups=n_groups, note=note), tuple(line))


def _sandwich(
    x: list[float], y: list[float], codes: list[int], mean_x: float, mean_y: float, slope: float, spread: float
) -> tuple[float, float, float]:
    """Variances of the level at mean_x and of the slope, and their covariance."""
    n = len(x)
    levels: dict[int, list[float]] = defaultdict(list)
    slopes: dict[int, list[float]] = defaultdict(list)
    for xi, yi, code in zip(x, y, codes, strict=True):
        residual = (yi - mean_y) - slope * (xi - mean_x)
        levels[code].append(residual)
        slopes[code].append((xi - mean_x) * residual)
    pairs = [(math.fsum(levels[code]) / n, math.fsum(slopes[code]) / spread) for code in levels]
    factor = len(pairs) / (len(pairs) - 1) * (n - 1) / (n - 2)
    return (
        factor * math.fsum(a * a for a, _ in pairs),
        factor * math.fsum(b * b for _, b in pairs),
        factor * math.fsum(a * b for a, b in pairs),
    )


def _fit(value: float, half: float | None, n: int, n_groups: int, note: str | None) -> Measure:
    low, high = (None, None) if half is None else (_clip(value - half), _clip(value + half))
    return Measure(value=_clip(value), low=low, high=high, n=n, n_groups=n_groups, note=note)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
