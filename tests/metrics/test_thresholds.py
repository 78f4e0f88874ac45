import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import group_folds, rate, threshold_table, unknown

unit = st.floats(0.0, 1.0) | st.integers(0, 10).map(lambda k: k / 10)
decided = st.lists(st.tuples(unit, st.booleans(), st.integers(0, 9)), min_size=2, max_size=40)


def test_cut_offs_by_hand():
    confidence = [0.9, 0.8, 0.8, 0.6, 0.9, 0.7, 0.5, 0.5]
    correct = [1, 1, 0, 1, 1, 1, 0, 1]
    folds = [0, 0, 0, 0, 1, 1, 1, 1]
    (strict,) = threshold_table(confidence, correct, folds, target_errors=[0.0])
    # without fold 0: 0.9, 0.7 right, then a wrong one at 0.5; without fold 1: one of the two at 0.8 is wrong
    assert strict.fold_thresholds == (0.7, 0.9)
    assert strict.threshold == 0.9
    assert strict.kept == rate([1, 1, 1, 0, 1, 0, 0, 0])
    assert strict.error == rate([0, 0, 1, 0])


def test_a_cut_off_may_lie_beyond_a_stretch_of_errors():
    """At 0.8 every second is wrong, at 0.5 every fourth: the smallest that meets the target counts."""
    confidence = [0.9, 0.8, 0.7, 0.5] * 2
    (row,) = threshold_table(confidence, [1, 0, 1, 1] * 2, [0] * 4 + [1] * 4, target_errors=[0.25])
    assert row.threshold == 0.5 and row.kept.value == 1.0 and row.error.value == 0.25


def test_nothing_meets_the_target():
    (row,) = threshold_table([0.9, 0.8], [0, 0], [0, 1], target_errors=[0.1])
    assert (row.threshold, row.fold_thresholds) == (None, (None, None))
    assert row.kept.value == 0.0 and row.error == unknown("nothing is kept")
    assert threshold_table([], [], []) == []


def test_chosen_on_the_same_rows_it_would_look_better():
    """Confidences that say nothing: in sample the target is met, out of fold the error is what it is."""
    rng = np.random.default_rng(4)
    confidence, correct = rng.random(300), rng.random(300) < 0.85
    row = threshold_table(confidence, correct, [i % 5 for i in range(300)], target_errors=[0.05])[0]
    inside = 1 - correct[confidence >= row.threshold].mean()
    assert inside <= 0.05 < row.error.value


def test_groups_reach_the_intervals_and_stay_in_one_fold():
    confidence, correct = [0.9, 0.8, 0.9, 0.6], [1, 0, 1, 1]
    row = threshold_table(confidence, correct, [0, 0, 1, 1], ["x", "x", "y", "y"], target_errors=[1.0])[0]
    assert row.fold_thresholds == (0.6, 0.8)
    assert row.kept == rate([1, 1, 1, 0], ["x", "x", "y", "y"])
    assert row.error == rate([0, 1, 0], ["x", "x", "y"])
    with pytest.raises(ValueError, match="group of row 2 is in two folds"):
        threshold_table(confidence, correct, [0, 1, 1, 0], ["x", "y", "x", "y"])


@settings(max_examples=60)
@given(decided, st.sampled_from([0.0, 0.05, 0.1, 0.5]), st.randoms(use_true_random=False))
def test_against_trying_every_confidence(table, target, order):
    confidence, correct = [c for c, _, _ in table], [k for _, k, _ in table]
    groups = [str(g) for _, _, g in table]
    folds = group_folds(groups, 2)
    if len(set(folds)) < 2:
        return

    def best(rows):
        meets = [
            t
            for t in {confidence[r] for r in rows}
            if np.mean([not correct[r] for r in rows if confidence[r] >= t]) <= target + 1e-12
        ]
        return min(meets, default=None)

    (row,) = threshold_table(confidence, correct, folds, groups, target_errors=[target])
    everything = range(len(table))
    assert row.threshold == best(everything)
    assert row.fold_thresholds == tuple(best([r for r in everything if folds[r] != f]) for f in (0, 1))
    assert row.kept.n == len(table) and row.error.n == row.kept.num

    shuffled = list(everything)
    order.shuffle(shuffled)
    again = threshold_table(
        *([column[r] for r in shuffled] for column in (confidence, correct, folds, groups)), target_errors=[target]
    )
    assert again == [row]


def test_folds_are_even_and_know_only_names():
    groups = [f"item {i // 3}" for i in range(300)]
    folds = group_folds(groups)
    assert [sum(f == k for f in folds) for k in range(5)] == [60] * 5
    assert group_folds(groups[::-1]) == folds[::-1]
    assert len(set(zip(groups, folds, strict=True))) == 100
    assert group_folds(groups, seed=1) != folds
    # pinned: a release must not change its folds
    assert group_folds(list("abcdefgh"), 3) == [1, 2, 1, 0, 0, 2, 0, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: threshold_table([0.5, 0.6], [1, 0], [0, 0]), "at least two"),
        (lambda: threshold_table([0.5, 0.6], [1, 0], [0, 1], target_errors=[5]), "tolerated share"),
        (lambda: threshold_table([0.5, 0.6], [1, 0], [0]), "length"),
        (lambda: threshold_table([0.5, 1.6], [1, 0], [0, 1]), "outside"),
        (lambda: group_folds(["a"], 1), "two folds"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
