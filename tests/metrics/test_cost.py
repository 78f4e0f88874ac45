import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import Measure, cost_per_1000, unknown

costs = st.lists(
    st.tuples(st.integers(0, 10**9).map(lambda nano: Decimal(nano).scaleb(-9)), st.integers(0, 5)),
    min_size=1,
    max_size=30,
)


def test_by_hand():
    measure = cost_per_1000([Decimal("0.001"), Decimal("0.002"), Decimal("0.006"), Decimal("0")])
    assert (measure.value, measure.num, measure.den, measure.n, measure.n_groups) == (2.25, 0.009, 4, 4, 4)
    # deviations -1.25, -0.25, 3.75, -2.25 of a thousandth; t(3) = 3.182446
    half = 3.182446305284263 * math.sqrt(4 / 3 * 20.75) / 4
    assert (measure.low, measure.high) == (0.0, pytest.approx(2.25 + half, rel=1e-12))


def test_the_sum_is_exact():
    assert cost_per_1000([Decimal("0.1")] * 10).num == 1.0
    assert cost_per_1000([Decimal("1e20"), Decimal("1e-20"), Decimal(0)]).den == 3


def test_one_unknown_makes_all_unknown():
    assert cost_per_1000([Decimal(1), None, None]) == unknown("unknown cost for 2 of 3 decisions", 3)


def test_free_is_zero_without_an_interval():
    assert cost_per_1000([Decimal(0)] * 3) == Measure(
        value=0.0, n=3, num=0.0, den=3, n_groups=3, note="no cost: no interval"
    )


def test_equal_costs_have_no_interval():
    measure = cost_per_1000([Decimal("0.0003")] * 7)
    assert (measure.value, measure.low, measure.note) == (0.3, None, "every decision costs the same: no interval")


def test_one_group_has_no_interval():
    assert cost_per_1000([Decimal(1), Decimal(2)], ["x", "x"]).note == "one group: no interval"


def test_nothing_is_unknown():
    assert cost_per_1000([]) == unknown("no rows")
    assert cost_per_1000([Decimal(1), Decimal("NaN")]) == unknown("cost of row 1 is nan")


@pytest.mark.parametrize("cost", [Decimal(-1), Decimal("Infinity")])
def test_impossible_costs_are_refused(cost):
    with pytest.raises(ValueError, match="cost of row 0"):
        cost_per_1000([cost])


@pytest.mark.parametrize("cost", [0.1, "0.1", True])
def test_money_is_decimal(cost):
    with pytest.raises(TypeError, match="Decimal"):
        cost_per_1000([cost])


def test_skewed_costs_are_marked():
    """Skewness of one in G: (G - 2) / sqrt(G - 1), so by Cochran's rule always; of a half and a half: 0."""
    note = "approximate interval: a few decisions carry much of the cost"
    assert cost_per_1000([Decimal(1)] * 299 + [Decimal(40)]).note == note
    assert cost_per_1000([Decimal(1)] * 150 + [Decimal(40)] * 150).note is None


def test_against_scipy():
    stats = pytest.importorskip("scipy.stats", reason="oracle for the t interval: scipy is not installed")
    costs = [Decimal(i * i % 97 + 1).scaleb(-6) for i in range(60)]
    measure = cost_per_1000(costs)
    column = [float(cost) * 1000 for cost in costs]
    expected = stats.t.interval(0.95, 59, loc=sum(column) / 60, scale=stats.sem(column))
    assert (measure.low, measure.high) == pytest.approx(expected, rel=1e-12)


def test_groups_against_statsmodels():
    api = pytest.importorskip("statsmodels.api", reason="oracle for cluster errors: statsmodels is not installed")
    costs, groups = [i * 7 % 31 + i % 5 * 10 for i in range(90)], [i * i % 13 for i in range(90)]
    fit = api.OLS(costs, [1] * 90).fit(cov_type="cluster", cov_kwds={"groups": np.array(groups)}, use_t=True)
    measure = cost_per_1000([Decimal(cost) for cost in costs], groups)
    assert (measure.low, measure.high) == pytest.approx(tuple(1000 * fit.conf_int()[0]), rel=1e-10)


def test_grouped_rows_widen_the_interval():
    each = [Decimal(i % 10 + 1) for i in range(100)]
    apart = cost_per_1000(each)
    together = cost_per_1000(each, [i % 10 for i in range(100)])
    assert together.high - together.low > 2 * (apart.high - apart.low)


@settings(max_examples=40)
@given(costs, st.randoms(use_true_random=False))
def test_row_order_never_matters_and_the_value_is_inside(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    measure = cost_per_1000(*zip(*rows, strict=True))
    assert measure == cost_per_1000(*zip(*shuffled, strict=True))
    total = sum(cost for cost, _ in rows)
    assert measure.value == pytest.approx(float(total) * 1000 / len(rows), rel=1e-14)
    assert measure.low is None or 0.0 <= measure.low <= measure.value <= measure.high
