"""What can be summed up over all outcomes, with no draws: rates, pairs of independent rows, bounds of percentiles, power."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dmb.metrics import mcnemar_exact, normal_quantile, percentile, wilson
from dmb.metrics.paired import shrunk_interval

#: Outcomes rarer than this are left out.
_RARE = 1e-9


def binomial(n: int, p: float) -> NDArray[np.float64]:
    """Probability of each count from 0 to n."""
    k = np.arange(n + 1)
    ways = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(n + 1)])
    return np.exp(ways + k * math.log(p) + (n - k) * math.log1p(-p))


@cache
def _wilson(n: int) -> NDArray[np.float64]:
    return np.array([wilson(k, n) for k in range(n + 1)])


def wilson_coverage(n: int, rate: float) -> float:
    """How often Wilson's interval of n independent rows holds a true rate."""
    limits = _wilson(n)
    return float(binomial(n, rate)[(limits[:, 0] <= rate) & (rate <= limits[:, 1])].sum())


def least_wilson_coverage(n: int, rates: NDArray[np.float64]) -> tuple[float, float]:
    """(coverage, rate) where it is lowest among those rates."""
    return min((wilson_coverage(n, rate), rate) for rate in rates.tolist())


@cache
def _pair_limits(up: int, down: int, n: int) -> tuple[float, float]:
    return shrunk_interval(up, down, up + down, n, normal_quantile(0.975))


def _outcomes(n: int, up: float, down: float) -> list[tuple[int, int, float]]:
    """(rows right in a only, in b only, probability) of n independent rows."""
    out = []
    for i, p in enumerate(binomial(n, up).tolist()):
        if p > _RARE:
            rest = binomial(n - i, down / (1.0 - up)) if down else np.ones(1)
            out += [(i, j, p * q) for j, q in enumerate(rest.tolist()) if p * q > _RARE]
    return out


def pair_coverage(n: int, up: float, down: float) -> float:
    """How often the interval holds the true difference up - down of n independent pairs."""
    held = 0.0
    for i, j, probability in _outcomes(n, up, down):
        low, high = _pair_limits(i, j, n)
        held += probability * (low <= up - down <= high)
    return held


@cache
def _p(only_a: int, only_b: int) -> float:
    return mcnemar_exact(only_a, only_b)


def power(n: int, up: float, down: float, n_tests: int) -> float:
    """How often a difference is found among so many tests, whatever the others come to: Holm's first step."""
    return sum(p for i, j, p in _outcomes(n, up, down) if i > j and _p(i, j) * n_tests <= 0.05)


def bound_coverage(n: int, share: float) -> float | None:
    """How often the upper bound of a percentile holds it, for any continuous distribution; None where there is no bound."""
    bound = percentile(range(1, n + 1), share).high
    return None if bound is None else float(binomial(n, share)[: int(bound)].sum())
