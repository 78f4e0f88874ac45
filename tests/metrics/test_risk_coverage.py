import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.metrics import RiskPoint, aurc, coverage_at_risk, risk_coverage, unknown
from tests.metrics.answers import rows_of_answers


def test_by_hand():
    confidence, correct = [0.5, 0.9, 0.9, 0.7], [False, True, False, True]
    assert risk_coverage(confidence, correct) == [RiskPoint(0.9, 2, 1), RiskPoint(0.7, 3, 1), RiskPoint(0.5, 4, 2)]
    # risks of the 1 to 4 surest: 1/2 (either of the two), 1/2, 1/3, 2/4
    measure = aurc(confidence, correct)
    assert measure.num == pytest.approx(1 / 2 + 1 / 2 + 1 / 3 + 2 / 4)
    assert (measure.value, measure.den, measure.n) == (measure.num / 4, 4, 4)
    assert coverage_at_risk(confidence, correct, 0.4).num == 3
    assert coverage_at_risk(confidence, correct, 0.1).value == 0.0


def test_a_cut_off_may_do_better_further_down():
    # the surest is wrong, the next nineteen are right: 5 % is met at the end alone
    confidence, correct = [1.0] + [0.5] * 19, [False] + [True] * 19
    assert coverage_at_risk(confidence, correct, 0.05).value == 1.0


@pytest.mark.parametrize(("risk", "wrong"), [(0.1, 3), (0.01, 3), (0.07, 7)])
def test_a_risk_is_read_as_written(risk, wrong):
    n = round(wrong / risk)
    rows = [0.5] * n, [False] * wrong + [True] * (n - wrong)
    assert coverage_at_risk(*rows, risk).value == 1.0
    assert coverage_at_risk(rows[0], [False, *rows[1][:-1]], risk).value == 0.0


def test_nothing_and_nan():
    assert risk_coverage([], []) == []
    assert aurc([], []) == coverage_at_risk([], [], 0.1) == unknown("no rows")
    assert (
        aurc([math.nan], [True]) == coverage_at_risk([math.nan], [True], 0.1) == unknown("confidence of row 0 is nan")
    )


@pytest.mark.parametrize("risk", [-0.1, 1.0])
def test_a_risk_is_a_share(risk):
    with pytest.raises(ValueError, match="risk"):
        coverage_at_risk([0.5], [True], risk)


def test_no_ties_against_running_means():
    rng = np.random.default_rng(4)
    confidence, correct = rng.random(200), rng.random(200) < 0.7
    wrong = ~correct[np.argsort(-confidence)]
    running = np.cumsum(wrong) / np.arange(1, 201)
    assert aurc(confidence, correct).value == pytest.approx(running.mean(), rel=1e-12)
    assert [p.n_wrong / p.n_accepted for p in risk_coverage(confidence, correct)] == pytest.approx(running.tolist())


def test_cut_offs_against_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics", reason="oracle for cut-offs: scikit-learn is not installed")
    rng = np.random.default_rng(4)
    confidence, correct = np.round(rng.random(200), 2), rng.random(200) < 0.7
    precision, _, thresholds = sklearn.precision_recall_curve(correct, confidence)
    points = {p.threshold: p.n_wrong / p.n_accepted for p in risk_coverage(confidence, correct)}
    assert points == pytest.approx(dict(zip(thresholds.tolist(), (1 - precision[:-1]).tolist(), strict=True)))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.9]), st.booleans()), min_size=1, max_size=6))
def test_ties_are_the_mean_over_every_order(rows):
    risks = []
    for order in itertools.permutations(rows):
        wrong = [not right for _, right in sorted(order, key=lambda row: -row[0])]
        risks.append(np.mean(np.cumsum(wrong) / np.arange(1, len(rows) + 1)))
    assert aurc(*zip(*rows, strict=True)).value == pytest.approx(np.mean(risks), abs=1e-12)


@given(rows_of_answers, st.randoms(use_true_random=False))
def test_row_order_never_matters_and_bounds(rows, order):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    columns, others = tuple(zip(*rows, strict=True)), tuple(zip(*shuffled, strict=True))
    assert aurc(*columns) == aurc(*others) and risk_coverage(*columns) == risk_coverage(*others)
    points = risk_coverage(*columns)
    assert points[-1].n_accepted == len(rows) and points[-1].n_wrong == columns[1].count(False)
    assert 0.0 <= aurc(*columns).value <= 1.0
    kept = [coverage_at_risk(*columns, risk).value for risk in (0.0, 0.01, 0.05, 0.1, 0.5)]
    assert kept == sorted(kept)


@given(rows_of_answers)
def test_only_the_order_of_confidences_counts(rows):
    confidence, correct = zip(*rows, strict=True)
    places = {c: place for place, c in enumerate(sorted(set(confidence)))}
    ranks = [places[c] / len(places) for c in confidence]
    assert aurc(ranks, correct) == aurc(confidence, correct)
