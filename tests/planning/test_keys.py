"""What stands in a key is what must rerun, and nothing else does."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.baselines import BASELINES
from dmb.contracts.contender import Contender, Display, Limits
from dmb.contracts.price import PriceRow
from dmb.contracts.suite import SuiteFile
from dmb.planning import keys
from dmb.planning.keys import cell_key, cell_parts, changed_parts, release_key, score_key, scoring_code
from dmb.wires import WIRES

ENTRY = Contender(
    provider="p",
    wire="systemone",
    model="m",
    settings={"temperature": 0, "reasoning": {"effort": "low", "budget": 1}},
    env={"A": "1", "B": "2"},
    display=Display(label="L"),
)
LEARNS = {"prior": "1" * 64, "train": "2" * 64, "keywords": {"bug": ["broken", "fault"], "other": ["hello"]}}
PARTS: dict[str, Any] = {
    "protocol": 3,
    "entry": ENTRY,
    "items": "a" * 64,
    "limit": None,
    "question": "b" * 64,
    "retry_malformed": 1,
    "repeats": 1,
    "nonce": None,
    **LEARNS,
}
#: One other value of each field of a contender.
OTHER_ENTRY = {
    "provider": "q",
    "baseline": "random",
    "wire": "chat_completions",
    "model": "n",
    "serve": "serve {port}",
    "health": "/ready",
    "env": {"A": "1"},
    "packages": ("numpy",),
    "settings": {"temperature": 0},
    "local": True,
    "limits": Limits(requests_per_minute=30, allowances=({"usd": "1", "hours": 5},)),
    "retired_on": dt.date(2026, 1, 1),
    "replaced_by": "other",
    "display": Display(label="M", notes="new"),
}
NOT_ASKED_WITH = {"display", "limits", "local", "retired_on", "replaced_by"}

words = st.text(max_size=4)
tables = st.dictionaries(
    words, st.recursive(st.none() | st.integers() | words, lambda v: st.dictionaries(words, v, max_size=3))
)


def key(**changes: Any) -> str:
    return cell_key(cell_parts(**PARTS | changes))


def turned(value: Any) -> Any:
    """The same tables, each written in the opposite order."""
    return {k: turned(value[k]) for k in reversed(value)} if isinstance(value, dict) else value


# -- cell


@pytest.mark.parametrize("field", Contender.model_fields)
def test_every_field_of_a_contender_asks_again_but_its_looks_its_pace_and_its_end(field):
    changed = ENTRY.model_copy(update={field: OTHER_ENTRY[field]})
    assert getattr(changed, field) != getattr(ENTRY, field)
    assert (key(entry=changed) == key()) is (field in NOT_ASKED_WITH)


@pytest.mark.parametrize(
    "changes",
    [
        {"protocol": 4},
        {"items": "c" * 64},
        {"limit": 50},
        {"question": "c" * 64},
        {"retry_malformed": 0},
        {"repeats": 2},
        {"nonce": "again"},
    ],
    ids=lambda c: next(iter(c)),
)
def test_every_other_part_asks_again(changes):
    assert key(**changes) != key()
    assert changed_parts(cell_parts(**PARTS), cell_parts(**PARTS | changes)) == [*changes]


@given(tables, tables)
def test_settings_count_by_value_and_never_by_order(one, other):
    def of(settings: dict) -> str:
        return key(entry=ENTRY.model_copy(update={"settings": settings}))

    assert of(turned(one)) == of(one)
    assert (of(one) == of(other)) is (one == other)


def test_the_order_of_words_in_a_table_does_not_count():
    one = ENTRY.model_copy(update={"env": turned(ENTRY.env), "settings": turned(ENTRY.settings)})
    assert key(entry=one) == key()


def test_a_default_that_is_written_out_is_the_default():
    written = Contender.model_validate(ENTRY.model_dump() | {"health": "/health", "packages": [], "serve": None})
    assert key(entry=written) == key()


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("what, value", [("prior", "3" * 64), ("train", "3" * 64), ("keywords", {"bug": ["broken"]})])
def test_a_baseline_is_asked_again_exactly_when_what_it_learns_from_changed(name, what, value):
    entry = ENTRY.model_copy(update={"baseline": name, "wire": None})
    assert (key(entry=entry, **{what: value}) == key(entry=entry)) is (what not in BASELINES[name].needs)


@pytest.mark.parametrize("what, value", [("prior", "3" * 64), ("train", "3" * 64), ("keywords", {})])
def test_a_model_that_learns_nothing_here_is_not_concerned(what, value):
    assert key(**{what: value}) == key()


def test_the_version_of_a_wire_or_baseline_asks_its_own_cells_again(monkeypatch):
    from dataclasses import replace

    random = ENTRY.model_copy(update={"baseline": "random", "wire": None})
    before = key(), key(entry=random)
    with monkeypatch.context() as patch:
        patch.setitem(WIRES, "systemone", WIRES["systemone"]._replace(version=99))
        assert key() != before[0] and key(entry=random) == before[1]
    monkeypatch.setitem(BASELINES, "random", replace(BASELINES["random"], version=99))
    assert key() == before[0] and key(entry=random) != before[1]


def test_the_versions_of_the_libraries_that_compute_the_answer_count(monkeypatch):
    trained = ENTRY.model_copy(update={"baseline": "tfidf-logreg", "wire": None})
    packed = ENTRY.model_copy(update={"packages": ("numpy", "sparrow-decider")})
    before = key(), key(entry=trained), key(entry=packed)
    real = keys.installed_version
    monkeypatch.setattr(keys, "installed_version", lambda n: "0.0" if n in ("scikit-learn", "numpy") else real(n))
    after = key(), key(entry=trained), key(entry=packed)
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, False]


# -- score

SUITE = SuiteFile.model_validate(
    {
        "id": "s",
        "title": "t",
        "description": "d",
        "items": {"builder": "jsonl", "params": {"seed": 1}},
        "question": {"instructions": "which?"},
        "gate": {"min": 0.9, "max": 1},
    }
)
PRICE = PriceRow(provider="p", model="m", input="1", output="2", source="s", checked_on="2026-11-30")
SCORE: dict[str, Any] = {
    "cell": "a" * 64,
    "number": 1,
    "prices": [PRICE],
    "code": "c",
    "suite": SUITE,
    "compared": None,
}


def scored(**changes: Any) -> str:
    return score_key(**SCORE | changes)


def suite(**changes: Any) -> SuiteFile:
    return SuiteFile.model_validate(SUITE.model_dump() | changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"cell": "b" * 64},
        {"number": 2},
        {"code": "d"},
        {"compared": ("b" * 64, 1)},
        {"prices": []},
        {"prices": [PRICE, PRICE.model_copy(update={"valid_from": dt.date(2030, 1, 1)})]},
        *(
            {"prices": [PRICE.model_copy(update={f: v})]}
            for f, v in {"input": Decimal(3), "unbilled": True, "valid_to": dt.date(2030, 1, 1)}.items()
        ),
        {"suite": suite(metrics={"by": ["part"]})},
        {"suite": suite(metrics={"honesty": True})},
        {"suite": suite(policy={"malformed_counts_as_wrong": True})},
        {"suite": suite(slots=[{"id": "queue", "kind": "choice"}])},
        {"suite": suite(scorer_version=2)},
        {"suite": suite(baseline={"prior": "s"})},
        {"suite": suite(gate={"min": 0.8, "max": 1})},
    ],
)
def test_what_scores_again(changes):
    assert scored(**changes) != scored()


def test_a_comparison_with_other_evidence_scores_again():
    assert len({scored(compared=(k * 64, n)) for k, n in (("b", 1), ("b", 2), ("c", 1))}) == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "other", "description": "other", "nicknames": ["S9"], "attribution": ["x"], "publish_text": True},
        # these are in the cell key
        {"prompt_version": 2, "question": {"instructions": "what?"}, "policy": {"retry_malformed": 0}},
        {"items": {"builder": "jsonl", "params": {"seed": 2}}},
        {"baseline": {"keywords": {"a": ["b"]}, "train": "own"}},
        {"gate": {"max": 1, "min": 0.9}},
    ],
)
def test_what_does_not_score_again(changes):
    assert scored(suite=suite(**changes)) == scored()


def test_scoring_code_is_a_digest_for_each_asker():
    assert scoring_code("baseline:random") == scoring_code("baseline:keyword") != scoring_code("wire:systemone")


# -- release


@given(st.lists(words, max_size=4), tables, words)
def test_a_release_is_its_scores_in_their_order_its_looks_and_the_code(scores, looks, code):
    made = release_key(scores=scores, looks=looks, code=code)
    assert release_key(scores=tuple(scores), looks=turned(looks), code=code) == made
    assert release_key(scores=scores, looks=looks, code=code + "x") != made
    assert release_key(scores=[*scores, "new"], looks=looks, code=code) != made
    assert release_key(scores=scores, looks=looks | {"a longer name": 1}, code=code) != made
    if scores != scores[::-1]:
        assert release_key(scores=scores[::-1], looks=looks, code=code) != made


# -- what changed


@pytest.mark.parametrize(
    "old, new, names",
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, ["a.c"]),
        ({"a": {"b": 1}}, {"a": {}, "d": 1}, ["a.b", "d"]),
        ({"a": {"b": 1}}, {"a": None}, ["a"]),
        ({"a": [1]}, {"a": [2]}, ["a"]),
    ],
)
def test_changed_parts_are_named_as_deep_as_both_sides_are_tables(old, new, names):
    assert changed_parts(old, new) == changed_parts(new, old) == names
