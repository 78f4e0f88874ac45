"""Scores with nothing in them but what the rows came to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from dmb.contracts.answers import AnswerColumns
from dmb.contracts.cell import Score
from dmb.contracts.suite import ItemsSpec, Policy, Question, SuiteFile


def suite(**policy) -> SuiteFile:
    """A suite with one slot."""
    return SuiteFile(
        id="s",
        title="S",
        description="Made up.",
        items=ItemsSpec(builder="made-up"),
        question=Question(instructions="Which?"),
        policy=Policy(**policy),
    )


def cell(
    name: str,
    rows: str,
    *,
    groups: Sequence[str] | None = None,
    counted: Sequence[bool] | None = None,
    ids: Sequence[int] | None = None,
    **fields,
) -> Score:
    """``rows``: one letter an item: ``1`` right, ``0`` wrong, ``m`` malformed, ``u`` unsupported, ``-`` not asked."""
    outcome = {"1": "valid", "0": "valid", "m": "malformed", "u": "unsupported", "-": "skipped"}
    items = tuple(f"i{n}" for n in (ids if ids is not None else range(len(rows))))
    answers = AnswerColumns(
        slot="decision",
        items=items,
        permutations=(0,) * len(rows),
        groups=tuple(groups or items),
        gold=("a",) * len(rows),
        outcomes=tuple(outcome[letter] for letter in rows),
        values=tuple({"1": "a", "0": "b"}.get(letter) for letter in rows),
        positions=tuple({"1": 0, "0": 1}.get(letter) for letter in rows),
        confidences=tuple(0.5 if letter in "01" else None for letter in rows),
        counted=tuple(counted or (True,) * len(rows)),
    )
    sha = hashlib.sha256(name.encode()).hexdigest()
    base = {
        "score_key": sha,
        "cell_key": sha,
        "receipt": "receipt.1.json",
        "receipt_number": 1,
        "receipt_sha256": sha,
        "contender": name,
        "suite": "s",
        "status": "complete",
        "stop_reason": None,
        "source_run": "r-1",
        "simulated": False,
        "n_expected": len(rows),
        "n_groups": len(set(answers.groups)),
        "outcomes": {},
        "n_attempts": 0,
        "confidence_kinds": (),
        "served_models": (),
        "metrics": {},
        "answers": (answers,) if rows else (),
    }
    return Score(**(base | fields))
