"""The most that a cell can cost, said beforehand: what the ledger then reserves, retries included."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pytest

from dmb.contracts.price import PriceRow
from dmb.planning.auditing import _bound
from dmb.planning.plan import PlannedCell, finished_rows
from dmb.store.layout import budget_dir, items_path
from dmb.store.runs import end_run
from tests.engine.made_up import SERVED, Server, ask, begin, first_option, planned, receipt_of

ROW = {"provider": "lab", "model": "m-1", "input": "2", "output": "5", "source": "s", "checked_on": "2026-11-30"}
PRICES = (PriceRow.model_validate(ROW),)
NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def cell_of(key: str, job: dict) -> PlannedCell:
    return PlannedCell(
        key=key,
        number=1,
        contender="m",
        suite="s",
        asks=True,
        skip=None,
        changed=("new",),
        n_expected=job["n_expected"],
        receipt=receipt_of((key, job)),
        score=Path("score"),
        score_key="0" * 64,
        scores=True,
        compared=None,
        job=job,
    )


def reserved() -> Decimal:
    rows = [json.loads(line) for path in budget_dir("v9").glob("*.*.jsonl") for line in path.open()]
    return sum((Decimal(r["usd"]) for r in rows if r["op"] == "reserve"), Decimal(0))


def test_the_bound_is_what_is_reserved_with_every_retry():
    with Server(first_option) as server:
        key, job = planned("m", SERVED, {"address": server.address}, prices=[ROW])
        cell = cell_of(key, job)
        bound = _bound(PRICES, cell, set(), NOW)
        run = begin((key, job))
        ask(run, (key, job))
        # each question may be tried three times; here each took one
        assert bound == 3 * reserved() > 0
        end_run(run)
    # nothing is left to be asked, and so nothing to be paid
    assert len(finished_rows(cell)) == job["n_expected"]
    assert _bound(PRICES, cell, finished_rows(cell), NOW) == 0


def test_what_is_left_after_a_stop_is_bounded_alone():
    with Server(first_option) as server:
        key, job = planned("m", SERVED, {"address": server.address}, prices=[ROW])
        cell = cell_of(key, job)
        whole = _bound(PRICES, cell, set(), NOW)
        parts = [
            _bound(PRICES, cell, {("i0", 0, 0)}, NOW),
            _bound(PRICES, cell, {(f"i{n}", 0, 0) for n in range(1, 6)}, NOW),
        ]
        assert sum(parts) == whole


@pytest.mark.parametrize("prices", [(), (PRICES[0].model_copy(update={"valid_to": dt.date(2026, 1, 1)}),)])
def test_without_a_price_there_is_no_bound(prices):
    key, job = planned("m", SERVED, {"address": "http://127.0.0.1:9"})
    assert _bound(prices, cell_of(key, job), set(), NOW) is None


def test_items_that_are_not_built_have_no_bound_yet():
    key, job = planned("m", SERVED, {"address": "http://127.0.0.1:9"}, prices=[ROW])
    items_path("s", job["items"]["sha256"]).unlink()
    assert _bound(PRICES, cell_of(key, job), set(), NOW) is None
