"""What a cell's answers come to, row by row."""

from __future__ import annotations

from dmb.contracts.attempt import Outcome
from dmb.contracts.frozen import Frozen, Slug
from dmb.contracts.item import Gold


class AnswerColumns(Frozen):
    """The first repeat of each item in one slot: columns of one length, in the order of the frozen items.

    Cells of one suite are compared by these, and items are looked up in them. ``gold`` None: no answer is right there.
    ``values``, ``positions`` and ``confidences`` are None where ``outcomes`` is not `valid`; a position counts from 0.
    ``counted``: rows over which the suite takes accuracy; where most items cannot be known, the answerable ones alone.
    """

    slot: Slug
    items: tuple[str, ...]
    permutations: tuple[int, ...]
    groups: tuple[str, ...]
    gold: tuple[Gold, ...]
    outcomes: tuple[Outcome, ...]
    values: tuple[Gold, ...]
    positions: tuple[int | None, ...]
    confidences: tuple[float | None, ...]
    counted: tuple[bool, ...]
