"""The cardinality suite: one matching entry, nested paired sets, even places, no way to guess from options alone.

How far comparing words leads is held within the range that the suite is meant to have.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from math import comb
from pathlib import Path

import numpy as np
import pytest

from dmb.contracts.suite import SuiteFile
from dmb.errors import InputError
from dmb.suites.built import BuilderArgs, Built, identity_bytes, items_digest, texts_bytes
from dmb.suites.cardinality import base_questions, build, entry_text
from dmb.suites.cardinality_texts import DOMAINS, time_words
from tests.suites.made_up import check_same_bytes

ROOT = Path(__file__).parents[2]
SUITE = SuiteFile.model_validate(tomllib.loads((ROOT / "data/suites/cardinality.toml").read_text("utf-8")))
SWEEP = tuple(SUITE.items.params["sweep"])


def arguments(**changed: object) -> BuilderArgs:
    params = {**SUITE.items.params, **changed}
    return BuilderArgs(SUITE.id, (), (), None, params, [s.id for s in SUITE.slots], inputs=None)


BUILT = build(arguments())
VERBATIM = SUITE.items.params["verbatim"]
QUESTIONS = base_questions(SUITE.items.params["seed"], SUITE.items.params["per_domain"], VERBATIM)


def shown(built: Built, item) -> list[tuple[str, str]]:
    return [built.option_sets[item.option_set][i] for i in item.order]


def answer_place(built: Built, item) -> int:
    return [i for i, _ in shown(built, item)].index(item.gold["decision"])


def wanted(state: str) -> list[tuple[str, bool]]:
    """What a request asks for, read from its text with the tables alone: per attribute the entry's wording and whether
    the request says it in the entry's own words."""
    text = state.lower()
    [domain] = [d for d in DOMAINS if any(state.startswith(opening) for opening in d.openings)]
    found = []
    for attribute in domain.attributes:
        said = [
            (value.entry, wording == value.verbatim)
            for value in attribute.values
            for wording in (value.verbatim, *value.request)
            for clause in [attribute.clause.format(wording).lower()]
            if f"{clause}, and " in text or f"{clause}. " in text
        ]
        assert len(said) == 1, (attribute.name, said, state)
        found.append(said[0])
    return found


def unwanted(state: str) -> list[tuple[int, str]]:
    """The values that a request names as no longer wanted: attribute and entry wording."""
    [domain] = [d for d in DOMAINS if any(state.startswith(opening) for opening in d.openings)]
    return [
        (a, value.entry)
        for a, attribute in enumerate(domain.attributes)
        for value in attribute.values
        if f". {attribute.before.format(value.verbatim)}. ".lower() in state.lower()
    ]


def test_counts_slices_and_groups():
    assert len(BUILT.items) == 25 * len(SWEEP) == 275
    assert len({item.id for item in BUILT.items}) == 275
    for item in BUILT.items:
        assert item.slices["n_options"] == len(item.order) == len(set(item.order))
        assert item.group == item.option_set
        wanted = {"n_options", "tier", "position"}
        assert wanted == set(SUITE.metrics.by)
        assert set(item.slices) == (wanted if item.slices["n_options"] > 2 else wanted - {"position"})
    assert all(len(options) == 512 for options in BUILT.option_sets.values())
    assert len(BUILT.option_sets) == 25


def test_exactly_one_entry_matches_and_it_is_the_gold():
    for item in BUILT.items:
        entry = "; ".join(value for value, _ in wanted(item.state))
        matching = [i for i, text in shown(BUILT, item) if text == entry]
        assert matching == [item.gold["decision"]]


def test_a_stated_number_of_attributes_is_said_verbatim_and_they_take_turns():
    for question in QUESTIONS:
        own = {a for a, (_, verbatim) in enumerate(wanted(question.state)) if verbatim}
        assert own == question.verbatim
        assert len(own) == VERBATIM == 3
    for domain in DOMAINS:
        times = [sum(a in q.verbatim for q in QUESTIONS if q.domain is domain) for a in range(6)]
        assert max(times) - min(times) <= 2, domain.id
    times = [sum(q.domain.dial in q.verbatim for q in QUESTIONS if q.tier == tier) for tier in ("near", "mixed", "far")]
    assert max(times) - min(times) <= 1


def test_one_unwanted_value_is_named_and_its_attribute_is_said_in_other_words():
    for question in QUESTIONS:
        [(attribute, value)] = unwanted(question.state)
        entry, verbatim = wanted(question.state)[attribute]
        assert attribute == question.lure
        assert value != entry
        assert not verbatim


