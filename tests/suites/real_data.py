"""The real datasets, for tests that need them; otherwise those tests are skipped and say why."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from dmb.contracts.suite import SuiteFile
from dmb.inputs import parse_toml, validate
from dmb.sources import load_sources
from dmb.suites import BUILDERS
from dmb.suites.built import BuilderArgs, Built, Inputs

PROJECT = Path(__file__).resolve().parents[2]


def _directory() -> Path | None:
    named = os.environ.get("DMB_MIRROR")
    directory = Path(named) if named else PROJECT.parent / "shared" / "datasets"
    return directory if directory.is_dir() else None


DIRECTORY = _directory()
WHERE = "set DMB_MIRROR, or put them into ../shared/datasets beside the checkout"

needs_real_data = pytest.mark.skipif(DIRECTORY is None, reason=f"no real datasets: {WHERE}")


def suite_file(suite: str) -> SuiteFile:
    """A suite file of this project, parsed."""
    path = PROJECT / "data" / "suites" / f"{suite}.toml"
    text = path.read_text(encoding="utf-8")
    return validate(SuiteFile, parse_toml(text, path.name), path.name, text)


def build(suite: str) -> Built:
    """A suite of this project from its suite file, its committed files and the real datasets."""
    file = suite_file(suite)
    sources = load_sources(PROJECT / "data" / "sources.toml")
    inputs = Inputs(
        source=lambda name: (DIRECTORY / sources[name].mirror).read_bytes(),
        file=lambda name: (PROJECT / name).read_bytes(),
        suite=build,
    )
    spec = file.items
    slots = tuple(slot.id for slot in file.slots)
    return BUILDERS[spec.builder].build(
        BuilderArgs(file.id, spec.sources, spec.files, spec.suite, spec.params, slots, inputs)
    )


def five_word_fragments(text: str) -> list[str]:
    """Every run of five words, as written between its first and last word; the whole text where it is shorter.

    A text of fewer than five words and eight characters is no fragment: it could stand anywhere.
    """
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    if len(spans) < 5:
        return [text] if len(text) >= 8 and len(spans) > 1 else []
    return [text[spans[i][0] : spans[i + 4][1]] for i in range(len(spans) - 4)]


def assert_holds_no_text(data: bytes, built: Built) -> None:
    """No fragment of an item's text stands in the bytes, neither as UTF-8 nor as JSON writes it."""
    for item in built.items:
        for fragment in five_word_fragments(item.state):
            assert fragment.encode() not in data, item.id
            assert json.dumps(fragment)[1:-1].encode() not in data, item.id
