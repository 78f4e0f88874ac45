"""Items as they were frozen: read back, with their digest checked first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from dmb.canonical import sha256_hex, text_digest
from dmb.contracts.item import Item, OptionSet
from dmb.errors import DamagedFile, MissingEvidence
from dmb.sampling import rank


@dataclass(frozen=True, slots=True)
class FrozenItems:
    """Option sets by id, and the items in their frozen order."""

    option_sets: dict[str, OptionSet]
    items: tuple[Item, ...]

    def subset(self, limit: int | None, seed: int) -> FrozenItems:
        """At most ``limit`` items, drawn by whole groups with the seed; the frozen order stays.

        Groups stay together since their rows are compared with each other; the last group drawn may be cut.
        """
        if limit is None or limit >= len(self.items):
            return self
        groups = sorted({it.group for it in self.items}, key=lambda g: rank(seed, "subset", g))
        place = {g: n for n, g in enumerate(groups)}
        drawn = sorted(range(len(self.items)), key=lambda i: (place[self.items[i].group], i))[:limit]
        return FrozenItems(self.option_sets, tuple(self.items[i] for i in sorted(drawn)))


def checked_bytes(path: Path, sha256: str, mend: str) -> bytes:
    """The file's bytes. Raises ``MissingEvidence`` or ``DamagedFile``, each with the mend."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise MissingEvidence(f"{path}: is not here; {mend}") from None
    if (found := sha256_hex(data)) != sha256:
        raise DamagedFile(f"{path}: sha256 is {found[:12]}, expected {sha256[:12]}; delete it and {mend}")
    return data


def parse_items(data: bytes) -> FrozenItems:
    """Rows of an identity file."""
    option_sets, items = {}, []
    for line in data.splitlines():
        row = json.loads(line)
        if row["kind"] == "options":
            option_sets[row["id"]] = OptionSet.model_validate(row)
        else:
            items.append(Item.model_validate(row))
    return FrozenItems(option_sets, tuple(items))


def load_items(path: Path, sha256: str) -> FrozenItems:
    """The identity file with this digest."""
    return parse_items(checked_bytes(path, sha256, "start again: items are rebuilt, nothing is asked for that"))


def load_texts(path: Path) -> dict[str, str]:
    """Digest -> text, each text checked against its digest. Raises ``MissingEvidence`` or ``DamagedFile``."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        raise MissingEvidence(f"{path}: is not here; start again: texts are rebuilt") from None
    texts = {}
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            whole = text_digest(row["text"]) == row["sha256"]
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole:
            raise DamagedFile(f"{path}: line {number} is damaged; delete the file and start again: texts are rebuilt")
        texts[row["sha256"]] = row["text"]
    return texts


def load_train(path: Path, sha256: str) -> tuple[tuple[str, str], ...]:
    """Rows (text, option id) of a frozen train split."""
    data = checked_bytes(path, sha256, "start again: it is rebuilt")
    return tuple((r["text"], r["label"]) for r in map(json.loads, data.splitlines()))


def gold_shares(items: FrozenItems, slot: str) -> dict[str, float]:
    """Option id -> share of the golds, most frequent first, ties by id. Items without a correct answer do not count."""
    golds = [it.gold.get(slot) for it in items.items]
    counts: dict[str, int] = {}
    for g in golds:
        if isinstance(g, str):
            counts[g] = counts.get(g, 0) + 1
    total = sum(counts.values())
    return {g: counts[g] / total for g in sorted(counts, key=lambda g: (-counts[g], g))}