@pytest.mark.parametrize("number", range(7))
def test_any_number_of_attributes_can_be_said_verbatim(number: int):
    for question in base_questions(SUITE.items.params["seed"], 2, number):
        found = wanted(question.state)
        assert sum(verbatim for _, verbatim in found) == number
        assert "; ".join(value for value, _ in found) == entry_text(question.domain, question.entries[question.answer])
        assert question.lure not in question.verbatim or number == 6


def test_no_wording_stands_for_two_values():
    for domain in DOMAINS:
        for attribute in domain.attributes:
            wordings = [w.lower() for v in attribute.values for w in {v.entry, v.verbatim, *v.request}]
            assert len(wordings) == len(set(wordings)), attribute.name
            assert len(attribute.values) == (64 if domain.attributes[domain.dial] is attribute else 8)


def test_verbatim_wordings_contain_the_entrys_and_the_others_name_no_value():
    """Neither their own value in the catalogue's words nor, which would be a second lure, another one."""
    for domain in DOMAINS:
        for attribute in domain.attributes:
            for value in attribute.values:
                assert value.entry in value.verbatim
                for wording in value.request:
                    named = [
                        v.entry for v in attribute.values if re.search(rf"\b{re.escape(v.entry)}\b", wording, re.I)
                    ]
                    assert not named, (attribute.name, wording)


def test_spoken_times():
    assert time_words(15 * 60 + 40) == "twenty to four in the afternoon"
    assert time_words(12 * 60 + 10) == "ten past twelve in the afternoon"
    assert time_words(7 * 60 + 30) == "half past seven in the morning"


def test_option_texts_are_distinct():
    for options in BUILT.option_sets.values():
        assert len({text for _, text in options}) == len(options)


def test_smaller_sets_are_nested_in_larger_ones_and_shuffled_afresh():
    for question in QUESTIONS:
        by_n = {i.slices["n_options"]: i.order for i in BUILT.items if i.group == question.id}
        for small, large in pairwise(sorted(by_n)):
            assert set(by_n[small]) < set(by_n[large])
            kept = [i for i in by_n[large] if i in set(by_n[small])]
            if small >= 8:
                assert kept != list(by_n[small])


def test_tiers_are_balanced_and_stay_with_the_base_question():
    for n in SWEEP:
        tiers = Counter(i.slices["tier"] for i in BUILT.items if i.slices["n_options"] == n)
        assert sorted(tiers.values()) == [8, 8, 9]
    for question in QUESTIONS:
        assert {i.slices["tier"] for i in BUILT.items if i.group == question.id} == {question.tier}


def test_tiers_are_what_they_say():
    """Differences counted between the texts, attribute by attribute, from every entry and not from the answer only."""
    for question in QUESTIONS:
        rows = np.array([text.split("; ") for _, text in BUILT.option_sets[question.id]])
        codes = np.stack([np.unique(column, return_inverse=True)[1] for column in rows.T], axis=1)
        differ = (codes[:, None, :] != codes[None, :, :]).sum(axis=2)
        spread = [tuple(np.bincount(line, minlength=7)) for line in differ]
        # Every entry has the same distances to the others, so the answer is neither centre nor edge.
        one = spread[question.answer]
        close, middle, away = sum(one[1:3]), one[3], sum(one[4:])
        assert {"near": (511, 0, 0), "mixed": (255, 0, 256), "far": (0, 0, 511)}[question.tier] == (close, middle, away)
        assert len(set(spread)) == 1


