"""What a builder returns, and its one serialisation: identities and texts apart, byte for byte the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dmb.canonical import json_line, sha256_hex, text_digest
from dmb.contracts.item import Gold, Item, Option, OptionRef, OptionSet


@dataclass(frozen=True, slots=True)
class BuiltItem:
    """One item with its state text. ``options``: id of an option set and the order shown (None: as it stands)."""

    id: str
    state: str
    option_set: str
    gold: dict[str, Gold]
    order: tuple[int, ...] | None = None
    permutation: int = 0
    group: str | None = None
    stratum: str = ""
    slices: dict[str, str | int | bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Built:
    """A suite's items in memory.

    ``option_sets``: id -> ordered (option id, option text). ``train``: rows (text, option id) that trained baselines
    may learn from; None where the suite has no train split.
    """

    option_sets: dict[str, tuple[tuple[str, str], ...]]
    items: tuple[BuiltItem, ...]
    train: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a builder may read: pinned sources and committed files as bytes, another suite already built."""

    source: Callable[[str], bytes]
    file: Callable[[str], bytes]
    suite: Callable[[str], Built]


@dataclass(frozen=True, slots=True)
class Builder:
    """``build(params, sources, files, upstream suite or None, inputs)`` is deterministic, free and takes under a second."""

    version: int
    build: Callable[[BuilderArgs], Built]


@dataclass(frozen=True, slots=True)
class BuilderArgs:
    """The parsed ``[items]`` table of the suite file, and how to read what it names."""

    suite: str
    sources: Sequence[str]
    files: Sequence[str]
    upstream: str | None
    params: dict[str, Any]
    slots: Sequence[str]
    inputs: Inputs


def identity_bytes(built: Built) -> bytes:
    """The identity file: option sets first, then items, in the builder's order. Its sha256 is the items digest."""
    rows = [
        OptionSet(id=name, options=tuple(Option(id=i, text=text_digest(t)) for i, t in options)).model_dump(mode="json")
        for name, options in built.option_sets.items()
    ]
    for it in built.items:
        item = Item(
            id=it.id,
            permutation=it.permutation,
            group=it.group if it.group is not None else it.id,
            stratum=it.stratum,
            state=text_digest(it.state),
            options=OptionRef(set=it.option_set, order=it.order),
            gold=it.gold,
            slices=it.slices,
        )
        rows.append(item.model_dump(mode="json"))
    return "".join(json_line(r) for r in rows).encode("ascii")


def texts_bytes(built: Built) -> bytes:
    """The texts file: one row {"sha256", "text"} a distinct text, sorted by digest."""
    texts = {text_digest(t): t for options in built.option_sets.values() for _, t in options}
    texts |= {text_digest(it.state): it.state for it in built.items}
    return "".join(json_line({"sha256": d, "text": texts[d]}) for d in sorted(texts)).encode("ascii")


def train_bytes(built: Built) -> bytes | None:
    """The train split: one row {"label", "text"} a message, in the builder's order; None where there is none."""
    if built.train is None:
        return None
    return "".join(json_line({"label": label, "text": text}) for text, label in built.train).encode("ascii")


def items_digest(built: Built) -> str:
    """sha256 of the identity file."""
    return sha256_hex(identity_bytes(built))
