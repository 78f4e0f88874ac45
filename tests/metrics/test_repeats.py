import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import cluster_interval, disagreement_rate, item_medians, unknown, wilson

times_ms = st.none() | st.floats(0.0, 1e6)


def test_medians_by_hand():
    values = [10.0, 40.0, None, 5.0, 30.0, 20.0, 7.0, None, None, 20.0]
    items = ["a", "b", "c", "d", "a", "a", "d", "b", "c", "a"]
    # a: 10, 20, 20, 30; b: 40 and an unknown one; c: unknown twice; d: 5 and 7
    assert item_medians(values, items) == [20.0, 40.0, 6.0]
    # of an odd number the middle one, of an even number the mean of the middle two, equal ones counted as often as they are
    assert item_medians([3.0, 1.0, 2.0], ["a"] * 3) == [2.0]
    assert item_medians([1.0, 1.0, 1.0, 9.0], ["a"] * 4) == [1.0]
    assert item_medians([4.0, 1.0], [("a", 0)] * 2) == [2.5]
    assert item_medians([], []) == []


@given(st.lists(times_ms, max_size=20))
def test_of_one_repeat_each_the_known_values_stay_as_they_are(values):
    assert item_medians(values, range(len(values))) == [v for v in values if v is not None]


@given(st.lists(st.tuples(times_ms, st.integers(0, 3)), max_size=20))
def test_medians_lie_within_the_values_of_their_item(rows):
    known = {item: [v for v, i in rows if i == item and v is not None] for item in dict.fromkeys(i for _, i in rows)}
    expected = [statistics.median(values) for values in known.values() if values]
    found = item_medians([v for v, _ in rows], [i for _, i in rows])
    assert sorted(found) == sorted(expected)


def test_values_that_are_no_times_are_refused():
    with pytest.raises(ValueError, match="value of row 1 is nan"):
        item_medians([1.0, float("nan")], ["a", "b"])
    with pytest.raises(ValueError, match="values_ms 1, items 2"):
        item_medians([1.0], ["a", "b"])


def test_disagreement_by_hand():
    choices = [["x", "x", "x"], ["x", "y"], ["y"], [], ["x", "x", "y"], ["y", "y"]]
    measure = disagreement_rate(choices)
    # of the four with at least two valid repeats, two are not of one mind
    assert (measure.value, measure.num, measure.den, measure.n, measure.n_groups) == (0.5, 2, 4, 4, 4)
    assert (measure.low, measure.high) == wilson(2, 4)
    assert measure.note == "2 of 6 items have fewer than two valid repeats"


def test_items_of_one_group_are_not_independent():
    measure = disagreement_rate([["x", "y"], ["x", "x"], ["x", "x"], ["x", "x"]], ["g", "g", "h", "h"])
    note = "approximate interval: the rarer outcome occurs in 1 group only"
    assert (measure.num, measure.den, measure.n_groups, measure.note) == (1, 4, 2, note)
    assert (measure.low, measure.high) == cluster_interval([1, 0, 0, 0], ["g", "g", "h", "h"])


def test_without_two_valid_repeats_it_is_unknown():
    assert disagreement_rate([]) == unknown("no rows")
    assert disagreement_rate([["x"], []]) == unknown("no item with two valid repeats")
    with pytest.raises(ValueError, match="choices_by_item 1, groups 2"):
        disagreement_rate([["x", "y"]], ["g", "h"])
