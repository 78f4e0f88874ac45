"""Wilson's score interval for a rate over independent rows."""

from __future__ import annotations

import math

from dmb.metrics.quantiles import normal_critical


def wilson(num: float, den: float, level: float = 0.95) -> tuple[float, float]:
    """Limits (low, high) of the rate `num / den`, inside [0, 1] and around the rate itself.

    Wilson 1927, without continuity correction. At `num == 0` low is 0.0 and at `num == den` high is 1.0, exactly.
    A fractional `num` is allowed (a rate measured on `den` independent groups).
    From 100 rows on, 95 % limits cover 93 to 97 % at rates of 50 to 95 %, at 25 rows 92 to 97 % (docs/statistics.md).

    Raises ValueError unless den > 0, 0 <= num <= den and 0 < level < 1.
    """
    if not den > 0:
        raise ValueError(f"a rate needs a positive denominator, got {den!r}")
    if not 0 <= num <= den:
        raise ValueError(f"numerator {num!r} is outside 0 to {den!r}")
    return score_limits(float(num), float(den), normal_critical(level))


def score_limits(num: float, den: float, critical: float) -> tuple[float, float]:
    """Wilson's limits for a half-width of `critical` standard errors; `num` and `den` checked, fractions allowed."""
    z, rate = critical, num / den
    shrink = 1.0 + z * z / den
    centre = (rate + z * z / (2.0 * den)) / shrink
    half = z * math.sqrt(rate * (1.0 - rate) / den + z * z / (4.0 * den * den)) / shrink
    low = 0.0 if num == 0 else max(0.0, min(centre - half, rate))
    high = 1.0 if num == den else min(1.0, max(centre + half, rate))
    return low, high
