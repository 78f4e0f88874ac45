"""What a run has spent: as its manifest says, as the ledger says where it does not yet, and unknown where nobody can."""

from __future__ import annotations

import shutil
from decimal import Decimal

import pytest

from dmb.planning.lifecycle import close_run
from dmb.planning.spending import SPEND_KINDS, committed_of, spend_of, spend_told
from dmb.store.files import load_json
from dmb.store.layout import budget_dir, receipt_path, run_dir
from dmb.store.receipts import write_receipt
from dmb.store.runs import begin_run, set_manifest
from tests.ledger.opening import ledger, reserve, rows_file
from tests.store.test_receipts import receipt

KEYS = ("a" * 64, "b" * 64)
UNKNOWN = dict.fromkeys(SPEND_KINDS)
SPENT = {"scored": "0.25", "negotiation": "0.001", "unsettled": "0.5"}


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def job(contender: str, **fields) -> dict:
    known = {"contender": contender, "suite": "s", "number": 1, "skip": None, "provider": {"billed": True}}
    return known | {"prior": None, "slots": [{"id": "decision"}]} | fields


def begin(*jobs: dict) -> str:
    """An open run of these cells."""
    plan = {"release": "v9", "cells": dict(zip(KEYS, jobs, strict=False))}
    return begin_run(None, "v9", plan, {}, {"release": "v9"})


def answered(run: str, n: int, contender: str, **fields) -> None:
    path = receipt_path(contender, "s", KEYS[n], 1)
    write_receipt(path, receipt(cell_key=KEYS[n], contender=contender, run=run, **fields))


def spend(run: str) -> None:
    """A quarter of a dollar scored, a tenth of a cent for negotiation, half a dollar that nobody can settle."""
    with ledger(budget_dir("v9")) as book:
        book.settle(reserve(book, "0.3", run=run), Decimal("0.25"))
        book.settle(reserve(book, "0.002", run=run, kind="negotiation"), Decimal("0.001"))
        book.settle(reserve(book, "0.5", run=run), None)
        book.settle(reserve(book, "0.1", run="another"), Decimal("0.1"))


def plan_of(run: str) -> dict:
    return load_json(run_dir(run) / "plan.json")


def told(run: str) -> dict:
    return spend_told(load_json(run_dir(run) / "manifest.json"))


def test_a_run_that_asks_nobody_any_more_has_spent_what_its_manifest_will_say():
    run = begin(job("c"), job("d"))
    answered(run, 0, "c")
    spend(run)
    # its other cell may still spend
    assert told(run) == UNKNOWN
    answered(run, 1, "d")
    assert told(run) == SPENT
    close_run(run)
    assert load_json(run_dir(run) / "manifest.json")["spend_usd"] == SPENT == told(run)
    # what is spent under other runs of the release changes nothing
    spend("later")
    assert told(run) == SPENT and Decimal(committed_of("v9")) == 2 * Decimal("0.851")


def test_a_run_that_works_for_several_releases_has_spent_in_several_ledgers():
    run = begin(job("c"), job("d", release="v8"))
    answered(run, 0, "c")
    answered(run, 1, "d")
    spend(run)
    # the other release's ledger is lost, and somebody was asked under it
    assert told(run) == UNKNOWN
    with ledger(budget_dir("v8")) as book:
        book.settle(reserve(book, "0.3", run=run), Decimal("0.05"))
    assert told(run) == SPENT | {"scored": "0.30"}


def test_what_a_closed_run_could_not_say_stays_unknown():
    run = begin(job("c"))
    answered(run, 0, "c")
    spend(run)
    rows = rows_file(budget_dir("v9"))
    rows.write_bytes(b"{}\n" + rows.read_bytes())
    assert (spend_of(run, plan_of(run)), committed_of("v9"), told(run)) == (None, None, UNKNOWN)
    close_run(run)
    rows.write_bytes(rows.read_bytes().removeprefix(b"{}\n"))
    assert spend_of(run, plan_of(run)) == SPENT and told(run) == UNKNOWN


def test_a_killed_run_has_spent_what_the_ledger_says():
    run = begin(job("c"), job("d"))
    spend(run)
    set_manifest(run, status="interrupted")
    assert told(run) == SPENT
    # and without its plan, or its ledger, nobody can say
    shutil.rmtree(budget_dir("v9"))
    assert told(run) == UNKNOWN
    (run_dir(run) / "plan.json").unlink()
    assert told(run) == UNKNOWN


@pytest.mark.parametrize(
    "fields, asked", [({"provider": {"billed": False}}, {}), ({"skip": "no-credential"}, {}), ({}, {"n_asked": 0})]
)
def test_without_a_ledger_nothing_was_spent_where_nobody_was_asked_who_is_billed(fields, asked):
    run = begin(job("c", **fields))
    answered(run, 0, "c", **asked)
    assert told(run) == dict.fromkeys(SPEND_KINDS, "0")


def test_without_a_ledger_nobody_can_say_what_was_spent_on_who_is_billed():
    run = begin(job("c"))
    answered(run, 0, "c")
    assert told(run) == UNKNOWN
