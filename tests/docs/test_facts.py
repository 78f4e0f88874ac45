"""Numbers in prose are those of their cells (scripts/check_facts.py)."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_facts.py"
spec = importlib.util.spec_from_file_location("check_facts", SCRIPT)
check_facts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_facts)

CELLS = {
    "cells": [
        {
            "contender": "keyword",
            "suite": "route",
            "n_expected": 1300,
            "cost_usd": "0.0375",
            "metrics": {"accuracy_valid": {"value": 0.8225, "low": None}},
        }
    ],
    "comparisons": {"leagues": [{"suite": "route", "pairs": [{"a": "x", "b": "y", "difference": {"value": -0.0526}}]}]},
}


@pytest.fixture
def finding(tmp_path):
    (tmp_path / "v9.cells.json").write_text(json.dumps(CELLS))
    (tmp_path / "v9").mkdir()

    def write(text: str, name: str = "FINDINGS.md") -> list[str]:
        (tmp_path / "v9" / name).write_text(text)
        return [line.rpartition(": ")[2] for line in check_facts.faults(tmp_path / "v9" / name)]

    return write


def cell(said: str, where: str, anchor: str = "#cell/keyword/route") -> str:
    return f'[{said}](../v9.html{anchor} "{where}")'


ACCURACY, PAIR = "metrics/accuracy_valid/value", "comparisons/leagues/suite=route/pairs/a=x,b=y/difference/value"


@pytest.mark.parametrize(
    "fact",
    [
        cell("82.2 %", ACCURACY),
        cell("0.8225", ACCURACY),
        cell("1,300 rows", "n_expected"),
        cell("0.04 USD", "cost_usd"),
        cell("-5.3 points", PAIR, "#league/route"),
        cell("−5.3 points", PAIR, "#league/route"),
    ],
)
def test_a_number_that_its_cell_says(finding, fact):
    assert finding(f"# Findings 2\n\nIt is {fact} on `1 core` in v2.0, F1 and p95.\n") == []


@pytest.mark.parametrize(
    "fact, fault",
    [
        (cell("82.3 %", ACCURACY), "should be '82.2 %'"),
        (cell("1300 rows", "n_expected"), "should be '1,300 rows'"),
        (cell("+5.3 points", PAIR, "#league/route"), "should be '-5.3 points'"),
        (cell("82.2 %", "metrics/nothing/value"), "there is no 'nothing'"),
        (cell("82.2 %", "metrics/accuracy_valid/low"), "the cells file says None, which is no number"),
        (cell("many", ACCURACY), "there is no number in it"),
        (cell("82.2 %", ACCURACY, "#cell/nobody/route"), "'contender=nobody,suite=route' names 0 entries"),
        ("[82.2 %](../v8.html#cell/a/b)", "'82.2' has no cell; make it a link with a title, or code if it is a name"),
        ("12", "'12' has no cell; make it a link with a title, or code if it is a name"),
    ],
)
def test_a_number_that_it_does_not_say(finding, fact, fault):
    assert fault in finding(f"{cell('1,300', 'n_expected')} and {fact}.\n")


def test_in_other_files_only_facts_are_looked_at(finding):
    assert finding(f"12 things, {cell('1,300', 'n_expected')}", "README.md") == []
    assert finding(f"12 things, {cell('1,301', 'n_expected')}", "README.md") == ["should be '1,300'"]


def test_the_project_says_nothing_that_its_cells_do_not_say():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
