"""Scores to an answer: hand cases and order independence."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from dmb.baselines.softmax import answer_from_scores


def test_by_hand():
    answer = answer_from_scores(["a", "b", "c"], [0.0, math.log(3), -math.inf])
    assert answer.probabilities == (0.25, 0.75, 0.0)
    assert (answer.choice_index, answer.confidence) == (1, 0.75)


def test_large_scores_do_not_overflow():
    assert answer_from_scores(["a", "b"], [5000.0, 0.0]).probabilities == (1.0, 0.0)


def test_equal_scores_go_to_the_first_id_at_any_position():
    assert answer_from_scores(["b", "a"], [1.0, 1.0]).choice_index == 1
    assert answer_from_scores(["a", "b"], [1.0, 1.0]).choice_index == 0


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_order_of_the_options_never_shows(scores, generator):
    ids = [f"o{i:02}" for i in range(len(scores))]
    order = list(range(len(scores)))
    generator.shuffle(order)
    straight = answer_from_scores(ids, scores)
    mixed = answer_from_scores([ids[i] for i in order], [scores[i] for i in order])
    assert order[mixed.choice_index] == straight.choice_index
    assert mixed.confidence == straight.confidence
    assert list(mixed.probabilities) == [straight.probabilities[i] for i in order]
    assert abs(math.fsum(straight.probabilities) - 1) < 1e-7
