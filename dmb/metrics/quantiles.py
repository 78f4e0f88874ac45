"""Quantiles of the normal and of Student's t distribution, without scipy."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_LARGE_DF = 5_000
"""From here the expansion in 1/df is good to 1e-14, while log-gamma starts to lose digits."""


def normal_quantile(p: float) -> float:
    """The z with P(Z <= z) = p for a standard normal Z. Raises ValueError unless 0 < p < 1."""
    if not 0.0 < p < 1.0:
        raise ValueError(f"p must lie between 0 and 1, got {p!r}")
    return NormalDist().inv_cdf(p)


@lru_cache(maxsize=4096)
def t_quantile(p: float, df: float) -> float:
    """The t with P(T <= t) = p for Student's T with `df` degrees of freedom.

    The tail is a regularised incomplete beta function by its continued fraction (Lentz; Numerical Recipes 6.4),
    inverted by bisection; from 5,000 degrees on by the expansion in 1/df (Abramowitz and Stegun 26.7.5).
    Within 1e-10 of scipy. Raises ValueError unless 0 < p < 1 and df > 0.
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"p must lie between 0 and 1, got {p!r}")
    if not (df > 0.0 and math.isfinite(df)):
        raise ValueError(f"degrees of freedom must be positive, got {df!r}")
    if p == 0.5:
        return 0.0
    if df >= _LARGE_DF:
        return _expansion(normal_quantile(p), df)
    return math.copysign(_invert_tail(min(p, 1.0 - p), df), p - 0.5)


def normal_critical(level: float) -> float:
    """Half-width, in standard errors, of a two-sided normal interval at `level`, e.g. 1.96 for 0.95."""
    return normal_quantile(upper_share(level))


def t_critical(level: float, df: float) -> float:
    """Half-width, in standard errors, of a two-sided t interval at `level`."""
    return t_quantile(upper_share(level), df)


def upper_share(level: float) -> float:
    """The share below the upper limit of a two-sided interval: 0.975 for 0.95. ValueError unless 0 < level < 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    return 0.5 + level / 2.0


def _invert_tail(tail: float, df: float) -> float:
    """The t > 0 with P(T > t) = tail < 0.5, by bisection down to neighbouring floats."""
    low, high = 0.0, 1.0
    while _upper_tail(high, df) > tail:
        low, high = high, high * 2.0
    while True:
        middle = (low + high) / 2.0
        if middle in (low, high):
            return middle
        if _upper_tail(middle, df) > tail:
            low = middle
        else:
            high = middle


def _upper_tail(t: float, df: float) -> float:
    """P(T > t) for t >= 0: half the regularised incomplete beta I_x(df/2, 1/2) at x = df / (df + t^2)."""
    square = t * t
    x, rest = df / (df + square), square / (df + square)
    a, b = df / 2.0, 0.5
    if rest == 0.0 or x == 0.0:
        return 0.5 if rest == 0.0 else 0.0
    log_x = math.log1p(-rest) if rest < 0.5 else math.log(x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * log_x + b * math.log(rest))
    if x < (a + 1.0) / (a + b + 2.0):
        return 0.5 * front * _beta_fraction(a, b, x) / a
    return 0.5 * (1.0 - front * _beta_fraction(b, a, rest) / b)


def _beta_fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    fraction = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            fraction *= step
        if abs(step - 1.0) < 1e-16:
            return fraction
    raise ArithmeticError(f"incomplete beta fraction did not converge at a={a}, b={b}, x={x}")


def _expansion(z: float, df: float) -> float:
    terms = (
        (z**3 + z) / 4.0,
        (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0,
        (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0,
        (79.0 * z**9 + 776.0 * z**7 + 1482.0 * z**5 - 1920.0 * z**3 - 945.0 * z) / 92160.0,
    )
    return z + math.fsum(term / df**power for power, term in enumerate(terms, start=1))
