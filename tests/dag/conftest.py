"""One built tiny project a session; each test works in a copy."""

from __future__ import annotations

import pytest

from tests.dag.tiny import Tiny


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """Built once; not to be changed."""
    tiny = Tiny.make(tmp_path_factory.mktemp("dag") / "built")
    tiny.build()
    return tiny


@pytest.fixture
def tiny(built: Tiny, tmp_path) -> Tiny:
    """A copy of the built project."""
    return built.copy(tmp_path / "copy")
