"""One built tiny project for all workers; each test works in a copy."""

from __future__ import annotations

import pytest
from filelock import FileLock

from tests.dag.tiny import Tiny


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Tiny:
    """Built by whichever worker comes first; not to be changed."""
    base = tmp_path_factory.getbasetemp()
    root = (base if worker_id == "master" else base.parent) / "dag-built"
    with FileLock(f"{root}.lock"):
        if not (root / "results/tiny.md").exists():
            Tiny.make(root).build()
    return Tiny(root)


@pytest.fixture
def tiny(built: Tiny, tmp_path) -> Tiny:
    """A copy of the built project."""
    return built.copy(tmp_path / "copy")
