"""The golden pages' switch, and a release that is made once."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from dmb.publish.release import Release
from dmb.publish.write import publish
from tests.publish.factory import golden_release, rehearsal_release


def pytest_addoption(parser: pytest.Parser) -> None:
    # Pytest reads this file early only when this folder is named; tests/conftest.py may register the option for all.
    with contextlib.suppress(ValueError):
        parser.addoption("--fix", action="store_true", help="rewrite the golden pages from what the code makes now")


@pytest.fixture(scope="session")
def golden() -> Release:
    return golden_release()


@pytest.fixture(scope="session")
def published(golden: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with the golden release in it; to be read only."""
    folder = tmp_path_factory.mktemp("results")
    publish(golden, folder)
    publish(rehearsal_release(), folder)
    return folder
