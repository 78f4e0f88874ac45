"""The word-overlap rule, by hand."""

from __future__ import annotations

import math
import random

import pytest

from dmb.baselines import BASELINES, keyword
from dmb.baselines.keyword import option_stems, stem, stems
from dmb.baselines.question import Knowledge, Question

GATE = [("no", "No fire is mentioned"), ("yes", "A fire is mentioned")]


def ask(state, options, keywords=None, item="x", seed=1):
    answerer = BASELINES["keyword"].open(Knowledge({"seed": seed}, keywords=keywords or {}))
    answer = answerer(Question((item, 0, 0), state, options))
    return options[answer.choice_index][0], answer.confidence


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("cards", "card"),
        ("charges", "charg"),
        ("charge", "charg"),
        ("charged", "charg"),
        ("charging", "charg"),
        ("pass", "pass"),
        ("bus", "bus"),
        ("king", "king"),
        ("red", "red"),
        ("need", "need"),
        ("sing", "sing"),
    ],
)
def test_stem(word, expected):
    assert stem(word) == expected


def test_option_tokens_are_distinct_and_without_stop_words():
    assert option_stems("Is the card, the CARDS?") == {"card"}
    assert stems("It's the Cards") == ("it", "s", "the", "card")


def test_more_shared_words_win_and_the_confidence_is_the_stated_share():
    options = [("lost", "lost card"), ("fee", "cash fee"), ("pin", "forgotten pin")]
    chosen, confidence = ask("I lost my cards and some cash", options)
    lost, fee = 2 / math.sqrt(2), 1 / math.sqrt(2)
    assert chosen == "lost"
    assert confidence == pytest.approx((lost + 1 / 3) / (lost + fee + 1), abs=1e-9)


def test_a_long_option_text_does_not_win_by_length():
    options = [("long", "card payment refund transfer limit country"), ("short", "card")]
    assert ask("about my card", options)[0] == "short"


def test_nothing_shared_is_one_in_n_and_does_not_look_at_the_position():
    options = [(letter, f"word{letter}") for letter in "abcdef"]
    chosen, confidence = ask("unrelated", options)
    assert confidence == pytest.approx(1 / 6, abs=1e-9)
    assert all(ask("unrelated", random.Random(i).sample(options, 6))[0] == chosen for i in range(10))


def test_ties_depend_on_item_and_seed_but_not_on_permutation_or_repeat():
    options = [(letter, f"word{letter}") for letter in "abcdef"]
    assert len({ask("unrelated", options, item=f"item-{i}")[0] for i in range(60)}) == 6
    assert len({ask("unrelated", options, seed=i)[0] for i in range(60)}) == 6
    answerer = BASELINES["keyword"].open(Knowledge({"seed": 1}))
    answers = {answerer(Question(("x", p, r), "unrelated", options)).choice_index for p in range(5) for r in range(5)}
    assert len(answers) == 1


TEXT_HIT = 1 / math.sqrt(2)


@pytest.mark.parametrize(
    ("state", "chosen", "score"),
    [
        ("It went up in smoke", "yes", 1),
        ("The engine caught fire", "yes", 2 + TEXT_HIT),
        ("The engine caught a fire", "yes", 1 + TEXT_HIT),
        ("An outbreak", "yes", TEXT_HIT),
        ("The radio is broken", "no", 0),
        ("No, nothing", "no", 0),
    ],
)
def test_gate_with_a_list_for_yes_alone(state, chosen, score):
    options = [("no", "No"), ("yes", "fire outbreak")]
    keywords = {"yes": ["smokes", "caught fire", "fire"]}
    expected = (chosen, pytest.approx((score + 0.5) / (score + 1), abs=1e-9))
    assert ask(state, options, keywords) == expected
    assert ask(state, options[::-1], keywords) == expected


def test_an_option_without_a_list_never_scores_on_its_text():
    assert ask("no fire is mentioned here, just smoke", GATE, {"yes": ["smoke"]})[0] == "yes"


def test_default_is_drawn_among_several_options_without_a_list():
    options = [("fire", "Fire"), ("other", "Other"), ("none", "None")]
    chosen = {ask("quiet", options, {"fire": ["smoke"]}, item=f"item-{i}")[0] for i in range(40)}
    assert chosen == {"other", "none"}


def test_every_option_listed_and_none_fires_is_a_draw():
    chosen = {ask("quiet", GATE, {"yes": ["smoke"], "no": ["cold"]}, item=f"i{i}") for i in range(40)}
    assert chosen == {("yes", 0.5), ("no", 0.5)}


def test_stop_words_count_in_keyword_lists():
    assert ask("I do not agree", [("agree", "Yes"), ("deny", "No")], {"deny": ["not"]})[0] == "deny"


def test_lists_of_options_that_are_not_shown_change_nothing():
    options = [("a", "lost card"), ("b", "cash fee")]
    assert ask("lost card", options, {"z": ["card"]}) == ask("lost card", options)


def test_no_question_is_cheaper_for_what_was_asked_before(monkeypatch):
    counted = []
    monkeypatch.setattr(keyword, "option_stems", lambda text: counted.append(text) or frozenset())
    answerer = keyword.open_keyword(Knowledge({}))
    for n in range(2):
        answerer(Question((str(n), 0, 0), "lost card", [("a", "lost card"), ("b", "cash fee")]))
    assert counted == ["lost card", "cash fee"] * 2
