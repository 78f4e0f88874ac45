import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import holm, least_p_value, mcnemar_exact, paired_p_value, rank_ranges, sign_flip_exact

p_values = st.lists(st.floats(0.0, 1.0) | st.sampled_from([0.01, 0.04]), max_size=12)


def test_mcnemar_by_hand():
    # of 6: 1 + 6 of 64 ways have at most one on the smaller side
    assert mcnemar_exact(5, 1) == mcnemar_exact(1, 5) == 14 / 64
    assert mcnemar_exact(0, 6) == 2 / 64
    assert mcnemar_exact(0, 0) == mcnemar_exact(3, 3) == mcnemar_exact(3, 4) == 1.0


def test_mcnemar_against_statsmodels():
    tables = pytest.importorskip("statsmodels.stats.contingency_tables", reason="oracle for McNemar: no statsmodels")
    for b, c in [(1, 0), (10, 2), (25, 40), (150, 90), (3, 300)]:
        expected = tables.mcnemar([[7, b], [c, 9]], exact=True).pvalue
        assert mcnemar_exact(b, c) == pytest.approx(expected, rel=1e-10)


def test_sign_flips_by_hand():
    # sums of +-2 +-1 +-1: 4, 2, 2, 0 and their opposites
    assert sign_flip_exact([2, 1, 1]) == 2 / 8
    assert sign_flip_exact([2, 1, -1]) == 6 / 8
    assert sign_flip_exact([2, -1, -1, 0]) == 1.0
    assert sign_flip_exact([]) == sign_flip_exact([0, 0]) == 1.0


@given(st.lists(st.integers(-5, 5), max_size=9))
def test_sign_flips_against_every_assignment(totals):
    sums = [
        abs(sum(s * t for s, t in zip(signs, totals, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(totals))
    ]
    assert sign_flip_exact(totals) == np.mean([s >= abs(sum(totals)) for s in sums])


def test_sign_flips_against_scipy():
    stats = pytest.importorskip("scipy.stats", reason="oracle for sign flips: scipy is not installed")
    totals = np.array([3, -1, 4, 1, 5, -2, 6, 0, 2, -4])
    done = stats.permutation_test(
        (totals,), lambda x, axis: x.sum(axis=axis), permutation_type="samples", n_resamples=math.inf, vectorized=True
    )
    assert sign_flip_exact(totals) == pytest.approx(done.pvalue, rel=1e-12)


@given(st.integers(0, 60), st.integers(0, 60))
def test_sign_flips_of_ones_are_mcnemar(only_a, only_b):
    assert sign_flip_exact([1] * only_a + [-1] * only_b) == mcnemar_exact(only_a, only_b)


def test_paired_p_counts_rows_or_groups():
    a, b = [1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 1, 1]
    assert paired_p_value(a, b) == paired_p_value(a, b, list("uvwxyz")) == mcnemar_exact(4, 1)
    assert paired_p_value(a, b, list("xxyyzz")) == sign_flip_exact([2, 2, -1]) == 4 / 8
    assert paired_p_value([], []) == 1.0


def test_the_least_p_of_a_few_groups():
    assert [least_p_value(n) for n in (0, 1, 5)] == [1.0, 1.0, 2 / 32]
    assert least_p_value(25) == sign_flip_exact([11] * 25)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02]
    assert holm([0.4, 0.5, 1.0]) == [1.0, 1.0, 1.0]
    assert holm([]) == []


def test_holm_against_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="oracle for Holm: no statsmodels")
    p = np.random.default_rng(5).random(66) ** 3
    assert holm(p.tolist()) == pytest.approx(multitest.multipletests(p, method="holm")[1].tolist(), rel=1e-13)


@given(p_values, st.randoms(use_true_random=False))
def test_holm_invariants(p, order):
    adjusted = holm(p)
    assert all(x <= y <= 1.0 for x, y in zip(p, adjusted, strict=True))
    shuffled = list(range(len(p)))
    order.shuffle(shuffled)
    assert holm([p[i] for i in shuffled]) == [adjusted[i] for i in shuffled]
    assert all(adjusted[i] <= adjusted[j] for i, j in itertools.permutations(range(len(p)), 2) if p[i] <= p[j])


def test_ranks_by_hand():
    values = [0.9, 0.8, 0.7, 0.5]
    assert rank_ranges(values, set()) == [(1, 4)] * 4
    # the first beats the last two, the second beats the last
    assert rank_ranges(values, {(0, 2), (0, 3), (1, 3)}) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    everything = {(i, j) for i, j in itertools.combinations(range(4), 2)}
    assert rank_ranges(values, everything) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert rank_ranges([], set()) == []


def test_values_widen_a_range_that_rests_on_other_rows():
    assert rank_ranges([0.7, 0.8], {(0, 1)}) == [(1, 2), (1, 2)]


@settings(max_examples=50)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=7), st.data())
def test_rank_invariants(values, data):
    pairs = [(i, j) for i, j in itertools.permutations(range(len(values)), 2) if values[i] > values[j]]
    found = set(data.draw(st.lists(st.sampled_from(pairs)))) if pairs else set()
    ranges = rank_ranges(values, found)
    for i, (best, worst) in enumerate(ranges):
        ahead, level = sum(v > values[i] for v in values), values.count(values[i])
        assert 1 <= best <= ahead + 1 and ahead + level <= worst <= len(values)
    for i, j in found:
        assert ranges[i][1] < len(values) and ranges[j][0] > 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mcnemar_exact(-1, 2), "only_a"),
        (lambda: mcnemar_exact(1, 2.5), "only_b"),
        (lambda: sign_flip_exact([1, 0.5]), "group 1"),
        (lambda: holm([0.1, math.nan]), "p-value 1"),
        (lambda: rank_ranges([1, 2], {(0, 2)}), "contenders"),
        (lambda: rank_ranges([1, 2], {(0, 0)}), "contenders"),
        (lambda: rank_ranges([1, 2], {(0, 1), (1, 0)}), "each be better"),
        (lambda: paired_p_value([1], [1, 0]), "length"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
