"""What the scoring of one cell reads of the tables is what the whole project has of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dmb.errors import InputError
from dmb.planning.project import load_project
from dmb.planning.tables import PROVIDERS, SUITES, suite_and_prices


def test_every_suite_and_model_is_read_as_the_project_has_it(project_copy: Path) -> None:
    project = load_project()
    models = {(e.provider, e.model): project.price_rows(name) for name, e in project.contenders.items()}
    assert any(len(rows) > 1 for rows in models.values()) and any(rows[0].unbilled for rows in models.values() if rows)
    first = next(iter(project.suites))
    for (provider, model), rows in models.items():
        assert suite_and_prices(first, provider, model) == (project.suites[first], rows)
    for suite, spec in project.suites.items():
        assert suite_and_prices(suite, "in-process", "random")[0] == spec


def test_what_is_gone_since_the_plan_was_made_is_named(project_copy: Path) -> None:
    with pytest.raises(InputError, match=r"data/providers\.toml: nobody: is gone since it was asked"):
        suite_and_prices("intent-77", "nobody", "m")
    (project_copy / SUITES / "intent-77.toml").unlink()
    with pytest.raises(InputError, match=r"data/suites/intent-77\.toml: is not here"):
        suite_and_prices("intent-77", "in-process", "random")
    (project_copy / PROVIDERS).unlink()
    with pytest.raises(InputError, match=r"data/providers\.toml: is not here"):
        suite_and_prices("cardinality", "in-process", "random")


def test_a_scoring_process_loads_nothing_that_builds_items_or_reads_yaml() -> None:
    """There are as many of them as cells."""
    code = (
        "import sys; from dmb.planning import keys, tables; from dmb.scoring import cell_score, score_file; "
        "print(*sorted(m for m in sys.modules if m.startswith(('dmb.suites', 'yaml', 'httpx', 'matplotlib', 'scipy'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
