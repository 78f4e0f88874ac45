import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import Trend, log2_trend, unknown

SWEEP = [2, 8, 32, 64, 128, 192, 254, 255, 256, 384, 512]
rows = st.lists(st.tuples(st.sampled_from([2, 4, 8, 255]), st.booleans(), st.integers(0, 4)), max_size=30)


def test_slope_by_hand():
    # one doubling, rates 3/4 and 1/4; two groups whose residual sums are +-1/2 at either end
    trend = log2_trend([2] * 4 + [4] * 4, [1, 1, 1, 0, 0, 0, 0, 1], list("xxyyxxyy"))
    slope = trend.slope
    assert (slope.value, slope.num, slope.den, slope.n, slope.n_groups) == (-0.5, -1.0, 2.0, 8, 2)
    # slope part of x: (-1/2 * 1/2 + 1/2 * -1/2) / 2 = -1/4, of y +1/4; factor 2 / 1 * 7 / 6
    half = 12.706204736174694 * math.sqrt(2 * 7 / 6 * (1 / 16 + 1 / 16))
    assert (slope.low, slope.high) == pytest.approx((-0.5 - half, -0.5 + half), rel=1e-12)
    assert [(size, m.value) for size, m in trend.line] == [(2, 0.75), (4, 0.25)]


def test_against_statsmodels():
    api = pytest.importorskip("statsmodels.api", reason="oracle for the trend: no statsmodels")
    rng = np.random.default_rng(8)
    groups, sizes = np.repeat(np.arange(25), 11), np.tile(SWEEP, 25)
    easy = np.repeat(rng.normal(0, 0.2, 25), 11)
    hits = rng.random(275) < 0.95 - 0.06 * np.log2(sizes) + easy
    keep = rng.random(275) < 0.9  # sizes that could not be asked
    groups, sizes, hits = groups[keep], sizes[keep], hits[keep]
    design = api.add_constant(np.log2(sizes))
    fit = api.OLS(hits * 1.0, design).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    trend = log2_trend(sizes, hits, groups)
    assert trend.slope.value == pytest.approx(fit.params[1], rel=1e-10)
    assert (trend.slope.low, trend.slope.high) == pytest.approx(tuple(fit.conf_int()[1]), rel=1e-9)
    at = api.add_constant(np.log2(SWEEP))
    errors = np.sqrt(np.einsum("ij,jk,ik->i", at, fit.cov_params(), at))
    half = (trend.slope.high - trend.slope.value) / fit.bse[1] * errors
    for size, (named, measure), fitted, h in zip(SWEEP, trend.line, at @ fit.params, half, strict=True):
        assert named == size
        clipped = [min(1.0, max(0.0, x)) for x in (fitted, fitted - h, fitted + h)]
        assert [measure.value, measure.low, measure.high] == pytest.approx(clipped, rel=1e-9)


def test_rows_that_all_agree_have_no_interval():
    trend = log2_trend([2, 4, 2, 4], [1, 1, 1, 1], list("xxyy"))
    assert (trend.slope.value, trend.slope.low) == (0.0, None)
    assert trend.slope.note == "all rows lie on the line: no interval"
    assert [(m.value, m.low) for _, m in trend.line] == [(1.0, None), (1.0, None)]
    assert log2_trend([2, 4, 8], [1, 0, 0], list("xxx")).slope.note == "one group: no interval"


def test_an_outcome_in_few_groups_is_marked():
    for n_groups, marked in [(4, True), (5, False)]:
        hits = [size == 512 or group >= n_groups for group in range(25) for size in SWEEP]
        slope = log2_trend(SWEEP * 25, hits, np.repeat(np.arange(25), 11)).slope
        assert ("approximate" in (slope.note or "")) is marked and slope.low < slope.value < slope.high


def test_too_little_is_unknown():
    assert log2_trend([], [], []) == Trend(unknown("no rows"))
    assert log2_trend([2, 2, 2], [1, 0, 1], list("xyz")).slope.value is None
    assert log2_trend([2, 4], [1, 0], list("xy")) == Trend(unknown("fewer than two sizes or three rows: no trend", 2))


@given(rows, st.randoms(use_true_random=False))
def test_row_order_never_matters_and_bands_hold_the_line(table, order):
    shuffled = table.copy()
    order.shuffle(shuffled)
    trend = log2_trend(*(list(c) for c in zip(*table, strict=True))) if table else log2_trend([], [], [])
    if table:
        assert log2_trend(*(list(c) for c in zip(*shuffled, strict=True))) == trend
    for _, measure in trend.line:
        assert 0.0 <= measure.value <= 1.0
        assert measure.low is None or measure.low <= measure.value <= measure.high


@pytest.mark.parametrize(
    ("sizes", "hits", "groups"),
    [
        ([0, 2], [1, 0], ["x", "y"]),
        ([2, 4], [1], ["x", "y"]),
        ([2, 4], [1, None], ["x", "y"]),
        ([2, 4], [1, 0], ["x", None]),
    ],
)
def test_impossible_columns_are_refused(sizes, hits, groups):
    with pytest.raises(ValueError):
        log2_trend(sizes, hits, groups)
