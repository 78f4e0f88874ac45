"""Frozen items: rows of ``data/items/<suite>.<sha12>.jsonl``. They hold identities and digests, never a text."""

from __future__ import annotations

from typing import Literal

from dmb.contracts.frozen import Frozen, Sha256

#: A slot's gold: an option id or label, a bool, citation ids; None says that no answer is correct.
Gold = str | bool | tuple[str, ...] | None


class Option(Frozen):
    """One option: its stable id (used in scores) and the digest of the text that contenders see."""

    id: str
    text: Sha256


class OptionSet(Frozen):
    """Options that several items share, serialised once."""

    kind: Literal["options"] = "options"
    id: str
    options: tuple[Option, ...]


class OptionRef(Frozen):
    """Which options an item offers, and in which order.

    ``order`` holds indices into the set; None means all of them as they stand there.
    """

    set: str
    order: tuple[int, ...] | None = None


class Item(Frozen):
    """One question. (``id``, ``permutation``) is unique in a suite; rows of one ``group`` are not independent."""

    kind: Literal["item"] = "item"
    id: str
    permutation: int = 0
    group: str
    stratum: str
    state: Sha256
    options: OptionRef | None = None
    gold: dict[str, Gold]
    slices: dict[str, str | int | bool] = {}
