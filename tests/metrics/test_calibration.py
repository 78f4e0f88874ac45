import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import Bin, brier, ece, reliability, unknown
from dmb.metrics.calibration import bin_indices
from tests.metrics.answers import rows_of_answers, unit


def bin_of(written: str) -> int:
    """The edge rule by the book: ceil(10 x) - 1 in decimal, and 0 in the first bin."""
    return max(math.ceil(Decimal(written) * 10) - 1, 0)


@pytest.mark.parametrize(
    ("written", "index"),
    [*((f"0.{k}", k - 1) for k in range(1, 10)), ("0", 0), ("1", 9), ("1.0", 9), ("0.30", 2), ("3e-1", 2)],
)
def test_every_edge_as_written(written, index):
    for confidence in (written, Decimal(written), float(written), np.float64(written)):
        (only,) = reliability([confidence], [True])
        assert (only.index, only.low, only.high) == (index, index / 10, (index + 1) / 10)
    assert bin_of(written) == index


@pytest.mark.parametrize("k", range(1, 10))
def test_the_neighbours_of_an_edge(k):
    edge = float(f"0.{k}")
    below, above = math.nextafter(edge, 0.0), math.nextafter(edge, 1.0)
    assert bin_indices(np.array([below, edge, above])).tolist() == [k - 1, k - 1, k]


@given(unit)
def test_comparing_floats_is_comparing_decimals(confidence):
    assert bin_indices(np.array([confidence])).tolist() == [bin_of(repr(confidence))]


def test_products_that_are_no_written_edge():
    # 0.1 + 0.2 is written 0.30000000000000004, which lies above the edge
    assert bin_indices(np.array([0.1 + 0.2, 0.3, 0.7, 0.1 * 7])).tolist() == [3, 2, 6, 7]


def test_by_hand():
    confidence, correct = [0.95, 0.95, 0.3, 0.25, 0.0], [True, False, False, True, False]
    assert reliability(confidence, correct) == [
        Bin(index=0, low=0.0, high=0.1, n=1, mean_confidence=0.0, accuracy=0.0, n_correct=0),
        Bin(index=2, low=0.2, high=0.3, n=2, mean_confidence=0.275, accuracy=0.5, n_correct=1),
        Bin(index=9, low=0.9, high=1.0, n=2, mean_confidence=0.95, accuracy=0.5, n_correct=1),
    ]
    measure = ece(confidence, correct)  # |1.9 - 1| + |0.55 - 1| + 0 = 1.35
    assert measure.num == pytest.approx(1.35, rel=1e-15)
    assert (measure.value, measure.den, measure.n) == (measure.num / 5, 5, 5)
    measure = brier(confidence, correct)  # 0.0025 + 0.9025 + 0.09 + 0.5625 + 0
    assert measure.num == pytest.approx(1.5575, rel=1e-15)
    assert measure.value == measure.num / 5


def test_nothing_is_unknown():
    assert ece([], []) == brier([], []) == unknown("no rows")
    assert reliability([], []) == []


@pytest.mark.parametrize(
    ("confidence", "error", "message"),
    [
        ([0.5, None], ValueError, "row 1 is None"),
        ([0.5, 1.5], ValueError, "row 1 is 1.5"),
        ([0.5, True], TypeError, "row 1 is a bool"),
        ([0.5, "high"], ValueError, "high"),
        (np.array([0.5, 0.3], dtype=np.float32), TypeError, "float32"),
        ([0.5], ValueError, "confidence 1, correct 2"),
        (np.array([[0.5, 0.3]]), ValueError, "one column"),
    ],
)
@pytest.mark.parametrize("metric", [reliability, ece, brier])
def test_impossible_columns_are_refused(metric, confidence, error, message):
    with pytest.raises(error, match=message):
        metric(confidence, [True, False])


def test_a_nan_makes_a_measure_unknown_and_is_refused_by_what_has_no_measure():
    for column in ([0.5, math.nan], np.array([0.5, math.nan])):
        assert ece(column, [True, False]) == brier(column, [True, False]) == unknown("confidence of row 1 is nan")
        with pytest.raises(ValueError, match="row 1 is nan"):
            reliability(column, [True, False])


def test_correct_must_be_known():
    with pytest.raises(ValueError, match="correct of row 1 is None"):
        ece([0.5, 0.5], [True, None])


def test_brier_against_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics", reason="oracle for Brier: scikit-learn is not installed")
    rng = np.random.default_rng(7)
    confidence = rng.random(500)
    correct = rng.random(500) < confidence
    assert brier(confidence, correct).value == pytest.approx(sklearn.brier_score_loss(correct, confidence), rel=1e-13)


def test_bins_against_scikit_learn():
    calibration = pytest.importorskip("sklearn.calibration", reason="oracle for bins: scikit-learn is not installed")
    rng = np.random.default_rng(7)
    confidence = rng.random(500)  # no value on an edge, where scikit-learn's rule depends on the float
    correct = rng.random(500) < confidence
    accuracy, mean = calibration.calibration_curve(correct, confidence, n_bins=10, strategy="uniform")
    bins = reliability(confidence, correct)
    assert [b.accuracy for b in bins] == pytest.approx(accuracy.tolist(), rel=1e-13)
    assert [b.mean_confidence for b in bins] == pytest.approx(mean.tolist(), rel=1e-13)


@given(rows_of_answers, st.randoms(use_true_random=False))
def test_row_order_never_matters(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    for metric in (reliability, ece, brier):
        assert metric(*zip(*rows, strict=True)) == metric(*zip(*shuffled, strict=True))


@given(rows_of_answers)
def test_bounds_and_agreement_of_the_parts(rows):
    confidence, correct = zip(*rows, strict=True)
    bins = reliability(confidence, correct)
    assert sum(b.n for b in bins) == len(rows) and sum(b.n_correct for b in bins) == sum(correct)
    # a mean of equal confidences may be off by one rounding
    assert all(b.low - 1e-15 <= b.mean_confidence <= b.high + 1e-15 for b in bins)
    error = ece(confidence, correct).value
    assert 0.0 <= error <= 1.0
    assert error == pytest.approx(sum(b.n * abs(b.mean_confidence - b.accuracy) for b in bins) / len(rows), abs=1e-12)
    assert 0.0 <= brier(confidence, correct).value <= 1.0


@given(rows_of_answers)
def test_arrays_and_lists_agree(rows):
    confidence, correct = zip(*rows, strict=True)
    assert ece(np.array(confidence), np.array(correct)) == ece(confidence, correct)
    assert brier([repr(c) for c in confidence], correct) == brier(confidence, correct)
