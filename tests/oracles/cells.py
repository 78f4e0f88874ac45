"""A cell of items of one's own, asked by the engine in a scratch folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dmb.contracts.attempt import Attempt
from dmb.contracts.receipt import Receipt
from dmb.store.attempts import read_attempts
from dmb.store.layout import decisions_file, raw_log
from dmb.suites.built import Built, BuiltItem
from tests.engine import made_up


def built(states: Sequence[str], options: Sequence[str]) -> Built:
    """One item a state, all with the same options; the first option is every item's gold."""
    return Built(
        option_sets={"all": tuple((f"o{n}", text) for n, text in enumerate(options))},
        items=tuple(
            BuiltItem(id=f"i{n}", state=state, option_set="all", gold={"decision": "o0"})
            for n, state in enumerate(states)
        ),
    )


def asked(
    patch: pytest.MonkeyPatch,
    items: Built,
    entry: dict[str, Any],
    provider: dict[str, Any],
    folder: Path,
    **plan: Any,
) -> tuple[Receipt, list[Attempt], list[dict]]:
    """The receipt, the attempts and the decisions of one cell, asked to its end."""
    patch.chdir(folder)
    cell = made_up.planned("m", entry, provider, items, **plan)
    run = made_up.begin(cell)
    receipt = made_up.ask(run, cell)
    decisions = decisions_file(run, "m", "s").read_text(encoding="ascii").splitlines()
    return receipt, list(read_attempts(raw_log(run, "m", "s"))), [json.loads(line) for line in decisions]
