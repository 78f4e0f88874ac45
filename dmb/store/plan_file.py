"""``plan.json`` of a run: what it was born with. One cell a line, so that a job reads its own and not those of thousands."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from dmb.errors import DamagedFile, MissingEvidence
from dmb.store.files import load_json
from dmb.store.layout import run_dir

_CELLS = b'"cells": {\n'


class PlannedJob(NamedTuple):
    """``key``: the cell's full key; ``cell``: what the plan says of it; ``release``: what it says of all of them."""

    key: str
    cell: dict[str, Any]
    release: dict[str, Any]


def plan_bytes(plan: dict[str, Any]) -> bytes:
    """The file, ``cells`` (key -> cell) last and a line for each of them."""
    head = "".join(f"{_text(name)}: {_text(plan[name])},\n" for name in sorted(plan) if name != "cells")
    cells = ",\n".join(f"{_text(key)}: {_text(cell)}" for key, cell in sorted(plan["cells"].items()))
    return f'{{\n{head}"cells": {{\n{cells}\n}}\n}}\n'.encode()


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def planned_job(run: str, cell: str) -> PlannedJob:
    """The cell whose key begins with ``cell``. Raises ``MissingEvidence`` where the run did not plan it, ``DamagedFile``."""
    path = run_dir(run) / "plan.json"
    try:
        head, _, cells = path.read_bytes().partition(_CELLS)
    except FileNotFoundError:
        raise MissingEvidence(f"{path}: is not here, so nobody knows what run {run} is to ask; start again") from None
    at = f'\n"{cell}'.encode()
    start = 0 if cells.startswith(at[1:]) else cells.find(at) + 1
    line = cells[start : cells.find(b"\n", start)] if cells.startswith(at[1:], start) else None
    try:
        if line is not None:
            [(key, found)] = json.loads(b"{" + line.rstrip(b",") + b"}").items()
            return PlannedJob(key, found, json.loads(head.rstrip(b",\n") + b"}"))
    except ValueError:
        raise DamagedFile(f"{path}: is damaged: it holds no JSON; start again") from None
    # not found by its line: written otherwise, or not planned
    plan = load_json(path)
    key = next((k for k in plan["cells"] if k.startswith(cell)), None)
    if key is None:
        raise MissingEvidence(f"run {run} did not plan cell {cell}; start again")
    return PlannedJob(key, plan["cells"][key], plan)
