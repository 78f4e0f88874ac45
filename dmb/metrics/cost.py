"""Cost per 1,000 decisions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from dmb.metrics.columns import group_column
from dmb.metrics.measure import Measure, NotANumber, unknown, unknown_where_nan
from dmb.metrics.resampling import RESAMPLES, basic_interval, resampled_sums


@unknown_where_nan
def cost_per_1000(
    costs_usd_by_decision: Sequence[Decimal | None],
    groups: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Measure:
    """US dollars per 1,000 decisions: num (USD, all attempts of all decisions) / den (decisions) * 1,000.

    `costs_usd_by_decision` (n,): the sum over the attempts of each decision, None where it is not known; one unknown
    makes the whole unknown, and the note counts them. The sum is exact, the value its nearest float.
    `groups` (n,) or None for one decision per group. Interval: groups resampled (splitmix64 from `seed`), total cost
    over decisions, basic interval, not below 0. No interval, and a note, when all costs are zero, when there is one
    group, or when no resample differs (every decision costs the same). No rows, or a NaN: unknown.

    Raises TypeError for a cost that is no Decimal or int, and ValueError for one that is negative or infinite.
    """
    known: list[Decimal] = []
    for row, cost in enumerate(costs_usd_by_decision):
        if cost is None:
            continue
        if isinstance(cost, bool) or not isinstance(cost, (Decimal, int)):
            raise TypeError(f"cost of row {row} must be a Decimal, got {cost!r}")
        if Decimal(cost).is_nan():
            raise NotANumber(f"cost of row {row} is nan")
        if not Decimal(cost).is_finite() or cost < 0:
            raise ValueError(f"cost of row {row} is {cost!r}")
        known.append(Decimal(cost))
    n = len(costs_usd_by_decision)
    codes, n_groups = group_column(groups, n)
    if n == 0:
        return unknown("no rows")
    if len(known) < n:
        return unknown(f"unknown cost for {n - len(known)} of {n} decisions", n)

    totals, sizes = [Fraction(0)] * n_groups, [0] * n_groups
    for group, cost in zip(codes.tolist(), known, strict=True):
        totals[group] += Fraction(cost)
        sizes[group] += 1
    total = sum(totals, Fraction(0))
    value = float(total * 1000 / n)
    limits: tuple[float, float] | None = None
    note: str | None = None
    if total == 0:
        note = "no cost: no interval"
    elif n_groups == 1:
        note = "one group: no interval"
    else:
        table = np.array([[float(total), size] for total, size in zip(totals, sizes, strict=True)])
        sums = resampled_sums(table, seed, resamples)
        limits = basic_interval(value, sums[:, 0] / sums[:, 1] * 1000.0, level, least=0.0)
        note = "no resample differs: no interval" if limits is None else None
    low, high = limits or (None, None)
    return Measure(value=value, low=low, high=high, n=n, num=float(total), den=n, n_groups=n_groups, note=note)
