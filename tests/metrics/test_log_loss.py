import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import Measure, given_to_outcome, log_loss, unknown
from tests.metrics.answers import rows_of_answers, unit


def test_by_hand():
    loss, clipped = log_loss([1.0, 0.5, 0.0])
    assert loss.value == pytest.approx((0.0 + math.log(2) + math.log(1000)) / 3)
    assert (loss.n, loss.den, loss.note) == (3, 3, "1 of 3 rows count as 0.001")
    assert clipped == Measure(value=1 / 3, n=3, num=1, den=3)
    # at the clip is not below it
    assert log_loss([0.001])[1].num == 0
    loss, clipped = log_loss([0.05], clip=0.1)
    assert loss.value == pytest.approx(-math.log(0.1)) and clipped.num == 1


def test_what_came_about():
    assert given_to_outcome([0.9, 0.75, 1.0, 0.0], [True, False, False, True]) == [0.9, 0.25, 0.0, 0.0]


def test_nothing_and_nan():
    assert log_loss([]) == (unknown("no rows"), unknown("no rows"))
    assert log_loss([0.5, math.nan]) == (unknown("confidence of row 1 is nan"),) * 2


@pytest.mark.parametrize("clip", [0.0, 1.0, -0.5])
def test_a_clip_is_a_share(clip):
    with pytest.raises(ValueError, match="clip"):
        log_loss([0.5], clip=clip)


def test_against_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics", reason="oracle for log loss: scikit-learn is not installed")
    rng = np.random.default_rng(3)
    confidence = 0.001 + 0.998 * rng.random(500)
    correct = rng.random(500) < confidence
    loss, clipped = log_loss(given_to_outcome(confidence, correct))
    assert loss.value == pytest.approx(sklearn.log_loss(correct, confidence), rel=1e-12) and clipped.num == 0
    probabilities = rng.dirichlet(np.ones(5), 200)
    right = rng.integers(5, size=200)
    loss, clipped = log_loss(probabilities[np.arange(200), right])
    above = np.maximum(probabilities, 0.001)
    # scikit-learn wants rows that sum to 1, so the rest of each row goes to another option
    above[np.arange(200), (right + 1) % 5] += 1 - above.sum(axis=1)
    assert loss.value == pytest.approx(sklearn.log_loss(right, above), rel=1e-12)


@given(rows_of_answers, st.randoms(use_true_random=False))
def test_row_order_never_matters_and_bounds(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    found = log_loss(given_to_outcome(*zip(*rows, strict=True)))
    assert found == log_loss(given_to_outcome(*zip(*shuffled, strict=True)))
    assert 0.0 <= found[0].value <= -math.log(0.001) + 1e-12
    assert found[1].num == sum((c if right else 1 - c) < 0.001 for c, right in rows)


@given(unit)
def test_it_is_least_where_the_confidence_is_the_truth(confidence):
    def expected(said: float) -> float:
        right, wrong = log_loss([said])[0].value, log_loss([1 - said])[0].value
        return confidence * right + (1 - confidence) * wrong

    here = min(max(confidence, 0.001), 0.999)
    assert all(expected(here) <= expected(other / 20) + 1e-12 for other in range(1, 20))
