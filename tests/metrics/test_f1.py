import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import macro_f1, unknown
from dmb.metrics.resampling import draw_indices

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
    ("gold", "predicted", "labels", "groups", "message"),
    [
        (["a"], [None], ["a"], None, "predicted of row 0 is None"),
        (["z"], ["a"], ["a"], None, "gold of row 0 is 'z'"),
        (["a"], ["a", "a"], ["a"], None, "gold 1, predicted 2"),
        (["a"], ["a"], ["a", "a"], None, "without repeats"),
        ([], [], [], None, "not empty"),
        (["a", "b"], ["a", "a"], ["a", "b"], ["x", "x"], "group 'x' has several gold labels: 'a' and 'b'"),
        (["a", "a"], ["a", "a"], ["a"], ["x", None], "group of row 1 is None"),
        (["a", "a"], ["a", "a"], ["a"], ["x"], "rows 2, groups 1"),
    ],
)
def test_impossible_columns_are_refused(gold, predicted, labels, groups, message):
    with pytest.raises(ValueError, match=message):
        macro_f1(gold, predicted, labels, groups=groups)


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


@pytest.mark.parametrize(
    "by_gold",
    [{0: [[0], [0], [1]], 1: [[1], [1], [2], [3]]}, {0: [[0, 0], [1], [0, 1, 0]], 2: [[1, 2], [2, 3]]}],
    ids=["rows", "groups"],
)
def test_resamples_match_a_plain_loop(by_gold):
    """The vectorised resampling against scikit-learn's F1 on the same drawn rows, one resample at a time.

    Of each label one group less is drawn than there is, with so much more weight. Of three labels; 3 is a prediction outside the list. Groups stand in their canonical order.
    """
    sklearn = pytest.importorskip("sklearn.metrics", reason="oracle for macro-F1: scikit-learn is not installed")
    from dmb.metrics.f1 import _resampled_f1

    replicates = _resampled_f1(by_gold, 3, seed=9, resamples=25)
    for b in range(25):
        gold, predicted, weights, start = [], [], [], 0
        for label, own in by_gold.items():
            for draw in range(len(own) - 1):
                group = own[draw_indices(9, start + 25 * draw, 25, len(own))[b]]
                gold += [label] * len(group)
                predicted += group
                weights += [len(own) / (len(own) - 1)] * len(group)
            start += 25 * len(own)
        expected = sklearn.f1_score(
            gold, predicted, labels=[0, 1, 2], average="macro", zero_division=0, sample_weight=weights
        )
        assert replicates[b] == pytest.approx(expected, rel=1e-13)


def test_seed_and_pinned_interval():
    gold = ["a", "b", "c"] * 10
    predicted = ["a", "b", "c", "a", "c", "b"] * 5
    first = macro_f1(gold, predicted, ["a", "b", "c"], seed=1)
    assert first == macro_f1(gold, predicted, ["a", "b", "c"], seed=1)
    assert [round(limit, 12) for limit in (first.low, first.high)] == [0.519091847265, 0.816305469556]
    assert first != macro_f1(gold, predicted, ["a", "b", "c"], seed=2)


# -- groups


def sample(n: int, n_labels: int) -> tuple[list[int], list[int]]:
    """Gold in turn, seven of ten predicted right; two of the other predictions stand beyond the gold labels."""
    hits, others = draw_indices(3, 0, 2 * n, 1000).reshape(2, n).tolist()
    gold = [row % n_labels for row in range(n)]
    return gold, [g if hit < 700 else o % (n_labels + 2) for g, hit, o in zip(gold, hits, others, strict=True)]


