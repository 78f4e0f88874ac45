import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import Measure, paired_difference, position_effect, position_rates, rate, unknown, wilson

flips = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=20)


def test_effect_by_hand():
    # items a: 2/3 - 0, b: 1/3 - 1, c: 1 - 0; total 1, squares 4/9 + 4/9 + 1
    measure = position_effect([1, 1, 0, 0, 0, 1, 1, 1, 1], list("aaabbbccc"), [0, 1, 0], list("abc"))
    assert (measure.value, measure.num, measure.den, measure.n, measure.n_groups) == (1 / 3, 1.0, 3, 3, 3)
    half = 1.959963984540054 * math.sqrt((17 / 9 + 1 - 1 / 5) / 25)
    assert (measure.low, measure.high) == pytest.approx((0.2 - half, 0.2 + half), rel=1e-14)
    assert measure.note is None


def test_one_pair_of_each_kind_is_a_paired_difference():
    permuted, rerun = [1, 1, 0, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0, 0]
    items = list("tuvwxyz")
    assert position_effect(permuted, items, rerun, items) == paired_difference(permuted, rerun)


def test_nothing_flips():
    measure = position_effect([0] * 300, [f"i{i // 3}" for i in range(300)], [0] * 100, [f"i{i}" for i in range(100)])
    assert measure.value == 0.0 and measure.high == -measure.low == wilson(0, 100)[1]
    assert measure.note == "nothing flipped: the interval says how large an effect could still have been missed"


def test_items_without_both_kinds_are_left_out():
    measure = position_effect([1, 1, 0], ["a", "b", "b"], [0, 1], ["b", "c"])
    assert (measure.value, measure.n) == (0.5, 1)
    assert measure.note == "2 of 3 items lack a permuted or a rerun answer"
    assert position_effect([], [], [], []) == unknown("no rows")
    assert position_effect([1], ["a"], [], []) == unknown("no item with both a permuted and a rerun answer")


@given(flips, flips, st.randoms(use_true_random=False))
def test_effect_invariants(permuted, rerun, order):
    def of(rows, again):
        return position_effect([f for f, _ in rows], [g for _, g in rows], [f for f, _ in again], [g for _, g in again])

    measure, shuffled = of(permuted, rerun), permuted.copy()
    order.shuffle(shuffled)
    assert of(shuffled, rerun) == measure
    if measure.value is not None:
        assert -1.0 <= measure.low <= measure.value <= measure.high <= 1.0 and measure.low < measure.high
        assert of(rerun, permuted).value == -measure.value


def test_rates_by_hand():
    places, sizes = [0, 0, 1, 4, 4], [5, 5, 5, 5, 10]
    parts = position_rates(places, sizes, gold=[0, 1, 1, 1, 9])
    assert [p.part for p in parts] == [0, 1, 2, 3, 4]
    # place 4 of 10 is in the third part
    assert [p.chosen.num for p in parts] == [2, 1, 1, 0, 1]
    assert parts[0].chosen == rate([1, 1, 0, 0, 0])
    assert [p.gold for p in parts] == [0.2, 0.6, 0.0, 0.0, 0.2]
    assert [p.options for p in parts] == [0.2] * 5


def test_parts_of_77_options():
    parts = position_rates(range(77), [77] * 77)
    assert [p.chosen.num for p in parts] == [16, 15, 16, 15, 15]
    assert [p.options for p in parts] == [pytest.approx(p.chosen.value, rel=1e-15) for p in parts]
    assert {p.gold for p in parts} == {None}


def test_groups_reach_the_intervals():
    parts = position_rates([0, 0, 1, 1], [2] * 4, ["x", "x", "y", "y"], n_parts=2)
    assert parts[0].chosen == rate([1, 1, 0, 0], ["x", "x", "y", "y"])
    assert position_rates([], []) == []


@given(st.lists(st.tuples(st.integers(5, 30), st.integers(0, 29)), min_size=1, max_size=20), st.integers(1, 5))
def test_parts_are_all_there_is(rows, n_parts):
    sizes, places = [s for s, _ in rows], [p % s for s, p in rows]
    parts = position_rates(places, sizes, n_parts=n_parts)
    assert sum(p.chosen.num for p in parts) == len(rows)
    assert math.fsum(p.options for p in parts) == pytest.approx(1.0)
    assert all(isinstance(p.chosen, Measure) and p.options > 0 for p in parts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: position_rates([5], [5]), "place 5"),
        (lambda: position_rates([0], [4]), "fewer than the 5 parts"),
        (lambda: position_rates([0], [5], gold=[5]), "gold of row 0"),
        (lambda: position_rates([0, 1], [5]), "length"),
        (lambda: position_rates([0], [5], n_parts=0), "at least one part"),
        (lambda: position_effect([1], ["a", "b"], [0], ["a"]), "length"),
        (lambda: position_effect([1], [None], [0], ["a"]), "group of row 0 of permuted"),
        (lambda: position_effect([None], ["a"], [0], ["a"]), "permuted"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