def test_places_are_even_within_each_n():
    for n in SWEEP:
        places = [answer_place(BUILT, i) for i in BUILT.items if i.slices["n_options"] == n]
        cells = Counter(places if n < 25 else [min(p * 25 // n, 24) for p in places])
        assert max(cells.values()) - min(cells.get(c, 0) for c in range(min(n, 25))) <= 2
        assert abs(np.mean([(p + 0.5) / n for p in places]) - 0.5) < 0.05
        thirds = Counter(i.slices["position"] for i in BUILT.items if i.slices["n_options"] == n and n > 2)
        assert all(6 <= count <= 13 for count in thirds.values()), (n, thirds)


def binomial_limits(trials: int, chance: float) -> tuple[int, int]:
    """Smallest and largest count that a 95 % two-sided test of ``chance`` does not reject."""
    mass = [comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)]
    below = np.cumsum(mass)
    return int(np.argmax(below >= 0.025)), int(np.argmax(below >= 0.975))


@cache
def similarity(texts: tuple[str, ...]) -> np.ndarray:
    """Mean Jaccard overlap of each text's words with those of the others."""
    words = [set(text.replace(";", " ").split()) for text in texts]
    index = {w: i for i, w in enumerate(sorted(set().union(*words)))}
    table = np.zeros((len(texts), len(index)))
    for row, ws in enumerate(words):
        table[row, [index[w] for w in ws]] = 1
    both = table @ table.T
    size = table.sum(axis=1)
    overlap = both / (size[:, None] + size[None, :] - both)
    return (overlap.sum(axis=1) - 1).round(9)


SOLVERS: dict[str, Callable[[Sequence[str]], np.ndarray]] = {
    "first": lambda texts: -np.arange(len(texts)),
    "last": lambda texts: np.arange(len(texts)),
    "longest": lambda texts: np.array([len(t) for t in texts]),
    "shortest": lambda texts: -np.array([len(t) for t in texts]),
    "medoid": similarity,
    "outlier": lambda texts: -similarity(texts),
}


def hits(solver: Callable[[Sequence[str]], np.ndarray], cases: Sequence[tuple[Sequence[str], int]]) -> float:
    """Expected right answers of a solver that takes the best score and breaks ties by lot."""
    total = 0.0
    for texts, answer in cases:
        score = solver(texts)
        best = score == score.max()
        total += best[answer] / best.sum()
    return total


@cache
def cases(n: int) -> list[tuple[tuple[str, ...], int]]:
    return [
        (tuple(text for _, text in shown(BUILT, i)), answer_place(BUILT, i))
        for i in BUILT.items
        if i.slices["n_options"] == n
    ]


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_that_never_read_the_request_are_at_chance(name: str):
    """Statistic: right answers among the 25 items of one N, against the 95 % limits of Binomial(25, 1/N)."""
    for n in SWEEP:
        low, high = binomial_limits(25, 1 / n)
        assert low <= hits(SOLVERS[name], cases(n)) <= high + 1e-9, (name, n)


def test_the_best_constant_place_is_at_chance():
    for n in SWEEP:
        most = max(Counter(place for _, place in cases(n)).values())
        assert most <= binomial_limits(25, 1 / n)[1]


def test_the_leak_test_catches_an_answer_that_its_distractors_are_made_from():
    answer = [f"w{a}" for a in range(6)]
    leaky = []
    for seed in range(25):
        texts = [" ".join(x if a != (seed + k) % 6 else f"x{k}" for a, x in enumerate(answer)) for k in range(31)]
        leaky.append(((*texts[:seed], " ".join(answer), *texts[seed:]), seed))
    assert hits(SOLVERS["medoid"], leaky) > binomial_limits(25, 1 / 32)[1]


@cache
def overlap_rate(tier: str, n: int) -> float:
    """Share of right answers of who takes the entry with the most words that the request has, ties by lot."""
    rates = []
    for item in BUILT.items:
        if item.slices["tier"] == tier and item.slices["n_options"] == n:
            said = set(re.findall(r"\w+", item.state.lower()))
            score = np.array([len(said & set(re.findall(r"\w+", text.lower()))) for _, text in shown(BUILT, item)])
            best = score == score.max()
            rates.append(best[answer_place(BUILT, item)] / best.sum())
    return float(np.mean(rates))


def test_comparing_words_leads_far_in_far_less_in_mixed_and_hardly_in_near():
    far, mixed, near = ({n: overlap_rate(tier, n) for n in SWEEP} for tier in ("far", "mixed", "near"))
    for n in SWEEP:
        assert far[n] > mixed[n] > near[n], n
        assert far[n] * 8 > binomial_limits(8, 1 / n)[1], n
    assert 0.6 <= far[8] <= 1
    assert 0.25 <= far[512] <= 0.6
    assert 0.2 <= near[8] <= 0.6
    assert near[512] <= 1 / 512


def test_the_same_bytes_every_time():
    again = build(arguments())
    assert identity_bytes(again) == identity_bytes(BUILT)
    assert texts_bytes(again) == texts_bytes(BUILT)
    check_same_bytes("dmb.suites.cardinality", SUITE, BUILT)


def test_another_seed_gives_other_items():
    assert items_digest(build(arguments(seed=1, sweep=[2, 8]))) != items_digest(build(arguments(sweep=[2, 8])))


@pytest.mark.parametrize(
    "bad",
    [
        {"seed": "x"},
        {"sweep": [1]},
        {"sweep": [513]},
        {"sweep": []},
        {"per_domain": 0},
        {"verbatim": -1},
        {"verbatim": 7},
        {"verbatim": True},
        {"verbatim": None},
    ],
)
def test_bad_parameters_are_named(bad: dict[str, object]):
    with pytest.raises(InputError, match=rf"cardinality\.toml: items\.params\.{next(iter(bad))}"):
        build(arguments(**bad))
