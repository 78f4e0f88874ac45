"""The trained baseline: what it refuses, its probabilities against the library's own, and real data."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from dmb import sampling
from dmb.baselines import BASELINES
from dmb.baselines.question import Knowledge, Question, Unsupported
from dmb.baselines.tfidf_logreg import MAX_ITER, TOLERANCE, C

TRAIN = [
    ("my card is lost", "lost"),
    ("i lost the card somewhere", "lost"),
    ("cash machine took a fee", "fee"),
    ("why was there a fee for cash", "fee"),
    ("forgot my pin number", "pin"),
    ("the pin is blocked", "pin"),
]
OPTIONS = [("pin", "pin"), ("lost", "lost"), ("fee", "fee")]


def opened(train, **settings):
    return BASELINES["tfidf-logreg"].open(Knowledge(settings, train=train))


def ask(answerer, state, options=OPTIONS):
    return answerer(Question(("x", 0, 0), state, options))


def oracle(train):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
        LogisticRegression(C=C, max_iter=MAX_ITER, tol=TOLERANCE),
    )
    return model.fit([text for text, _ in train], [option_id for _, option_id in train])


@pytest.mark.parametrize("train", [None, []])
def test_no_train_split(train):
    assert ask(opened(train), "anything") == Unsupported("no train split")


def test_a_single_class_cannot_be_trained():
    assert ask(opened(TRAIN[:2]), "anything") == Unsupported("train split has a single class")


def test_options_that_are_no_classes():
    answerer = opened(TRAIN)
    assert ask(answerer, "lost card", [("yes", "Yes"), ("no", "No")]) == Unsupported(
        "options are not classes of the train split"
    )


def test_an_unknown_option_has_probability_zero():
    answer = ask(opened(TRAIN), "lost card", [("other", "other"), ("lost", "lost"), ("fee", "fee")])
    assert answer.choice_index == 1
    assert answer.probabilities[0] == 0.0
    assert sum(answer.probabilities) == pytest.approx(1, abs=1e-8)


def test_probabilities_are_the_librarys_own():
    answer = ask(opened(TRAIN), "i lost my pin")
    model = oracle(TRAIN)
    expected = dict(zip(model.classes_, model.predict_proba(["i lost my pin"])[0], strict=True))
    assert answer.probabilities == pytest.approx([expected[option_id] for option_id, _ in OPTIONS], abs=1e-8)
    assert answer.confidence == max(answer.probabilities)


def test_renormalised_over_the_shown_options():
    model = oracle(TRAIN)
    expected = dict(zip(model.classes_, model.predict_proba(["i lost my pin"])[0], strict=True))
    answer = ask(opened(TRAIN), "i lost my pin", [("fee", "fee"), ("pin", "pin")])
    assert answer.probabilities[1] == pytest.approx(expected["pin"] / (expected["pin"] + expected["fee"]), abs=1e-8)


def test_two_classes_match_the_library_too():
    train = TRAIN[:4]
    model = oracle(train)
    expected = dict(zip(model.classes_, model.predict_proba(["lost cash"])[0], strict=True))
    answer = ask(opened(train), "lost cash", [("lost", "lost"), ("fee", "fee")])
    assert answer.probabilities == pytest.approx([expected["lost"], expected["fee"]], abs=1e-8)


def test_training_twice_gives_the_same_bytes_and_settings_count():
    assert ask(opened(TRAIN), "i lost my pin") == ask(opened(TRAIN), "i lost my pin")
    assert ask(opened(TRAIN, C=0.1), "i lost my pin") != ask(opened(TRAIN), "i lost my pin")


def rows(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["text"], row["category"]) for row in csv.DictReader(file)]


def test_real_data_ten_rows_per_label_beat_one_half(real_data: Path):
    folder = real_data / "banking77"
    by_label: dict[str, list[tuple[str, str]]] = {}
    for row in rows(folder / "train.csv"):
        by_label.setdefault(row[1], []).append(row)
    train = [row for label in sorted(by_label) for row in sampling.sample(by_label[label], 10, 1, "train")]
    test = sampling.sample(rows(folder / "test.csv"), 300, 1, "test")
    options = [(label, label.replace("_", " ")) for label in sorted(by_label)]
    answerer = opened(train)
    correct = sum(options[ask(answerer, text, options).choice_index][0] == label for text, label in test)
    assert correct / len(test) > 0.5
