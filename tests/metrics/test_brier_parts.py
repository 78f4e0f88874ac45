import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import brier, brier_parts, unknown
from tests.metrics.answers import rows_of_answers


def test_by_hand():
    # two bins without spread: 0.2 with 1 of 4 right, 0.8 with 3 of 4 right; half of all are right
    parts = brier_parts([0.2] * 4 + [0.8] * 4, [True, False, False, False, True, True, True, False])
    assert parts.reliability.value == pytest.approx(0.05**2)
    assert parts.resolution.value == pytest.approx(0.25**2)
    assert parts.uncertainty.value == 0.25
    assert (parts.uncertainty.num, parts.uncertainty.den, parts.uncertainty.n) == (2.0, 8, 8)


def test_by_hand_inside_a_bin():
    # one bin: mean 0.85, half right, so nothing between bins; spread 0.05^2, covariance 0.05 * 0.5
    parts = brier_parts([0.9, 0.81, 0.9, 0.81][:2], [True, False])
    assert parts.reliability.value == pytest.approx((0.855 - 0.5) ** 2)
    assert parts.resolution.value == pytest.approx(-(0.045**2) + 2 * 0.045 * 0.5)
    # the wrong one is the surer one: told the wrong way round
    assert brier_parts([0.9, 0.81], [False, True]).resolution.value == pytest.approx(-(0.045**2) - 2 * 0.045 * 0.5)


def test_confidences_that_tell_nothing():
    parts = brier_parts([0.7] * 10, [True] * 6 + [False] * 4)
    assert parts.resolution.value == pytest.approx(0.0, abs=1e-15)
    assert parts.reliability.value == pytest.approx(0.01)


def test_nothing_and_nan():
    for confidence, why in (([], "no rows"), ([math.nan], "confidence of row 0 is nan")):
        parts = brier_parts(confidence, [True] * len(confidence))
        assert parts.reliability == parts.resolution == parts.uncertainty == unknown(why)


@given(rows_of_answers)
def test_the_parts_are_the_whole(rows):
    confidence, correct = zip(*rows, strict=True)
    parts = brier_parts(confidence, correct)
    total = parts.reliability.value - parts.resolution.value + parts.uncertainty.value
    assert total == pytest.approx(brier(confidence, correct).value, abs=1e-13)
    assert 0.0 <= parts.uncertainty.value <= 0.25 and 0.0 <= parts.reliability.value <= 1.0


def test_the_whole_against_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics", reason="oracle for Brier: scikit-learn is not installed")
    confidence = [k / 97 for k in range(98)]
    correct = [k % 3 != 0 for k in range(98)]
    parts = brier_parts(confidence, correct)
    total = parts.reliability.value - parts.resolution.value + parts.uncertainty.value
    assert total == pytest.approx(sklearn.brier_score_loss(correct, confidence), rel=1e-12)


@given(rows_of_answers, st.randoms(use_true_random=False))
def test_row_order_never_matters(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    assert brier_parts(*zip(*rows, strict=True)) == brier_parts(*zip(*shuffled, strict=True))
