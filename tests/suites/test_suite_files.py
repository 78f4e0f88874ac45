"""The suite files of this part: they parse, name what is there, and build."""

from __future__ import annotations

import pytest

from dmb.sources import load_sources
from dmb.suites import BUILDERS
from dmb.suites.built import identity_bytes

from . import real_data

ORDER = {"order-stability": "intent-77", "starter-order": "starter-route"}
SUITES = ("intent-77", "gate-spam", "starter-route", "starter-gate", *ORDER)


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_file_names_what_is_there(suite: str):
    file = real_data.suite_file(suite)
    sources = load_sources(real_data.PROJECT / "data" / "sources.toml")
    assert file.id == suite
    assert file.items.builder in BUILDERS
    assert set(file.items.sources) | set(file.attribution) <= set(sources)
    assert all((real_data.PROJECT / name).is_file() for name in file.items.files)
    assert file.publish_text is suite.startswith("starter-")
    # what is derived from a source names it, so that the attribution is printed
    assert set(file.items.sources) <= set(file.attribution)
    assert file.baseline.train == "own"
    upstream = ORDER.get(suite)
    assert file.baseline.prior == (upstream or suite)
    assert (file.items.suite, file.question.same_as, file.metrics.compare_with) == (upstream, upstream, upstream)
    if upstream:
        assert file.attribution == real_data.suite_file(upstream).attribution


def test_nicknames():
    found = {suite: real_data.suite_file(suite).nicknames for suite in SUITES}
    assert found == dict.fromkeys(SUITES, ()) | {"intent-77": ("S1",), "gate-spam": ("S2",), "order-stability": ("S4",)}


@pytest.mark.parametrize("suite", ["starter-route", "starter-gate", "starter-order"])
def test_starter_suites_build_from_committed_files(suite: str):
    built, again = real_data.build(suite), real_data.build(suite)
    assert identity_bytes(built) == identity_bytes(again)
    assert built.train
    keywords = real_data.suite_file(suite).baseline.keywords
    assert set(keywords) <= {option for options in built.option_sets.values() for option, _ in options}
    if suite == "starter-order":
        assert len(built.items) == 30 * 4


@real_data.needs_real_data
def test_keywords_of_gate_spam_name_its_options():
    built = real_data.build("gate-spam")
    assert set(real_data.suite_file("gate-spam").baseline.keywords) <= dict(built.option_sets["spam-or-ham"]).keys()
