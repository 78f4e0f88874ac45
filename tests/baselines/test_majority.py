"""The class prior, by hand."""

from __future__ import annotations

import pytest

from dmb.baselines import BASELINES
from dmb.baselines.question import Knowledge, Question

OPTIONS = [("c", "third"), ("a", "first"), ("b", "second")]


def ask(prior, options=OPTIONS):
    answer = BASELINES["majority"].open(Knowledge({}, prior=prior))(Question(("x", 0, 0), "state", options))
    return options[answer.choice_index][0], answer.confidence


def test_most_probable_shown_option_with_its_renormalised_share():
    chosen, confidence = ask({"z": 0.5, "a": 0.1, "b": 0.3, "c": 0.1})
    assert chosen == "b"
    assert confidence == pytest.approx(0.6)


def test_equal_shares_go_to_the_first_in_the_priors_order():
    assert ask({"b": 0.25, "c": 0.25, "a": 0.25})[0] == "b"
    assert ask({"c": 0.25, "b": 0.25, "a": 0.25})[0] == "c"


def test_a_single_known_option_is_certain():
    assert ask({"a": 0.2, "z": 0.8}) == ("a", 1.0)


@pytest.mark.parametrize("prior", [None, {}, {"z": 1.0}, {"a": 0.0, "z": 1.0}])
def test_without_a_usable_prior_the_first_option_by_id(prior):
    assert ask(prior) == ("a", pytest.approx(1 / 3))
    assert ask(prior, list(reversed(OPTIONS)))[0] == "a"
