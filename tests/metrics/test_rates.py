import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import Measure, cluster_interval, rate, unknown, wilson


def test_one_row_per_group_takes_wilson():
    low, high = wilson(2, 3)
    expected = Measure(value=2 / 3, low=low, high=high, n=3, num=2, den=3, n_groups=3)
    assert rate([True, False, True]) == expected
    assert rate([True, False, True], ["x", "y", "z"]) == expected
    assert rate(np.array([1, 0, 1])) == expected


def test_repeated_groups_take_the_cluster_interval():
    hits, groups = [True, False, True, True, False], ["x", "x", "y", "y", "z"]
    low, high = cluster_interval(hits, groups)
    note = "approximate interval: the rarer outcome occurs in 2 groups only"
    assert rate(hits, groups) == Measure(value=0.6, low=low, high=high, n=5, num=3, den=5, n_groups=3, note=note)


def test_too_few_groups_to_tell_how_alike_rows_are():
    groups = [i // 4 for i in range(400)]
    notes = {k: rate([i in range(0, 4 * k, 4) for i in range(400)], groups).note for k in (0, 1, 3, 4)}
    assert notes == {
        0: None,  # exact over groups
        1: "approximate interval: the rarer outcome occurs in 1 group only",
        3: "approximate interval: the rarer outcome occurs in 3 groups only",
        4: None,
    }


def test_one_group_says_so():
    assert rate([True, False], ["x", "x"]) == Measure(
        value=0.5, n=2, num=1, den=2, n_groups=1, note="one group: no interval"
    )


def test_nothing_is_unknown():
    assert rate([]) == unknown("no rows")


@pytest.mark.parametrize("hits", [[True, None], [0.5], ["yes"], [2, 1], np.zeros((2, 2))])
def test_what_is_no_boolean_is_refused(hits):
    with pytest.raises(ValueError, match="hits"):
        rate(hits)


def test_groups_are_checked():
    with pytest.raises(ValueError, match="rows 2, groups 1"):
        rate([True, False], ["x"])
    with pytest.raises(ValueError, match="group of row 1 is None"):
        rate([True, False], ["x", None])


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=40), st.randoms(use_true_random=False)
)
def test_row_order_never_matters_and_the_value_is_inside(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    measure = rate([hit for hit, _ in rows], [group for _, group in rows])
    assert measure == rate([hit for hit, _ in shuffled], [group for _, group in shuffled])
    assert measure.value == measure.num / measure.den
    assert measure.low is None or 0.0 <= measure.low <= measure.value <= measure.high <= 1.0
