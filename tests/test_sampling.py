"""Seeded choices: pinned, since a change would ask other items."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.sampling import SUBSET_SEED, permutation, pick, rank, sample, shuffled, unit

ROWS = list("abcdefgh")


def test_pinned_draws():
    assert SUBSET_SEED == 20261130
    assert rank(1, "a", 2) == 0x1A0B9E3A93490097C2FCA6F6DA5F51BB
    assert shuffled(ROWS, 7, "label") == list("gacdfebh")
    assert permutation(6, 7, "x") == (1, 4, 3, 0, 5, 2)
    assert pick(ROWS, 7, "x") == "c"


@given(st.lists(st.integers(), unique=True, max_size=30), st.integers(0, 99))
def test_shuffling_keeps_all_rows_whatever_order_they_came_in(rows, seed):
    drawn = shuffled(rows, seed, "l")
    assert sorted(drawn) == sorted(rows)
    assert shuffled(reversed(rows), seed, "l") == drawn


@given(st.integers(0, 30), st.integers(0, 99))
def test_a_sample_is_a_prefix_of_a_larger_one(k, seed):
    assert sample(range(31), k, seed, "l") == sample(range(31), 31, seed, "l")[:k]
    assert sorted(permutation(k, seed)) == list(range(k))


def test_seed_label_and_key_each_matter():
    first = shuffled(ROWS, 1, "l")
    assert len({tuple(d) for d in (first, shuffled(ROWS, 2, "l"), shuffled(ROWS, 1, "m"))}) == 3
    assert shuffled(ROWS, 1, "l", key=str.upper) != first
    # parts are kept apart
    assert rank(1, "ab", "c") != rank(1, "a", "bc")


def test_equal_keys_keep_their_order():
    assert shuffled(ROWS, 1, "l", key=lambda row: "same") == ROWS


def test_too_small_a_population_is_an_error():
    with pytest.raises(ValueError, match="sample of 9 from 8 rows"):
        sample(ROWS, 9, 1, "l")


def test_units_are_in_range_and_even():
    drawn = [unit(3, i) for i in range(4000)]
    assert all(0 <= u < 1 for u in drawn)
    assert abs(sum(drawn) / len(drawn) - 0.5) < 0.02
    assert all(abs(sum(u < q for u in drawn) / len(drawn) - q) < 0.03 for q in (0.1, 0.5, 0.9))
