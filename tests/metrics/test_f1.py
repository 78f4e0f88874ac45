import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import macro_f1, unknown

rows_of_labels = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcx")), min_size=1, max_size=40)


def test_by_hand():
    # a: TP 1, gold 2, predicted 1 -> 2/3; b: TP 2, gold 2, predicted 3 -> 4/5; c is absent -> 0
    measure = macro_f1(["a", "a", "b", "b"], ["a", "b", "b", "b"], ["a", "b", "c"])
    assert measure.num == pytest.approx(22 / 15, rel=1e-15)
    assert measure.value == pytest.approx(22 / 45, rel=1e-15)
    assert (measure.den, measure.n) == (3, 4)
    assert measure.note.startswith("attainable ceiling 2/3")
    assert "approximate interval" in measure.note


def test_a_prediction_outside_the_list_is_only_a_miss():
    # a: TP 1, gold 2, predicted 1 -> 2/3; b: TP 2, gold 2, predicted 2 -> 1
    measure = macro_f1(["a", "a", "b", "b"], ["a", "x", "b", "b"], ["a", "b"])
    assert measure.value == pytest.approx(5 / 6, rel=1e-15)


def test_rows_per_label_decide_the_interval():
    for copies, note in [(1, "a label with one row: no interval"), (2, "approximate interval"), (3, None)]:
        measure = macro_f1(["a", "b"] * copies, ["a"] * (2 * copies - 1) + ["b"], ["a", "b"])
        assert measure.note == note
        assert (measure.low is None) == (measure.high is None) == (copies == 1)


def test_no_errors_have_no_interval():
    measure = macro_f1(["a", "b"] * 5, ["a", "b"] * 5, ["a", "b"])
    assert (measure.value, measure.low, measure.high) == (1.0, None, None)
    assert measure.note == "no resample differs: no interval"


def test_nothing_is_unknown():
    assert macro_f1([], [], ["a"]) == unknown("no rows")


@pytest.mark.parametrize(
    ("gold", "predicted", "labels", "message"),
    [
        (["a"], [None], ["a"], "predicted of row 0 is None"),
        (["z"], ["a"], ["a"], "gold of row 0 is 'z'"),
        (["a"], ["a", "a"], ["a"], "gold 1, predicted 2"),
        (["a"], ["a"], ["a", "a"], "without repeats"),
        ([], [], [], "not empty"),
    ],
)
def test_impossible_columns_are_refused(gold, predicted, labels, message):
    with pytest.raises(ValueError, match=message):
        macro_f1(gold, predicted, labels)


@pytest.mark.parametrize("extra", [[], ["absent"]])
def test_against_scikit_learn(extra):
    sklearn = pytest.importorskip("sklearn.metrics", reason="oracle for macro-F1: scikit-learn is not installed")
    rng = np.random.default_rng(6)
    labels = [f"label {i}" for i in range(20)] + extra
    gold = rng.choice(labels[:20], 300).tolist()
    predicted = [g if rng.random() < 0.7 else str(rng.choice([*labels, "outside"])) for g in gold]
    expected = sklearn.f1_score(gold, predicted, labels=labels, average="macro", zero_division=0)
    assert macro_f1(gold, predicted, labels).value == pytest.approx(expected, rel=1e-13)


@settings(max_examples=40)
@given(rows_of_labels, st.randoms(use_true_random=False))
def test_row_order_never_matters_and_the_value_is_inside(rows, order: random.Random):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    measure = macro_f1(*zip(*rows, strict=True), ["a", "b", "c"], resamples=200)
    assert measure == macro_f1(*zip(*shuffled, strict=True), ["a", "b", "c"], resamples=200)
    ceiling = len({gold for gold, _ in rows}) / 3
    assert 0.0 <= measure.value <= ceiling
    assert measure.low is None or 0.0 <= measure.low <= measure.value <= measure.high <= ceiling


def test_resamples_match_a_plain_loop():
    """The vectorised resampling against scikit-learn's F1 on the same drawn rows, one resample at a time."""
    sklearn = pytest.importorskip("sklearn.metrics", reason="oracle for macro-F1: scikit-learn is not installed")
    from dmb.metrics.f1 import _resampled_f1
    from dmb.metrics.resampling import draw_indices

    by_gold = {0: [0, 0, 1], 1: [1, 1, 2, 3]}  # of three labels; 3 is a prediction outside the list
    replicates = _resampled_f1(by_gold, 3, seed=9, resamples=25)
    for b in range(25):
        gold, predicted, start = [], [], 0
        for label, own in by_gold.items():
            for _ in own:
                gold.append(label)
                predicted.append(own[draw_indices(9, start, 25, len(own))[b]])
                start += 25
        expected = sklearn.f1_score(gold, predicted, labels=[0, 1, 2], average="macro", zero_division=0)
        assert replicates[b] == pytest.approx(expected, rel=1e-13)


def test_seed_and_pinned_interval():
    gold = ["a", "b", "c"] * 10
    predicted = ["a", "b", "c", "a", "c", "b"] * 5
    first = macro_f1(gold, predicted, ["a", "b", "c"], seed=1)
    assert first == macro_f1(gold, predicted, ["a", "b", "c"], seed=1)
    assert [round(limit, 12) for limit in (first.low, first.high)] == [0.533333333333, 0.819444444444]
    assert first != macro_f1(gold, predicted, ["a", "b", "c"], seed=2)
