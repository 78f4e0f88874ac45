"""The committed lock belongs to what is committed beside it."""

from __future__ import annotations

import json

from dmb.planning.freeze import LOCK, Freezer
from dmb.planning.project import load_project
from tests.conftest import PROJECT

ENTRIES = json.loads((PROJECT / LOCK).read_bytes())


def test_every_suite_is_locked_and_no_other():
    assert set(ENTRIES) == set(load_project(PROJECT).suites)


def test_the_lock_was_made_from_the_suite_files_the_builders_and_the_sources_that_are_here():
    freezer = Freezer(load_project(PROJECT), PROJECT)
    stale = [suite for suite, entry in ENTRIES.items() if freezer.built_from(suite) != entry["built_from"]]
    assert not stale, f"{LOCK}: freeze {', '.join(stale)} anew (a real `snakemake` run does it) and commit it"
