import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import Measure, percentile, unknown

latencies = st.lists(st.integers(0, 50).map(float) | st.floats(0, 1e6), min_size=1, max_size=400)


def test_by_hand():
    # nearest rank: ceil(0.5 * 4) = 2nd of four; P(Bin(4, 0.5) = 4) = 0.0625 > 0.05, so no bound
    assert percentile([40.0, 10.0, 30.0, 20.0], 0.5) == Measure(
        value=20.0, n=4, note="upper bound not bounded below n = 5"
    )
    # five: 0.03125 <= 0.05, so the largest bounds the median
    assert percentile([40, 10, 30, 20, 50], 0.5) == Measure(value=30.0, high=50.0, n=5)


@pytest.mark.parametrize(("p", "least"), [(0.5, 5), (0.9, 29), (0.95, 59), (0.99, 299)])
def test_where_the_bound_begins(p, least):
    short = percentile(range(1, least), p)
    assert short.high is None and short.note == f"upper bound not bounded below n = {least}"
    enough = percentile(range(1, least + 1), p)
    assert enough.high == float(least) and enough.note is None


def test_the_rank_is_taken_from_p_as_written():
    # in floats 0.55 * 100 is 55.00000000000001, whose ceiling would be 56
    assert percentile(range(1, 101), 0.55).value == 55.0
    assert percentile(range(1, 301), 0.95).value == 285.0


def test_a_tail_equal_to_the_level_is_within_it():
    # P(Bin(2, 0.5) = 2) is exactly 1 - 0.75
    assert percentile([1, 2], 0.5, level=0.75) == Measure(value=1.0, high=2.0, n=2)
    assert percentile([1], 0.5, level=0.75).note == "upper bound not bounded below n = 2"


@pytest.mark.parametrize("p", [0.5, 0.95, 0.99])
def test_bound_against_scipy(p):
    stats = pytest.importorskip("scipy.stats", reason="oracle for the binomial bound: scipy is not installed")
    for n in (299, 300, 616, 3000):
        bound = int(stats.binom.ppf(0.95, n, p)) + 1  # smallest k with P(Bin <= k - 1) >= 0.95
        assert percentile(range(1, n + 1), p).high == float(bound)


@pytest.mark.parametrize("p", [0.5, 0.95])
def test_value_against_numpy(p):
    values = np.random.default_rng(1).exponential(size=301)
    assert percentile(values, p).value == np.quantile(values, p, method="inverted_cdf")


def test_copies_of_rows_bound_no_more_tightly():
    """Groups of equal rows are worth a row each, and Student's t takes some of that."""
    once = [float(i) for i in range(1, 101)]
    alone = percentile(once, 0.5)
    copied = percentile(once * 4, 0.5, groups=list(range(100)) * 4)
    assert (copied.value, copied.n, copied.n_groups) == (alone.value, 400, 100)
    assert alone.high <= copied.high <= alone.high + 2 < 70
    assert percentile(once * 4, 0.5).high < alone.high


def test_groups_by_hand():
    # within the value 1 1 | 0 0 | 1 0 | 1 0: share 4/8, residuals 1, -1, 0, 0; variance 4/3 * 2 / 64 = 1/24 for 1/32:
    # 6 effective rows; times (1.644854 / 2.353363)^2 = 2.93, so 2, whose larger has P(Bin(2, 1/2) = 2) = 1/4
    values, groups = [1.0, 2.0, 5.0, 6.0, 3.0, 7.0, 4.0, 8.0], list("aabbccdd")
    measure = percentile(values, 0.5, groups=groups)
    assert measure == Measure(
        value=4.0,
        n=8,
        n_groups=4,
        note="no upper bound: the rows are worth 2 independent ones, and it takes 5",
    )
    # at 75 %: (0.674490 / 0.764892)^2 * 6 = 4.67, so 4, of which P(Bin(4, 1/2) >= 4) = 1/16, >= 3 5/16: k = 4 of 4
    assert percentile(values, 0.5, 0.75, groups) == Measure(value=4.0, high=8.0, n=8, n_groups=4)


def test_one_group_has_no_bound_and_single_rows_are_independent():
    assert percentile([1.0, 2.0], 0.5, groups=["x", "x"]).note == "one group: no upper bound"
    values = [float(v) for v in range(100)]
    assert percentile(values, 0.5, groups=values) == percentile(values, 0.5)


def test_nothing_is_unknown():
    assert percentile([], 0.5) == unknown("no rows")
    assert percentile([1.0, math.nan], 0.5) == unknown("value of row 1 is nan")


@pytest.mark.parametrize("values", [[1.0, None], [math.inf]])
def test_impossible_values_are_refused(values):
    with pytest.raises(ValueError, match="value of row"):
        percentile(values, 0.5)


@pytest.mark.parametrize("p", [0, 1, 95])
def test_p_is_a_share(p):
    with pytest.raises(ValueError, match="share"):
        percentile([1.0], p)


@given(latencies, st.sampled_from([0.5, 0.95, 0.99]), st.randoms(use_true_random=False))
def test_row_order_never_matters_and_the_bound_is_above(values, p, order):
    shuffled = values.copy()
    order.shuffle(shuffled)
    measure = percentile(values, p)
    assert measure == percentile(shuffled, p)
    assert measure.value in values and measure.low is None
    assert measure.high is None or measure.value <= measure.high <= max(values)
    assert sum(v <= measure.value for v in values) >= p * len(values) - 1e-9
