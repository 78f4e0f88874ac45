import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import discordant, paired_difference, unknown, wilson

rows = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 6)), min_size=1, max_size=40)


def columns(only_a: int, only_b: int, both: int, neither: int) -> tuple[list[bool], list[bool]]:
    table = [(True, False)] * only_a + [(False, True)] * only_b + [(True, True)] * both + [(False, False)] * neither
    a, b = zip(*table, strict=True)
    return list(a), list(b)


def test_agresti_min_by_hand():
    # 7 - 2 of 20: centre 5 / 22, variance (9 + 1 - 25 / 22) / 22^2
    measure = paired_difference(*columns(7, 2, 8, 3))
    half = 1.959963984540054 * math.sqrt((10 - 25 / 22) / 484)
    assert (measure.value, measure.num, measure.den, measure.n, measure.n_groups) == (0.25, 5, 20, 20, 20)
    assert (measure.low, measure.high) == pytest.approx((5 / 22 - half, 5 / 22 + half), rel=1e-15)
    assert measure.note is None


def test_where_no_row_differs_the_interval_keeps_a_width():
    measure = paired_difference(*columns(0, 0, 250, 50))
    assert (measure.value, measure.num) == (0.0, 0)
    z = 1.959963984540054
    assert measure.high == -measure.low == pytest.approx(z * z / (300 + z * z), rel=1e-15)


def test_where_all_differences_point_one_way_the_far_limit_is_at_least_wilsons():
    measure = paired_difference(*columns(3, 0, 250, 47))
    assert measure.high == wilson(3, 300)[1] and measure.low < 0.0
    assert paired_difference(*columns(0, 3, 250, 47)).low == -measure.high


def test_all_rows_one_way():
    measure = paired_difference(*columns(5, 0, 0, 0))
    assert measure.value == measure.high == 1.0 and 0.0 < measure.low < 1.0


def test_groups_that_agree_inside_count_as_rows():
    """Ten copies of each row tell no more than one, but for Student's t."""
    a, b = columns(12, 5, 60, 23)
    once = paired_difference(a, b)
    copied = paired_difference(a * 10, b * 10, list(range(100)) * 10)
    assert copied.value == once.value and copied.n_groups == 100 and copied.den == 1000
    t, z = 1.984216951586408, 1.959963984540054
    assert copied.high - copied.low == pytest.approx((once.high - once.low) * t / z, rel=0.01)


def test_groups_without_a_difference_count_as_rows():
    measure = paired_difference([True] * 275, [True] * 275, list(range(25)) * 11)
    t = 2.063898561628021
    assert measure.high == -measure.low == pytest.approx(t * t / (25 + t * t), rel=1e-12)


def test_one_group_has_no_interval_and_nothing_is_unknown():
    measure = paired_difference([True, False], [False, False], ["x", "x"])
    assert (measure.value, measure.low, measure.note) == (0.5, None, "one group: no interval")
    assert paired_difference([], []) == unknown("no rows")


def test_discordant_counts():
    assert discordant(*columns(7, 2, 8, 3)) == (7, 2)
    assert discordant([], []) == (0, 0)


def test_against_statsmodels():
    """The Wald interval of the table with half a row in each cell, from weighted statistics."""
    stats = pytest.importorskip("statsmodels.stats.weightstats", reason="oracle for Agresti-Min: no statsmodels")
    for table in [(7, 2, 8, 3), (1, 1, 150, 150), (3, 1, 296, 0), (40, 22, 200, 38)]:
        weights = np.array(table) + 0.5
        described = stats.DescrStatsW([1.0, -1.0, 0.0, 0.0], weights=weights, ddof=0)
        half = 1.959963984540054 * described.std / math.sqrt(weights.sum())
        measure = paired_difference(*columns(*table))
        assert (measure.low, measure.high) == pytest.approx((described.mean - half, described.mean + half), rel=1e-12)


def test_many_groups_against_statsmodels():
    """Where groups are many, what is added vanishes, and it is the cluster interval of a mean."""
    api = pytest.importorskip("statsmodels.api", reason="oracle for clustered differences: no statsmodels")
    rng = np.random.default_rng(11)
    groups = np.repeat(np.arange(4000), 5)
    lean = np.repeat(rng.uniform(0.2, 0.8, 4000), 5)
    a, b = rng.random(20000) < lean, rng.random(20000) < 0.5
    fit = api.OLS(a * 1.0 - b, np.ones(20000)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    measure = paired_difference(a, b, groups)
    assert (measure.low, measure.high) == pytest.approx(tuple(fit.conf_int()[0]), abs=2e-5)


@given(rows, st.randoms(use_true_random=False))
def test_invariants(table, order):
    shuffled = table.copy()
    order.shuffle(shuffled)
    for by_group in (False, True):
        a, b, groups = zip(*table, strict=True)
        measure = paired_difference(a, b, groups if by_group else None)
        a2, b2, groups2 = zip(*shuffled, strict=True)
        assert paired_difference(a2, b2, [f"g{g}" for g in groups2] if by_group else None) == measure
        other = paired_difference(b, a, groups if by_group else None)
        assert other.value == -measure.value
        if measure.low is not None:
            assert -1.0 <= measure.low <= measure.value <= measure.high <= 1.0 and measure.low < measure.high
            assert (other.low, other.high) == pytest.approx((-measure.high, -measure.low), abs=1e-15)


@settings(max_examples=30)
@given(rows, st.sampled_from([0.8, 0.9]))
def test_a_lower_level_is_narrower(table, level):
    a, b, groups = zip(*table, strict=True)
    wide, narrow = paired_difference(a, b, groups), paired_difference(a, b, groups, level)
    if wide.low is not None:
        assert wide.low <= narrow.low and narrow.high <= wide.high


@pytest.mark.parametrize(
    ("a", "b", "groups"), [([1], [1, 0], None), ([None], [1], None), ([1, 0], [1, 0], ["x", None]), ([2], [1], None)]
)
def test_impossible_columns_are_refused(a, b, groups):
    with pytest.raises(ValueError):
        paired_difference(a, b, groups)
