from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import Measure, dominant, prediction_histogram, unknown


def test_by_count_then_label():
    histogram = prediction_histogram(["b", "c", "a", "c", "b", "d"])
    assert list(histogram.items()) == [("b", 2), ("c", 2), ("a", 1), ("d", 1)]


def test_dominant_by_hand():
    assert dominant(["b", "c", "a", "c", "b", "d"]) == ("b", Measure(value=2 / 6, n=6, num=2, den=6))


def test_nothing():
    assert prediction_histogram([]) == {}
    assert dominant([]) == (None, unknown("no rows"))


def test_none_is_refused():
    with pytest.raises(ValueError, match="None"):
        prediction_histogram(["a", None])


@given(st.lists(st.text("abc", max_size=2)), st.randoms(use_true_random=False))
def test_counts_in_any_row_order(predicted, order):
    shuffled = predicted.copy()
    order.shuffle(shuffled)
    histogram = prediction_histogram(predicted)
    assert list(histogram.items()) == list(prediction_histogram(shuffled).items())
    assert histogram == Counter(predicted)
