"""Functions of rules: their signature is stated, and what they refuse ends the workflow in one line."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from snakemake.common import get_function_params

from dmb.planning.dispatch import Lanes
from dmb.planning.workflow_functions import of_wildcards, told

RULES = Path(__file__).parents[2] / "rules"


@pytest.mark.parametrize("wrap", [of_wildcards, told])
def test_a_function_takes_wildcards_and_says_so_without_being_looked_at(wrap):
    function = wrap(lambda w: [w])
    assert function("these") == ["these"]
    assert list(get_function_params(function)) == ["wildcards"]
    assert inspect.signature(function) is inspect.signature(wrap(len))


def test_every_function_of_a_rule_states_its_signature():
    unwrapped = [
        f"{path.name}: {line.strip()}"
        for path in sorted(RULES.glob("*.smk"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"DMB\.\w+(?!\w|\()", line) and not re.search(r"(told|of_wildcards)\(DMB\.\w+\)", line)
    ]
    assert [u for u in unwrapped if not u.startswith(("common.smk: DMB.lanes", "run.smk: "))] == []
    shares = Lanes({"a", "b-c"}, lambda _: {"skip": None, "entry": {}, "lane": {"id": "a"}}).shares()
    assert {name: share(None) for name, share in shares.items()} == {"lane_a": 1, "lane_b_c": None}
    assert all(list(get_function_params(share)) == ["wildcards"] for share in shares.values())


def test_a_refusal_ends_the_process_in_one_line_with_its_exit_code():
    code = (
        "from dmb.errors import UsageError; from dmb.planning.workflow_functions import told\n"
        "def f(w): raise UsageError('no such thing')\n"
        "told(f)(None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "dmb: no such thing\n")
