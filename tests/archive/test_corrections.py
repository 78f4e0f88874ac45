"""Every changed number is listed, and has its defect."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dmb.archive.corrections import changes_between, corrections_md, explained
from dmb.contracts.notes import Correction
from dmb.errors import InputError, UsageError


def measure(value: float | None, note: str | None = None) -> dict[str, Any]:
    return {"value": value, "low": None, "high": None, "n": 3, "num": 2, "den": 3, "note": note}


def cells_file() -> dict[str, Any]:
    cell = {
        "cell_key": "a" * 64,
        "source_run": "v2-1",
        "status": "complete",
        "outcomes": {"valid": 3, "failed": 0},
        "metrics": {"accuracy_valid": measure(0.5), "latency_p50_ms": measure(12.5)},
        "cost_usd": "0.25",
        "cost": None,
        "slices": [{"by": "k", "value": 2, "metrics": {"accuracy_valid": measure(0.25)}}],
    }
    cells = [{"contender": c, "suite": "gate", **copy.deepcopy(cell)} for c in ("keyword", "random")]
    return {
        "release": "v2.0",
        "release_key": "b" * 64,
        "simulated": False,
        "spend_usd": {"scored": "1"},
        "runs": [],
        "cells": cells,
    }


def test_nothing_changed_but_where_it_comes_from():
    new = cells_file()
    new |= {"release": "v2.1", "release_key": "c" * 64, "runs": [{"run": "v2-2"}]}
    new["cells"][0] |= {"cell_key": "d" * 64, "source_run": "v2-2"}
    new["cells"].reverse()
    found = changes_between(cells_file(), new)
    assert (found.numbers, found.added, found.removed) == ((), (), ())
    assert "No number of v2.0 differs." in corrections_md("v2.0", "v2.1", found, ())


def changed() -> dict[str, Any]:
    new = cells_file()
    keyword, random = new["cells"]
    keyword["metrics"]["latency_p50_ms"]["value"] = 14.0
    keyword["slices"][0]["metrics"]["accuracy_valid"]["value"] = None
    keyword["slices"].insert(0, {"by": "k", "value": 1, "metrics": {}})
    random["cost_usd"] = None
    random["cost"] = {"n_attempts": 3}
    new["spend_usd"]["scored"] = "2"
    new["cells"].append(copy.deepcopy(random) | {"contender": "majority"})
    return new


def test_every_changed_leaf_is_found_by_hand():
    found = changes_between(cells_file(), changed())
    assert [(c.cell, c.number, c.old, c.new) for c in found.numbers] == [
        ("release", "spend_usd.scored", "1", "2"),
        ("keyword.gate", "metrics.latency_p50_ms.value", 12.5, 14.0),
        ("keyword.gate", "slices.by=k value=1.by", None, "k"),
        ("keyword.gate", "slices.by=k value=1.metrics", None, {}),
        ("keyword.gate", "slices.by=k value=1.value", None, 1),
        ("keyword.gate", "slices.by=k value=2.metrics.accuracy_valid.value", 0.25, None),
        ("random.gate", "cost.n_attempts", None, 3),
        ("random.gate", "cost_usd", "0.25", None),
    ]
    assert found.added == ("majority.gate",) and found.removed == ()


MONEY = Correction(
    old="v2.0",
    defect="One charge was counted once too rarely.",
    cells=("release", "random.*"),
    numbers=("*cost*", "spend_usd.*"),
)
REST = Correction(old="v2.0", defect="Retries were left out of the latency.", cells=("keyword.gate",), numbers=("*",))


def test_each_change_has_its_defect_or_none_is_written():
    found = changes_between(cells_file(), changed())
    by_defect = explained(found.numbers, (MONEY, REST))
    assert {place: len(c) for place, c in by_defect.items()} == {0: 3, 1: 5}
    page = corrections_md("v2.0", "v2.1", found, (MONEY, REST))
    assert page.index("## 1. One charge") < page.index("## 2. Retries")
    assert "| `keyword.gate` | `metrics.latency_p50_ms.value` | 12.5 | 14.0 |" in page
    assert "| `random.gate` | `cost_usd` | 0.25 | none |" in page
    assert "Cells that are new\n\n* `majority.gate`" in page
    with pytest.raises(
        InputError,
        match=r"corrections.toml: keyword.gate metrics.latency_p50_ms.value: was 12.5 and is 14.0.*and 4 more",
    ):
        corrections_md("v2.0", "v2.1", found, (MONEY,))


def test_a_release_is_not_corrected_by_itself():
    with pytest.raises(UsageError):
        corrections_md("v2.0", "v2.0", changes_between(cells_file(), cells_file()), ())