@pytest.mark.parametrize(
    ("n", "n_labels", "absent", "options", "expected"),
    [
        (40, 20, 0, {}, (0.6799999999999999, 0.5933333333333333, 0.8433333333333332)),
        (40, 20, 2, {}, (0.6181818181818182, 0.5393939393939394, 0.7666666666666666)),
        (400, 77, 0, {}, (0.7234176357552982, 0.6864685456387629, 0.7824156087540529)),
        (400, 77, 2, {}, (0.7051032652298476, 0.6690895951162626, 0.7626076186590136)),
        (
            *(400, 77, 0, {"seed": 5, "level": 0.9, "resamples": 500}),
            (0.7234176357552982, 0.6958492119420664, 0.7767897062989335),
        ),
        (90, 3, 0, {}, (0.8352130325814535, 0.7656641604010024, 0.9142532256567342)),
    ],
)
def test_groups_of_one_row_are_pinned_to_the_last_bit(n, n_labels, absent, options, expected):
    """A change here changes every published interval."""
    gold, predicted = sample(n, n_labels)
    labels = list(range(n_labels + absent))
    measure = macro_f1(gold, predicted, labels, **options)
    assert (measure.value, measure.low, measure.high) == expected
    assert (measure.n, measure.n_groups) == (n, n)
    assert macro_f1(gold, predicted, labels, groups=[f"item {-row}" for row in range(n)], **options) == measure


def test_groups_by_hand():
    # a's groups are a | a b b, b's are b b | b b. As they are: a 4/6, b 8/10, mean 11/15.
    # a's first twice: all right, 1. Its second twice: a 4/8, b 8/12, mean 7/12. Each in a quarter of the resamples.
    gold, predicted, groups = "aaaabbbb", "aabbbbbb", [1, 2, 2, 2, 3, 3, 4, 4]
    measure = macro_f1(gold, predicted, ["a", "b"], groups=groups)
    assert measure.value == pytest.approx(11 / 15, rel=1e-15)
    assert (measure.low, measure.high) == pytest.approx((22 / 15 - 1, 22 / 15 - 7 / 12), rel=1e-14)
    assert (measure.den, measure.n, measure.n_groups, measure.note) == (2, 8, 4, "approximate interval")


def test_groups_per_label_decide_the_interval():
    for copies, note in [(1, "a label with one group: no interval"), (2, "approximate interval"), (3, None)]:
        gold = ["a"] * 4 * copies + ["b"] * 16
        predicted = ["b", *gold[1:]]
        measure = macro_f1(gold, predicted, ["a", "b"], groups=[row // 4 for row in range(len(gold))])
        assert measure.note == note
        assert measure.n_groups == copies + 4
        assert (measure.low is None) == (measure.high is None) == (copies == 1)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.text("abcx", min_size=1, max_size=4)), min_size=1, max_size=15),
    st.randoms(use_true_random=False),
)
def test_row_order_and_names_of_groups_never_matter(groups, order: random.Random):
    rows = [(gold, p, name) for name, (gold, predicted) in enumerate(groups) for p in predicted]
    names = list(range(len(groups)))
    order.shuffle(names)
    shuffled = [(gold, p, f"item {names[name]}") for gold, p, name in rows]
    order.shuffle(shuffled)
    measures = []
    for listed in (rows, shuffled):
        gold, predicted, named = zip(*listed, strict=True)
        measures.append(macro_f1(gold, predicted, ["a", "b", "c"], groups=named, resamples=200))
    assert measures[0] == measures[1]
    assert measures[0].n_groups == len(groups)
    assert measures[0].low is None or measures[0].low <= measures[0].value <= measures[0].high


@pytest.mark.parametrize("copies", [3, 4])
def test_copies_of_rows_add_no_certainty(copies):
    """The same groups are drawn, so that the interval is the very one; by rows it would be about half as wide."""
    gold, predicted = sample(400, 40)
    once = macro_f1(gold, predicted, list(range(40)))
    copied = macro_f1(
        gold * copies, predicted * copies, list(range(40)), groups=[row % 400 for row in range(400 * copies)]
    )
    assert (copied.value, copied.low, copied.high) == pytest.approx((once.value, once.low, once.high), rel=1e-12)
    assert (copied.n, copied.n_groups) == (400 * copies, 400)
    by_rows = macro_f1(gold * copies, predicted * copies, list(range(40)))
    assert by_rows.high - by_rows.low < 0.7 * (once.high - once.low)
