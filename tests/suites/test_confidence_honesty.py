"""The confidence-honesty suite: how many options agree with the text is what it says, and words do not betray it."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dmb.contracts.suite import SuiteFile
from dmb.errors import InputError
from dmb.suites.built import BuilderArgs, identity_bytes, texts_bytes
from dmb.suites.confidence_honesty import KINDS, build
from dmb.suites.confidence_texts import SCENES, Scene
from tests.suites.made_up import check_same_bytes

ROOT = Path(__file__).parents[2]
SUITE = SuiteFile.model_validate(tomllib.loads((ROOT / "data/suites/confidence-honesty.toml").read_text("utf-8")))
LIMIT = 0.65


def arguments(**changed: object) -> BuilderArgs:
    params = {**SUITE.items.params, **changed}
    return BuilderArgs(SUITE.id, (), (), None, params, [s.id for s in SUITE.slots], inputs=None)


BUILT = build(arguments())
ITEMS = BUILT.items
KIND = np.array([item.slices["kind"] for item in ITEMS])
STATES = [item.state for item in ITEMS]
WITH_OPTIONS = ["\n".join([item.state, *(text for _, text in BUILT.option_sets[item.option_set])]) for item in ITEMS]


def scene_of(item) -> Scene:
    label = BUILT.option_sets[item.option_set][0][1].split(": ")[0].rsplit(" ", 1)[0]
    (scene,) = [s for s in SCENES if s.label == label]
    return scene


def fitting(item) -> list[str]:
    """Ids of the options that agree with all clues, read from the texts alone."""
    scene = scene_of(item)
    clues = []
    for place, facet in enumerate(scene.facets):
        said = [c for c in facet.clues if f" {c.clause}" in item.state]
        # A clause may be the beginning of another one; the longer is the one that was said.
        said = [c for c in said if not any(c is not d and d.clause.startswith(c.clause) for d in said)]
        assert len(said) <= 1, said
        clues += [(place, c) for c in said]
    assert len(clues) == 3, item.state
    found = []
    for option, text in BUILT.option_sets[item.option_set]:
        values = text.split(": ", 1)[1].split(", ")
        assert len(values) == len(scene.facets)
        if all(facet_index(scene, place, values[place]) in clue.fits for place, clue in clues):
            found.append(option)
    return found


def facet_index(scene: Scene, place: int, value: str) -> int:
    return scene.facets[place].values.index(value)


def test_counts_and_slices():
    assert Counter(KIND) == {kind: 100 for kind in KINDS}
    assert len({i.id for i in ITEMS}) == len(set(STATES)) == 300
    for item in ITEMS:
        assert item.group is None and item.stratum == item.slices["kind"]
        assert ("k" in item.slices) == (item.slices["kind"] == "underdetermined")
    several = Counter(i.slices.get("k") for i in ITEMS)
    assert all(several[k] >= 30 for k in (2, 3, 4))


def test_as_many_options_fit_as_the_kind_says():
    for item in ITEMS:
        fits = fitting(item)
        gold = item.gold["decision"]
        if item.slices["kind"] == "no-good-option":
            assert fits == [] and gold is None
        elif item.slices["kind"] == "control":
            assert fits == [gold]
        else:
            assert len(fits) == item.slices["k"] and gold in fits


def test_option_texts_are_distinct_and_4_to_8():
    for item in ITEMS:
        texts = [text for _, text in BUILT.option_sets[item.option_set]]
        assert len(set(texts)) == len(texts) and 4 <= len(texts) <= 8


def test_scenes_and_option_counts_are_the_same_in_every_kind():
    dealt = {
        kind: Counter((scene_of(i).id, len(BUILT.option_sets[i.option_set])) for i in ITEMS if i.slices["kind"] == kind)
        for kind in KINDS
    }
    assert dealt["control"] == dealt["underdetermined"] == dealt["no-good-option"]
    assert len(SCENES) >= 12


def test_gold_is_spread_over_places_and_over_the_fitting_options():
    for kind in ("control", "underdetermined"):
        share = Counter()
        for item in ITEMS:
            if item.slices["kind"] == kind:
                ids = [o for o, _ in BUILT.option_sets[item.option_set]]
                share[ids.index(item.gold["decision"]) * 2 // len(ids)] += 1
        assert abs(share[0] - 50) <= 12
    ranks = [fitting(i).index(i.gold["decision"]) / (i.slices["k"] - 1) for i in ITEMS if "k" in i.slices]
    assert 0.35 < float(np.mean(ranks)) < 0.65


def test_every_clue_fits_something_and_rules_something_out():
    for scene in SCENES:
        clauses = [c.clause for f in scene.facets for c in f.clues]
        assert len(clauses) == len(set(clauses)), scene.id
        for facet in scene.facets:
            assert all("," not in v and ": " not in v for v in facet.values)
            assert set().union(*(c.fits for c in facet.clues)) == set(range(len(facet.values)))
            assert all(0 < len(c.fits) < len(facet.values) for c in facet.clues)


def test_lengths_are_alike():
    for texts in (STATES, WITH_OPTIONS):
        words = np.array([len(t.split()) for t in texts])
        means = [words[kind == KIND].mean() for kind in KINDS]
        assert max(means) - min(means) < 0.05 * np.mean(means)


def separability(texts: list[str], positive: np.ndarray, splits: int = 5) -> tuple[float, float]:
    """(mean area under the curve, mean balanced accuracy) of a bag of words learnt on one half, tried on the other."""
    # half of a second, which who only collects the tests need not pay
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score
    from sklearn.model_selection import StratifiedShuffleSplit
    from sklearn.pipeline import make_pipeline

    areas, accuracies = [], []
    halves = StratifiedShuffleSplit(splits, test_size=0.5, random_state=0)
    for train, test in halves.split(texts, positive):
        model = make_pipeline(
            TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(C=10, class_weight="balanced", solver="liblinear")
        )
        model.fit([texts[i] for i in train], positive[train])
        held_out = [texts[i] for i in test]
        areas.append(roc_auc_score(positive[test], model.decision_function(held_out)))
        accuracies.append(balanced_accuracy_score(positive[test], model.predict(held_out)))
    return float(np.mean(areas)), float(np.mean(accuracies))


@pytest.mark.parametrize("texts", [STATES, WITH_OPTIONS], ids=["state", "state-and-options"])
def test_a_bag_of_words_cannot_tell_the_kinds_apart(texts: list[str]):
    for kind in KINDS:
        area, accuracy = separability(texts, kind == KIND)
        assert 1 - LIMIT <= area <= LIMIT, (kind, area)
        assert 1 - LIMIT <= accuracy <= LIMIT, (kind, accuracy)


def test_the_bag_of_words_finds_a_kind_that_is_worded_differently():
    marked = [
        t + (" it is hard to say" if k == "control" and i % 3 else "")
        for i, (t, k) in enumerate(zip(STATES, KIND, strict=True))
    ]
    area, accuracy = separability(marked, KIND == "control", splits=2)
    assert area > LIMIT and accuracy > LIMIT


def test_the_same_bytes_every_time():
    again = build(arguments())
    assert identity_bytes(again) == identity_bytes(BUILT)
    assert texts_bytes(again) == texts_bytes(BUILT)
    check_same_bytes("dmb.suites.confidence_honesty", SUITE, BUILT)


@pytest.mark.parametrize("bad", [{"seed": None}, {"per_kind": 0}, {"per_kind": True}])
def test_bad_parameters_are_named(bad: dict[str, object]):
    with pytest.raises(InputError, match=rf"confidence-honesty\.toml: items\.params\.{next(iter(bad))}"):
        build(arguments(**bad))
