"""A rate with the interval that fits how its rows are grouped."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from dmb.metrics.cluster import GROUPS_TO_TELL, cluster_interval, groups_with_rarer
from dmb.metrics.columns import boolean_column, group_column
from dmb.metrics.measure import Measure, unknown
from dmb.metrics.wilson import wilson


def rate(hits: Sequence[bool], groups: Sequence[Hashable] | None = None, level: float = 0.95) -> Measure:
    """Share of true rows: value = num / den, with num hits among den = n rows.

    `hits` (n,) of booleans; `groups` (n,) or None, which means that every row is its own group.
    Wilson's interval where every group has one row, the cluster interval otherwise; one group of several rows has
    no interval and a note. The cluster interval is noted as approximate where one of the two outcomes occurs, but in
    fewer than 4 groups. No rows: unknown.

    Raises ValueError for a hit that is None, a group that is None, or different lengths.
    """
    column = boolean_column(hits, "hits")
    codes, n_groups = group_column(groups, len(column))
    n, num = len(column), int(column.sum())
    if n == 0:
        return unknown("no rows")
    note = None
    low: float | None
    high: float | None
    if n_groups == n:
        low, high = wilson(num, n, level)
    else:
        low, high = cluster_interval(column.tolist(), codes.tolist(), level)
        note = "one group: no interval" if low is None else _note(groups_with_rarer(column.tolist(), codes.tolist()))
    return Measure(value=num / n, low=low, high=high, n=n, num=num, den=n, n_groups=n_groups, note=note)


def _note(n_groups: int) -> str | None:
    if not 0 < n_groups < GROUPS_TO_TELL:
        return None
    return f"approximate interval: the rarer outcome occurs in {n_groups} group{'s'[: n_groups > 1]} only"
