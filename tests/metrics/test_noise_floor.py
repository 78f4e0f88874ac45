import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import ece, ece_floor, unknown
from tests.metrics.answers import unit

N_LEAGUES = 400


def test_by_hand():
    # one row at 0.5 is off by 0.5 whatever comes; certainties are never off
    assert ece_floor([0.5]).value == 0.5
    assert ece_floor([0.0, 1.0, 1.0]).value == 0.0
    # two rows at 0.5: off by 0 in half of the draws, and by 1 of 2 in the other half, so the 95 % end is 0.5
    floor = ece_floor([0.5, 0.5])
    assert (floor.value, floor.num, floor.den, floor.n, floor.n_groups, floor.note) == (0.5, 1.0, 2, 2, 2, None)
    assert ece_floor([0.5, 0.5], level=0.4).value == 0.0


def test_nothing_and_nan():
    assert ece_floor([]) == unknown("no rows")
    assert ece_floor([0.5, math.nan]) == unknown("confidence of row 1 is nan")


def test_impossible_arguments_are_refused():
    with pytest.raises(ValueError, match="level"):
        ece_floor([0.5], level=1.0)
    with pytest.raises(ValueError, match="10 draws are too few"):
        ece_floor([0.5], draws=10)
    with pytest.raises(ValueError, match="groups 1"):
        ece_floor([0.5, 0.5], ["a"])
    with pytest.raises(ValueError, match="group of row 1 is None"):
        ece_floor([0.5, 0.5], ["a", None])


@pytest.mark.parametrize("shape", ["spread", "sure", "two decimals"])
@pytest.mark.parametrize("n", [200, 1000])
def test_a_calibrated_contender_is_inside_its_floor_as_often_as_it_says(n, shape):
    rng = np.random.default_rng(11)
    confidence = {
        "spread": lambda: rng.random(n),
        "sure": lambda: rng.beta(8, 1, n),
        "two decimals": lambda: np.round(rng.beta(4, 2, n), 2),
    }[shape]()
    floor = ece_floor(confidence).value
    inside = sum(ece(confidence, rng.random(n) < confidence).value <= floor for _ in range(N_LEAGUES))
    assert 0.93 <= inside / N_LEAGUES <= 0.97


def test_groups_that_agree_stay_inside_the_floor_over_groups_and_not_the_other():
    rng = np.random.default_rng(5)
    confidence = np.repeat(np.round(rng.random(50), 2), 8)
    groups = np.repeat(np.arange(50), 8)
    floor, without = ece_floor(confidence, groups), ece_floor(confidence)
    assert floor.note == "groups drawn whole: an upper floor" and floor.n_groups == 50
    errors = [ece(confidence, np.repeat(rng.random(50) < confidence[::8], 8)).value for _ in range(N_LEAGUES)]
    assert 0.92 <= np.mean([e <= floor.value for e in errors]) <= 0.98
    assert np.mean([e <= without.value for e in errors]) < 0.1


def test_the_generator_against_numpys():
    rng = np.random.default_rng(3)
    confidence = rng.random(150)
    drawn = [ece(confidence, rng.random(150) < confidence).value for _ in range(4000)]
    assert ece_floor(confidence, draws=4000).value == pytest.approx(np.quantile(drawn, 0.95), rel=0.04)


@settings(max_examples=30)
@given(st.lists(st.tuples(unit, st.integers(0, 3)), min_size=1, max_size=25), st.randoms(use_true_random=False))
def test_row_order_and_names_of_groups_never_matter(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    first = ece_floor([c for c, _ in rows], [g for _, g in rows], draws=200)
    second = ece_floor([c for c, _ in shuffled], [f"group {-g}" for _, g in shuffled], draws=200)
    assert first == second
    assert 0.0 <= first.value <= 1.0


def test_a_seed_is_the_same_numbers_for_ever():
    confidence = [k / 40 for k in range(41)]
    assert ece_floor(confidence).value == ece_floor(confidence).value
    assert {ece_floor(confidence, seed=seed).value for seed in range(5)} != {ece_floor(confidence).value}
