import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import cluster_interval, ece, ece_drift, flip_rate, unknown

unit = st.floats(0.0, 1.0) | st.integers(0, 10).map(lambda k: k / 10)
paired_rows = st.lists(st.tuples(unit, st.booleans(), unit, st.booleans(), st.integers(0, 4)), min_size=1, max_size=30)


def test_flips_by_hand():
    pairs = [("a", "a"), ("a", "b"), ("b", "b"), ("b", None), (None, "a"), ("c", "a")]
    groups = ["x", "x", "y", "y", "z", "z"]
    measure = flip_rate(pairs, groups)
    assert (measure.value, measure.num, measure.den, measure.n, measure.n_groups) == (0.5, 2, 4, 4, 3)
    assert (measure.low, measure.high) == cluster_interval([0, 1, 0, 1], ["x", "x", "y", "z"])
    assert measure.note == (
        "2 of 6 pairs lack a choice; approximate interval: the rarer outcome occurs in 2 groups only"
    )


def test_no_pair_is_unknown():
    assert flip_rate([]) == unknown("no rows")
    assert flip_rate([(None, "a")], ["x"]) == unknown("no pair with both choices", 0)


def test_flip_groups_are_checked():
    with pytest.raises(ValueError, match="pairs 1, groups 2"):
        flip_rate([("a", "b")], ["x", "y"])


def test_drift_by_hand():
    # a: |0.9 - 1| + |0.5 - 0| = 0.6 over 2; b: |1.6 - 1| = 0.6 over 2, in one bin
    measure = ece_drift([0.9, 0.5], [True, False], [0.8, 0.8], [True, False])
    assert measure.num == pytest.approx(0.0, abs=1e-15)
    measure = ece_drift([0.9, 0.5], [True, False], [1.0, 0.0], [True, False], ["x", "x"])
    assert measure.value == pytest.approx(-0.3, rel=1e-15)
    assert (measure.den, measure.n_groups, measure.low, measure.note) == (2, 1, None, "one group: no interval")


def test_identical_sides_do_not_drift():
    rng = np.random.default_rng(1)
    confidence, correct = rng.random(50), rng.random(50) < 0.5
    measure = ece_drift(confidence, correct, confidence, correct)
    assert (measure.value, measure.low, measure.note) == (0.0, None, "no resample differs: no interval")


def test_a_large_drift_is_seen():
    rng = np.random.default_rng(2)
    confidence = rng.uniform(0.5, 1.0, 300)
    calibrated, overconfident = rng.random(300) < confidence, rng.random(300) < confidence - 0.4
    measure = ece_drift(confidence, calibrated, confidence, overconfident, np.arange(300) // 3)
    assert 0.2 < measure.low < measure.value < measure.high < 0.5
    assert measure.note == "approximate interval: an error near 0 can only be overestimated"
    assert measure.n_groups == 100


def test_pairs_are_resampled_together():
    """Sides that err on the same rows have a far narrower drift than sides that err on different rows."""
    rng = np.random.default_rng(3)
    confidence = rng.uniform(0.85, 0.95, 300)
    correct = rng.random(300) < 0.8
    together = ece_drift(confidence, correct, confidence - 0.02, correct)
    apart = ece_drift(confidence, correct, confidence - 0.02, correct[::-1])
    assert together.high - together.low < 0.5 * (apart.high - apart.low)


def test_nothing_is_unknown():
    assert ece_drift([], [], [], []) == unknown("no rows")
    assert ece_drift([0.5], [True], [math.nan], [True]) == unknown("confidence of row 0 is nan")


def test_drift_columns_are_checked():
    with pytest.raises(ValueError, match="confidence_b 2"):
        ece_drift([0.5], [True], [0.5, 0.5], [True])
    with pytest.raises(ValueError, match="correct_a of row 0 is None"):
        ece_drift([0.5], [None], [0.5], [True])


@settings(max_examples=40)
@given(paired_rows, st.randoms(use_true_random=False))
def test_drift_is_the_difference_in_any_row_order(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    confidence_a, correct_a, confidence_b, correct_b, groups = zip(*rows, strict=True)
    measure = ece_drift(confidence_a, correct_a, confidence_b, correct_b, groups, resamples=200)
    assert measure == ece_drift(*zip(*shuffled, strict=True), resamples=200)
    expected = ece(confidence_b, correct_b).value - ece(confidence_a, correct_a).value
    assert measure.value == pytest.approx(expected, abs=1e-14)
    assert measure.low is None or -1.0 <= measure.low <= measure.value <= measure.high <= 1.0
