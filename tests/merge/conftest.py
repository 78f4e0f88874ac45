"""A project to make runs in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dag.tiny import Tiny
from tests.merge.ground import Ground


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """Two contenders that learn nothing, three suites; nothing built."""
    tiny = Tiny.make(tmp_path_factory.mktemp("merge") / "tiny")
    tiny.edit("config.yaml", "contenders: [random, keyword, tfidf-logreg]", "contenders: [random, majority]")
    return tiny


@pytest.fixture
def ground(template: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """A fresh project without the code, which runs in this process; the test runs in its folder."""
    tiny = template.copy_of_inputs(tmp_path / "tiny")
    monkeypatch.chdir(tiny.root)
    return Ground(tiny)
