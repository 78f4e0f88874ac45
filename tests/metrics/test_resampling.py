import math

import numpy as np
import pytest

from dmb.metrics.resampling import basic_interval, draw_indices, resampled_sums, splitmix64


def test_published_words():
    """The first words for seed 1234567 of Vigna's splitmix64.c, as printed by Rosetta Code and others."""
    assert splitmix64(1234567, 0, 5).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_any_part_of_the_sequence_by_itself():
    whole = splitmix64(2**64 - 1, 0, 100)
    assert np.array_equal(splitmix64(2**64 - 1, 40, 60), whole[40:])


def test_indices_are_pinned():
    """A change here changes every published interval."""
    assert draw_indices(0, 0, 8, 300).tolist() == [int(word >> 32) * 300 >> 32 for word in splitmix64(0, 0, 8).tolist()]
    assert draw_indices(0, 0, 8, 300).tolist() == [264, 129, 7, 291, 31, 98, 52, 231]


def test_indices_are_even():
    counts = np.bincount(draw_indices(7, 0, 700_000, 7), minlength=7)
    assert counts.sum() == 700_000 and abs(counts - 100_000).max() < 5 * math.sqrt(100_000)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_are_64_bits(seed):
    with pytest.raises(ValueError, match="seed"):
        splitmix64(seed, 0, 1)


def test_resampled_means_scatter_as_they_should():
    values = np.random.default_rng(2).normal(10, 3, size=(400, 1))
    means = resampled_sums(values, seed=1)[:, 0] / 400
    assert means.mean() == pytest.approx(values.mean(), abs=0.02)
    assert means.std() == pytest.approx(values.std() / 20, rel=0.08)


def test_row_order_never_matters():
    table = np.random.default_rng(2).random((50, 3))
    assert np.array_equal(resampled_sums(table, 5, 100), resampled_sums(table[::-1], 5, 100))
    assert not np.array_equal(resampled_sums(table, 5, 100), resampled_sums(table, 6, 100))


def test_sums_may_start_anywhere_in_the_sequence():
    table = np.arange(3.0)[:, None]
    drawn = draw_indices(5, 40, 3 * 100, 3).reshape(3, 100)
    assert np.array_equal(resampled_sums(table, 5, 100, start=40)[:, 0], drawn.sum(axis=0))


def test_basic_limits_by_hand():
    # 19 replicates 1 to 19 at 90 %: rank floor(20 * 0.05) = 1, so 2 * 8 - 19 and 2 * 8 - 1
    replicates = np.arange(19.0, 0.0, -1.0)
    assert basic_interval(8.0, replicates, 0.9) == (-3.0, 15.0)
    assert basic_interval(8.0, replicates, 0.9, least=0.0, most=10.0) == (0.0, 10.0)


def test_basic_limits_are_widened_to_the_value():
    assert basic_interval(30.0, np.arange(1.0, 20.0), 0.9) == (30.0, 59.0)


def test_basic_limits_against_scipy():
    stats = pytest.importorskip("scipy.stats", reason="oracle for the basic bootstrap: scipy is not installed")
    values = np.random.default_rng(8).exponential(size=200)
    ours = basic_interval(float(values.mean()), resampled_sums(values[:, None], 3, 20_000)[:, 0] / 200, 0.95)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="basic", rng=1).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.006)


def test_no_spread_is_no_interval():
    assert basic_interval(1.0, np.full(100, 0.1) * 3 + np.linspace(0, 1e-15, 100), 0.95) is None


def test_too_few_resamples_are_refused():
    with pytest.raises(ValueError, match="too few"):
        basic_interval(1.0, np.arange(10.0), 0.95)
