import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import wilson

counts = st.integers(1, 5000).flatmap(lambda den: st.tuples(st.integers(0, den), st.just(den)))


def test_by_hand():
    # z = 1.959964, z^2 = 3.841459; centre (0.8 + 3.841459/20) / 1.3841459, half sqrt(0.016 + 3.841459/400) * z / 1.3841459
    low, high = wilson(8, 10)
    assert (round(low, 6), round(high, 6)) == (0.490162, 0.943318)


def test_exact_at_both_ends():
    low, high = wilson(0, 25)
    assert low == 0.0 and high == pytest.approx(3.841458820694124 / 28.841458820694124, rel=1e-12)
    low, high = wilson(25, 25)
    assert high == 1.0 and low == pytest.approx(25 / 28.841458820694124, rel=1e-12)


@pytest.mark.parametrize(("num", "den"), [(0, 0), (-1, 5), (6, 5), (math.nan, 5)])
def test_impossible_counts_are_refused(num, den):
    with pytest.raises(ValueError):
        wilson(num, den)


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_impossible_levels_are_refused(level):
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, level)


@given(counts)
def test_inside_bounds_around_the_rate_and_mirrored(count):
    num, den = count
    low, high = wilson(num, den)
    assert 0.0 <= low <= num / den <= high <= 1.0
    mirrored = wilson(den - num, den)
    assert (1.0 - high, 1.0 - low) == pytest.approx(mirrored, abs=1e-12)


@given(counts)
def test_wider_at_a_higher_level(count):
    low, high = wilson(*count)
    wide_low, wide_high = wilson(*count, level=0.99)
    assert wide_low <= low and high <= wide_high


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_against_statsmodels(level):
    proportion = pytest.importorskip(
        "statsmodels.stats.proportion", reason="oracle for Wilson: statsmodels is not installed"
    )
    for num, den in [(0, 1), (1, 1), (1, 7), (150, 300), (299, 300), (300, 300), (4999, 5000)]:
        expected = proportion.proportion_confint(num, den, alpha=1 - level, method="wilson")
        assert wilson(num, den, level) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("p", [0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99])
def test_coverage_at_300_rows(p):
    """Exact coverage, not simulated: the probability of every count whose interval holds p."""
    log_p, log_q = math.log(p), math.log1p(-p)
    covered = []
    for k in range(301):
        low, high = wilson(k, 300)
        if low <= p <= high:
            log_choose = math.lgamma(301) - math.lgamma(k + 1) - math.lgamma(301 - k)
            covered.append(math.exp(log_choose + k * log_p + (300 - k) * log_q))
    assert 0.93 <= math.fsum(covered) <= 0.98
