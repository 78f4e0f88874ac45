"""What a start refuses before anything is deleted or asked."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dmb.errors import DmbError
from dmb.planning.driver import Driver
from dmb.store.files import write_whole
from dmb.store.layout import RUNS
from tests.dag.tiny import Tiny


def test_a_cell_that_was_answered_since_the_plan_was_made_is_not_taken_for_a_forced_one(tmp_path, monkeypatch):
    monkeypatch.chdir(Tiny.make(tmp_path / "project").root)
    driver = Driver({}, main=True, dry=False)
    driver.release_scores(SimpleNamespace(release="other"))
    cell, *_ = driver._cells.values()
    wildcards = SimpleNamespace(contender=cell.contender, suite=cell.suite, cell=cell.key[:16])
    job = SimpleNamespace(rule=SimpleNamespace(name="ask"), wildcards=wildcards, output=[str(cell.receipt)])
    write_whole(cell.receipt, b"{}")
    with pytest.raises(DmbError, match="answered by somebody else since the plan was made; start again"):
        driver.start([job], touch=False, here=True)
    assert cell.receipt.exists() and not list(RUNS.glob("other-*"))
