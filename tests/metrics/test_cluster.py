import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import cluster_interval, wilson

grouped_rows = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=60)


def wilson_by_statsmodels(rate: float, variance: float, n: int, df: int) -> tuple[float, float]:
    """Wilson's interval of as many rows as that variance of a rate is worth, at Student's t."""
    stats = pytest.importorskip("scipy.stats", reason="oracle for the t quantile: scipy is not installed")
    proportion = pytest.importorskip("statsmodels.stats.proportion", reason="oracle for Wilson: no statsmodels")
    rows = min(n, rate * (1 - rate) / variance)
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, df))
    return proportion.proportion_confint(rate * rows, rows, alpha=alpha, method="wilson")


def test_by_hand():
    # totals 2/2, 1/2, 1/3, 0/1: rate 4/8; residuals 1, 0, -0.5, -0.5; squares 1.5; variance 4/3 * 1.5 / 64 = 1/32, the
    # same as that of 8 independent rows; t(3) = 3.182446
    values = [1, 1, 1, 0, 1, 0, 0, 0]
    groups = ["a", "a", "b", "b", "c", "c", "c", "d"]
    z = 3.182446305284263
    half = z * math.sqrt(0.25 / 8 + z * z / 256) / (1 + z * z / 8)
    assert cluster_interval(values, groups) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-12)


def test_rows_less_alike_than_chance_count_as_independent():
    # every group has one hit of two, but for one with none: deff would be far below 1
    values, groups = [0, 1] * 20 + [0, 0], [i // 2 for i in range(42)]
    z = 2.0859634472658364  # t(20)
    half = z * math.sqrt(20 / 42 * 22 / 42 / 42 + z * z / (4 * 42 * 42)) / (1 + z * z / 42)
    centre = (20 / 42 + z * z / 84) / (1 + z * z / 42)
    assert cluster_interval(values, groups) == pytest.approx((centre - half, centre + half), rel=1e-12)


def test_one_group_has_no_limits():
    assert cluster_interval([1, 0, 1], ["a", "a", "a"]) == (None, None)


def test_agreeing_groups_count_once_each():
    groups = [i // 11 for i in range(275)]
    low, high = cluster_interval([1] * 275, groups)
    assert high == 1.0 and low == pytest.approx(0.025 ** (1 / 25), rel=1e-12)
    low, high = cluster_interval([0] * 275, groups)
    assert low == 0.0 and high == pytest.approx(1 - 0.025 ** (1 / 25), rel=1e-12)
    assert cluster_interval([0, 1] * 10, [i // 2 for i in range(20)]) == wilson(5, 10)


def test_agreeing_limits_against_scipy():
    stats = pytest.importorskip("scipy.stats", reason="oracle for Clopper-Pearson: scipy is not installed")
    exact = stats.binomtest(25, 25).proportion_ci(method="exact")
    assert cluster_interval([1] * 50, [i // 2 for i in range(50)]) == pytest.approx((exact.low, exact.high), abs=1e-12)


def test_groups_of_one_size_against_their_means():
    stats = pytest.importorskip("scipy.stats", reason="oracle for the standard error: scipy is not installed")
    rng = np.random.default_rng(3)
    values = rng.random((25, 11)) < rng.beta(4, 4, size=(25, 1))
    means = values.mean(axis=1)
    expected = wilson_by_statsmodels(means.mean(), stats.sem(means) ** 2, 275, 24)
    groups = np.repeat(np.arange(25), 11)
    assert cluster_interval(values.ravel().tolist(), groups.tolist()) == pytest.approx(expected, rel=1e-10)


def test_unequal_groups_against_statsmodels():
    """An intercept-only regression with cluster-robust errors has the variance of the ratio estimator, but for its
    small-sample factor, which also has (n - 1) / (n - 1) = 1 for one parameter."""
    api = pytest.importorskip("statsmodels.api", reason="oracle for cluster errors: statsmodels is not installed")
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 12, size=90)
    values = (rng.random(90) < 0.1 + 0.07 * groups).astype(float)
    fit = api.OLS(values, np.ones(90)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    expected = wilson_by_statsmodels(values.mean(), fit.bse[0] ** 2, 90, len(set(groups.tolist())) - 1)
    assert cluster_interval(values.tolist(), groups.tolist()) == pytest.approx(expected, rel=1e-10)


@given(grouped_rows, st.randoms(use_true_random=False))
def test_row_order_never_matters(rows, order: random.Random):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    interval = cluster_interval(*zip(*rows, strict=True))
    assert interval == cluster_interval(*zip(*shuffled, strict=True))
    renamed = [(value, f"group {9 - group}") for value, group in rows]
    assert interval == cluster_interval(*zip(*renamed, strict=True))


@given(grouped_rows)
def test_inside_bounds_and_around_the_rate(rows):
    values, groups = zip(*rows, strict=True)
    low, high = cluster_interval(values, groups)
    if low is not None:
        assert 0.0 <= low <= sum(values) / len(values) <= high <= 1.0


@pytest.mark.parametrize(
    ("values", "groups"), [([], []), ([1], ["a", "b"]), ([0.5, 0], ["a", "b"]), ([math.nan, 0], ["a", "b"])]
)
def test_impossible_columns_are_refused(values, groups):
    with pytest.raises(ValueError):
        cluster_interval(values, groups)
