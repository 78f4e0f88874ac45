from decimal import Decimal

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
    assert 0.0 <= measure.low < 2.25 < measure.high


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
    assert (measure.value, measure.low, measure.note) == (0.3, None, "no resample differs: no interval")


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
    measure = cost_per_1000(*zip(*rows, strict=True), resamples=200)
    assert measure == cost_per_1000(*zip(*shuffled, strict=True), resamples=200)
    total = sum(cost for cost, _ in rows)
    assert measure.value == pytest.approx(float(total) * 1000 / len(rows), rel=1e-14)
    assert measure.low is None or 0.0 <= measure.low <= measure.value <= measure.high
