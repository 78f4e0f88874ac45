"""The table of what must rerun, held by the dry run and by the audit."""

from __future__ import annotations

import json

import pytest

from tests.dag.changes import TABLE, compare
from tests.dag.tiny import Tiny

#: The audit makes the same plan as the dry run; a change of each kind is enough to hold them together.
AUDITED = (
    "price row of one model",
    "setting of one contender",
    "question of a suite that another borrows",
    "train split",
    "contender removed",
    "metadata lost",
)


@pytest.mark.parametrize("name", TABLE)
def test_dry_run_plans_exactly_what_depends_on_the_change(tiny: Tiny, name: str) -> None:
    change = TABLE[name]
    change.make(tiny)
    jobs = tiny.dry()
    compare(jobs, change)
    if name not in AUDITED:
        return
    audit = json.loads(tiny.dmb("audit", "tiny", "--json").stdout)
    assert {f"{c['contender']}.{c['suite']}" for c in audit["ask"]} == change.asks
    assert {f"{c['contender']}.{c['suite']}" for c in audit["score"]} == change.scores
    assert audit["publish"] is change.publishes
