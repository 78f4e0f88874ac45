"""How times were taken: whether a time can be trusted, and shares and medians over attempts, without intervals.

Attempts share one machine and one network, so they are not drawn independently, and an interval would claim that they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from dmb.metrics.columns import boolean_column
from dmb.metrics.measure import Measure, unknown
from dmb.metrics.percentiles import percentile

LAG_MS = 10
"""A process that was kept from running for longer than this took no good time, however long the request was."""
LAG_SHARE = Decimal("0.1")
"""Nor did one that was kept from running for more than this share of the request."""


def is_lagged(lag_ms: float, request_ms: float | None) -> bool:
    """Whether the lag is above 10 ms or above 10 % of the request, both read as written; None: no whole reply came.

    Raises ValueError for a number that is negative or not finite.
    """
    for name, value in (("lag_ms", lag_ms), ("request_ms", request_ms)):
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} is {value!r}")
    if lag_ms > LAG_MS:
        return True
    # far from the edge no digit can matter
    if request_ms is None or lag_ms < request_ms / 20:
        return False
    return _as_written(lag_ms) > LAG_SHARE * _as_written(request_ms)


def _as_written(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def share(hits: Sequence[bool], empty: str) -> Measure:
    """num hits among den = n rows, without an interval; with no rows unknown, for the reason `empty`."""
    column = boolean_column(hits, "hits")
    n, num = len(column), int(column.sum())
    return Measure(value=num / n, n=n, num=num, den=n) if n else unknown(empty)


def median(values_ms: Sequence[float], empty: str) -> Measure:
    """The median by nearest rank, as `percentiles.percentile` has it, without its bound; with no rows unknown."""
    if not len(values_ms):
        return unknown(empty)
    found = percentile(values_ms, 0.5)
    return Measure(value=found.value, n=found.n)
