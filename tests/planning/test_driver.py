"""What a start refuses before anything is deleted or asked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from dmb.errors import DmbError
from dmb.planning.driver import Driver
from dmb.planning.plan import Planner
from dmb.planning.project import load_project
from dmb.store.files import write_whole
from dmb.store.layout import RUNS
from dmb.store.run_state import RUN_VARIABLE
from tests.dag.tiny import Tiny


def test_a_cell_that_was_answered_since_the_plan_was_made_is_not_taken_for_a_forced_one(tmp_path, monkeypatch):
    monkeypatch.chdir(Tiny.make(tmp_path / "project").root)
    monkeypatch.setenv(RUN_VARIABLE, "")  # a driver sets it for the jobs it starts
    driver = Driver({}, dry=False)
    driver.release_scores(SimpleNamespace(release="other"))
    cell, *_ = driver._cells.values()
    wildcards = SimpleNamespace(contender=cell.contender, suite=cell.suite, cell=cell.key[:16])
    job = SimpleNamespace(rule=SimpleNamespace(name="ask"), wildcards=wildcards, output=[str(cell.receipt)])
    write_whole(cell.receipt, b"{}")
    with pytest.raises(DmbError, match="answered by somebody else since the plan was made; start again"):
        driver.start([job], touch=False, here=True)
    assert cell.receipt.exists() and not list(RUNS.glob("other-*"))


def test_a_dialect_is_in_the_keys_of_those_who_are_asked_in_it(project_copy: Path) -> None:
    """It shapes what is sent: another path or field is another question to that provider, and to nobody else."""
    config, providers = project_copy / "config.yaml", project_copy / "data/providers.toml"
    text = config.read_text(encoding="utf-8")
    old = "contenders: [random, majority, keyword, tfidf-logreg, sparrow-nano]"
    assert old in text
    config.write_text(text.replace(old, "contenders: [random, jev, glm-5-3]", 1), encoding="utf-8")

    def keys() -> dict[str, tuple[str, object]]:
        cells = Planner(load_project(), {}).release("quickstart").cells
        return {c.contender: (c.key, c.job["parts"].get("dialect")) for c in cells if c.suite == "cardinality"}

    before = keys()
    assert before["jev"][1] is None and before["random"][1] is None
    assert before["glm-5-3"][1]["output_cap_field"] == "max_tokens"
    table = providers.read_text(encoding="utf-8")
    assert table.count("/api/paas/v4/chat/completions") == 1
    providers.write_text(
        table.replace("/api/paas/v4/chat/completions", "/api/paas/v5/chat/completions"), encoding="utf-8"
    )
    after = keys()
    assert [after[c][0] == before[c][0] for c in ("random", "jev", "glm-5-3")] == [True, True, False]


def test_what_cells_share_is_made_once(tmp_path, monkeypatch):
    """A plan of thousands of cells holds the entry, prices and questions of each contender and suite once."""
    monkeypatch.chdir(Tiny.make(tmp_path / "project").root)
    planner = Planner(load_project(), {})
    cells = planner.release("tiny").cells
    for part, one in (("entry", "contender"), ("prices", "contender"), ("slots", "suite"), ("policy", "suite")):
        made = {(getattr(c, one), id(c.job[part])) for c in cells}
        assert len(made) == len({getattr(c, one) for c in cells})
    for contender, entry in planner.project.contenders.items():
        rows = planner.project.price_rows(contender)
        found = [r for r in planner.project.prices.price if (r.provider, r.model) == (entry.provider, entry.model)]
        assert list(rows) == found or (not found and all(r.unbilled for r in rows))
