"""A ledger that was deleted is missed: its cap is for all that a release has ever spent."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dmb.ledger.refusals import LedgerUnusable
from dmb.planning.lifecycle import close_run
from dmb.planning.spending import refuse_lost_ledgers
from dmb.store.layout import budget_dir
from tests.engine.made_up import SERVED, Server, ask, begin, first_option, planned

PRICE = {"provider": "lab", "model": "m-1", "input": "1", "output": "0", "source": "s", "checked_on": "2026-11-30"}


@pytest.fixture
def spent(tmp_path, monkeypatch) -> Path:
    """The ledger of a release that two runs have spent from."""
    monkeypatch.chdir(tmp_path)
    with Server(first_option) as server:
        for name in ("m", "n"):
            cell = planned(name, SERVED, {"address": server.address}, prices=[PRICE])
            run = begin(cell)
            ask(run, cell)
            close_run(run)
    return budget_dir("v9")


def test_a_whole_ledger_is_used(spent):
    refuse_lost_ledgers(["v9", "another"])


@pytest.mark.parametrize("lost", ["the folder", "one run's file and the index"])
def test_a_ledger_that_holds_less_than_its_runs_have_spent_is_refused(spent, lost):
    if lost == "the folder":
        shutil.rmtree(spent)
    else:
        next(spent.glob("*.*.*.jsonl")).unlink()
        (spent / "writers.jsonl").unlink()
    with pytest.raises(LedgerUnusable, match=r"v9.*have spent 0\.00012; put the folder back"):
        refuse_lost_ledgers(["v9"])
    # nobody else is concerned
    refuse_lost_ledgers(["another"])
