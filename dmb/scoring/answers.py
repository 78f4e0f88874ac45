"""Evidence -> the columns by which cells are compared row by row."""

from __future__ import annotations

from collections.abc import Container

from dmb.contracts.answers import AnswerColumns
from dmb.scoring.evidence import Evidence
from dmb.scoring.records import rounded


def answer_columns(evidence: Evidence, slot: str, counted: Container[tuple[str, int]]) -> AnswerColumns:
    """The first repeat of each item. ``counted``: (item, permutation) of the rows over which accuracy is taken."""
    rows = evidence.first_rows
    outputs = [r.output(slot) for r in rows]
    return AnswerColumns(
        slot=slot,
        items=tuple(r.item.id for r in rows),
        permutations=tuple(r.item.permutation for r in rows),
        groups=tuple(r.item.group for r in rows),
        gold=tuple(r.item.gold.get(slot) for r in rows),
        outcomes=tuple(r.decision.outcome for r in rows),
        values=tuple(o.value if o is not None else None for o in outputs),
        positions=tuple(o.position if o is not None else None for o in outputs),
        confidences=tuple(rounded(o.confidence) if o is not None else None for o in outputs),
        counted=tuple((r.item.id, r.item.permutation) in counted for r in rows),
    )
