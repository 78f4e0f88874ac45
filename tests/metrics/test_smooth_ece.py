import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import smooth_ece, unknown
from dmb.metrics.smooth_ece import LEAST_WIDTH, smooth_ece_at
from tests.metrics.answers import rows_of_answers


def answers(n: int, bend: float, decimals: int = 16):
    rng = np.random.default_rng(n)
    confidence = np.round(rng.random(n), decimals)
    return confidence, rng.random(n) < confidence**bend


def by_the_book(confidence, correct, width):
    """The integral from the definition: Gaussians and their mirror images, on a grid of their own."""
    t = (np.arange(4000) + 0.5) / 4000
    curve = np.zeros_like(t)
    for c, right in zip(confidence, correct, strict=True):
        for centre in (c + 2 * k for k in range(-4, 5)):
            for image in (centre, -centre):
                curve += (right - c) * np.exp(-(((t - image) / width) ** 2) / 2)
    return np.abs(curve).mean() / (width * math.sqrt(2 * math.pi) * len(confidence))


def test_by_hand():
    # one residual of one sign: a kernel that is reflected loses nothing, whatever its width
    assert smooth_ece([0.3], [False]).value == pytest.approx(0.3, abs=1e-6)
    assert smooth_ece([0.8, 0.8, 0.8, 0.8], [True, True, True, False]).value == pytest.approx(0.05, abs=1e-6)
    # residuals of one confidence that cancel
    assert smooth_ece([0.5, 0.5], [True, False]).value == 0.0
    assert smooth_ece([0.0, 1.0], [False, True]).value == 0.0


def test_nothing_and_nan():
    assert smooth_ece([], []) == unknown("no rows")
    assert smooth_ece([math.nan], [True]) == unknown("confidence of row 0 is nan")


@pytest.mark.parametrize("decimals", [16, 2])
@pytest.mark.parametrize("width", [LEAST_WIDTH, 0.02, 0.1, 0.5])
def test_the_series_is_the_reflected_gaussian(width, decimals):
    confidence, correct = answers(40, 2.0, decimals)
    assert smooth_ece_at(confidence, correct, width) == pytest.approx(by_the_book(confidence, correct, width), abs=1e-4)


def test_the_error_is_its_own_width():
    confidence, correct = answers(300, 1.5)
    error = smooth_ece(confidence, correct).value
    assert smooth_ece_at(confidence, correct, error) == pytest.approx(error, abs=3e-6)


@pytest.mark.parametrize(("decimals", "near"), [(16, 2e-3), (2, 6e-3)])
@pytest.mark.parametrize("bend", [1.0, 0.7, 2.0])
def test_against_the_authors_own(bend, decimals, near):
    relplot = pytest.importorskip("relplot", reason="oracle for smooth ECE: relplot is not installed")
    for n in (60, 616):
        confidence, correct = answers(n, bend, decimals)
        # theirs moves confidences to a grid of 1,000 points, and searches the width to 0.001
        assert smooth_ece(confidence, correct).value == pytest.approx(relplot.smECE(confidence, correct), abs=near)
        for width in (0.02, 0.1):
            theirs = relplot.smECE_sigma(confidence, correct, sigma=width)
            assert smooth_ece_at(confidence, correct, width) == pytest.approx(theirs, abs=near)


@settings(max_examples=25)
@given(rows_of_answers, st.randoms(use_true_random=False))
def test_row_order_never_matters_and_bounds(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    measure = smooth_ece(*zip(*rows, strict=True))
    assert measure == smooth_ece(*zip(*shuffled, strict=True))
    # never above the mean residual's size, and never below the distance of the two means
    confidence, correct = map(np.array, zip(*rows, strict=True))
    least, most = abs(np.mean(correct - confidence)), np.mean(np.abs(correct - confidence))
    assert least - 2e-6 <= measure.value <= most + 1e-3


@settings(max_examples=25)
@given(rows_of_answers)
def test_turning_everything_round_changes_nothing(rows):
    confidence, correct = map(np.array, zip(*rows, strict=True))
    assert smooth_ece(1.0 - confidence, ~correct).value == pytest.approx(
        smooth_ece(confidence, correct).value, abs=3e-6
    )
