"""Cost per 1,000 decisions."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from decimal import Decimal

from dmb.metrics.columns import group_column
from dmb.metrics.measure import Measure, NotANumber, unknown, unknown_where_nan
from dmb.metrics.quantiles import t_critical

_COCHRAN = 25
"""So many groups per squared skewness let a normal interval of a mean cover about what it says."""


@unknown_where_nan
def cost_per_1000(
    costs_usd_by_decision: Sequence[Decimal | None],
    groups: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
) -> Measure:
    """US dollars per 1,000 decisions: num (USD, all attempts of all decisions) / den (decisions) * 1,000.

    `costs_usd_by_decision` (n,): the sum over the attempts of each decision, None where it is not known; one unknown
    makes the whole unknown, and the note counts them. The sum is exact, the value its nearest float.
    `groups` (n,) or None for one decision per group. Interval: total cost over decisions as a ratio of group totals,
    linearised, factor G / (G - 1), Student's t with G - 1 degrees of freedom, not below 0 (Cochran 1977, 6 and 9A). It
    is noted as approximate where G <= 25 times the squared skewness of the groups' deviations (Cochran's rule, 2.15): then a
    few of them carry much of the cost, and neither this nor a bootstrap covers what it says; elsewhere 95 % limits cover
    94 to 95 % (docs/statistics.md). No interval, and a note, when all
    costs are zero, when there is one group, or when every decision costs the same. No rows, or a NaN: unknown.

    Raises TypeError for a cost that is no Decimal or int, and ValueError for one that is negative or infinite.
    """
    known = [_checked(row, cost) for row, cost in enumerate(costs_usd_by_decision) if cost is not None]
    n = len(costs_usd_by_decision)
    codes, n_groups = group_column(groups, n)
    if n == 0:
        return unknown("no rows")
    if len(known) < n:
        return unknown(f"unknown cost for {n - len(known)} of {n} decisions", n)

    # in whole numbers of 1/unit US dollars: as exact as fractions, and much quicker
    unit = math.lcm(*(denominator for _, denominator in known))
    totals, sizes = [0] * n_groups, [0] * n_groups
    for group, (numerator, denominator) in zip(codes.tolist(), known, strict=True):
        totals[group] += numerator * (unit // denominator)
        sizes[group] += 1
    total = sum(totals)
    value = total * 1000 / (n * unit)
    low = high = note = None
    # of each group's total from what its decisions would cost at the mean, in 1/(n * unit)
    deviations = [n * total_of - total * size for total_of, size in zip(totals, sizes, strict=True)]
    if total == 0:
        note = "no cost: no interval"
    elif n_groups == 1:
        note = "one group: no interval"
    elif not any(deviations):
        note = "every decision costs the same: no interval"
    else:
        squares = sum(d * d for d in deviations)
        error = math.sqrt(squares * n_groups / ((n_groups - 1) * (n * unit) ** 2)) / n * 1000.0
        half = t_critical(level, n_groups - 1) * error
        low, high = max(0.0, value - half), value + half
        # n_groups <= 25 * skewness**2
        cubes = sum(d**3 for d in deviations)
        if squares**3 <= _COCHRAN * cubes * cubes:
            note = "approximate interval: a few decisions carry much of the cost"
    return Measure(value=value, low=low, high=high, n=n, num=total / unit, den=n, n_groups=n_groups, note=note)


def _checked(row: int, cost: Decimal | int) -> tuple[int, int]:
    """The cost as a fraction in lowest terms."""
    if isinstance(cost, bool) or not isinstance(cost, (Decimal, int)):
        raise TypeError(f"cost of row {row} must be a Decimal, got {cost!r}")
    exact = Decimal(cost)
    if exact.is_nan():
        raise NotANumber(f"cost of row {row} is nan")
    if not exact.is_finite() or exact < 0:
        raise ValueError(f"cost of row {row} is {cost!r}")
    return exact.as_integer_ratio()
