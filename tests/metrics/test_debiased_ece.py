import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.metrics import debiased_ece, unknown
from dmb.metrics.debiased_ece import equal_mass_bins
from tests.metrics.answers import rows_of_answers, unit


def test_by_hand():
    # n // 2 = 2 bins: (0.2, 0.4) with none right and (0.7, 0.9) with one
    measure = debiased_ece([0.9, 0.2, 0.7, 0.4], [True, False, False, False])
    # 2 * (0.3^2 - 0) + 2 * ((0.8 - 0.5)^2 - 0.25 / 1) = 0.18 - 0.32 = -0.14
    assert measure.num == pytest.approx(-0.14, abs=1e-15)
    assert (measure.value, measure.den, measure.n) == (0.0, 4, 4)
    assert measure.note == "the estimated square is below 0: taken as 0"
    # all wrong at 0.5: the gap is 0.5 and there is no spread to take off
    assert debiased_ece([0.5] * 10, [False] * 10).value == 0.5


@pytest.mark.parametrize(
    ("confidence", "bins"),
    [
        ([k / 20 for k in range(20)], [k // 2 for k in range(20)]),
        ([k / 10 for k in range(10)], [k // 2 for k in range(10)]),
        ([0.5] * 30, [0] * 30),
        ([0.9] * 15 + [0.95] * 5, [0] * 15 + [1] * 5),
        # the last row would be a bin of its own, and so would the first
        ([0.1] * 4 + [0.2], [0] * 5),
        ([0.1] + [0.2] * 19, [0] * 20),
        ([0.1, 0.2, 0.3], [0, 0, 0]),
    ],
)
def test_bins_of_equal_mass(confidence, bins):
    assert equal_mass_bins(np.array(confidence)).tolist() == bins


def test_too_few_rows():
    assert debiased_ece([], []) == unknown("no rows")
    assert debiased_ece([0.5], [True]) == unknown("fewer than 2 rows", 1)
    assert debiased_ece([0.5, math.nan], [True, False]) == unknown("confidence of row 1 is nan")


@pytest.mark.parametrize("truth", [(0.2, 0.2, 0.9, 0.9), (0.5, 0.5, 0.6, 0.6), (0.0, 0.0, 1.0, 1.0)])
def test_its_square_is_unbiased(truth):
    """Over every outcome that four rows in two bins can have, weighted by its probability."""
    confidence = [0.3, 0.4, 0.7, 0.9]
    expected = math.fsum(
        math.prod(p if right else 1 - p for p, right in zip(truth, outcome, strict=True))
        * debiased_ece(confidence, outcome).num
        for outcome in itertools.product([False, True], repeat=4)
    )
    assert expected == pytest.approx(2 * (0.35 - truth[0]) ** 2 + 2 * (0.8 - truth[2]) ** 2, abs=1e-12)


def test_chance_is_taken_off():
    rng = np.random.default_rng(2)
    confidence = rng.random(300)
    calibrated = [debiased_ece(confidence, rng.random(300) < confidence) for _ in range(300)]
    assert np.mean([m.num / m.n for m in calibrated]) == pytest.approx(0.0, abs=2e-4)
    # with everything 0.1 above the truth the mean square is 0.01
    off = np.minimum(confidence * 0.8 + 0.1, 1.0)
    shifted = [debiased_ece(off, rng.random(300) < off - 0.1) for _ in range(300)]
    assert np.mean([m.num / m.n for m in shifted]) == pytest.approx(0.01, abs=8e-4)


@given(rows_of_answers, st.randoms(use_true_random=False))
def test_row_order_never_matters(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    measure = debiased_ece(*zip(*rows, strict=True))
    assert measure == debiased_ece(*zip(*shuffled, strict=True))
    assert measure.value is None or 0.0 <= measure.value <= 1.0


@given(st.lists(unit, min_size=2, max_size=80))
def test_ties_stay_together_and_no_bin_has_one_row(confidence):
    bins = equal_mass_bins(np.array(confidence)).tolist()
    assert sorted(set(bins)) == list(range(max(bins) + 1)) and max(bins) < 10
    assert min(bins.count(b) for b in set(bins)) >= 2
    assert len({(c, b) for c, b in zip(confidence, bins, strict=True)}) == len(set(confidence))
    assert [b for _, b in sorted(zip(confidence, bins, strict=True))] == sorted(bins)
