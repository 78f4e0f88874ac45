"""Which releases a target means."""

from __future__ import annotations

import pytest

from dmb.cli.target import releases_of
from dmb.errors import UsageError
from dmb.planning.project import load_project
from tests.conftest import PROJECT


@pytest.fixture(scope="module")
def project():
    return load_project(PROJECT)


@pytest.mark.parametrize("target", ["v2", "results/v2.md", "v2.html", "results/v2.cells.json"])
def test_a_name_or_a_published_file(project, target):
    assert releases_of(target, project) == ["v2"]
    # its rehearsal is audited as well
    twin = target.replace("v2", "v2-simulated")
    assert releases_of(twin, project) == ["v2-simulated"]


def test_nothing_means_those_under_all(project):
    assert releases_of(None, project) == list(project.config.all)


@pytest.mark.parametrize("target", ["v3", "v3-simulated", "v2-simulated-simulated", "-simulated", "results/v2.pdf", ""])
def test_what_is_no_release_is_refused(project, target):
    with pytest.raises(UsageError, match=r"is no release of config\.yaml"):
        releases_of(target, project)
