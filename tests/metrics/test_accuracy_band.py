import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import accuracy_band, rate, unknown


def test_by_hand():
    worst, best = accuracy_band([True, True, False, None, None])
    assert (worst.num, worst.den, worst.value) == (2, 5, 0.4)
    assert (best.num, best.den, best.value) == (4, 5, 0.8)
    assert worst.low < 0.4 < worst.high and best.low < 0.8 < best.high


def test_everything_answered_is_no_band():
    worst, best = accuracy_band([True, False, True])
    assert worst == best == rate([True, False, True])


def test_nothing_is_unknown():
    assert accuracy_band([]) == (unknown("no rows"), unknown("no rows"))
    assert [m.value for m in accuracy_band([None, None])] == [0.0, 1.0]


def test_groups_are_respected():
    worst, best = accuracy_band([True, None, False, False], ["a", "a", "b", "b"])
    assert worst.n_groups == best.n_groups == 2
    assert worst == rate([True, False, False, False], ["a", "a", "b", "b"])


def test_impossible_columns_are_refused():
    with pytest.raises(ValueError, match="hits of row 1 is 2"):
        accuracy_band([True, 2])


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=40))
def test_what_is_known_lies_inside(correct):
    worst, best = accuracy_band(correct)
    known = [answer for answer in correct if answer is not None]
    assert worst.value <= best.value
    assert (best.num - worst.num) == correct.count(None)
    if known:
        assert worst.value <= sum(known) / len(known) <= best.value
