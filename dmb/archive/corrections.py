"""What changed between two releases, number by number, and the defect that explains each change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from dmb.contracts.notes import Correction
from dmb.errors import InputError, UsageError

CORRECTIONS = "data/corrections.toml"

#: In a cell these say which evidence it rests on. They change with the evidence and are no numbers.
_NOT_NUMBERS = frozenset({"cell_key", "source_run", "contender", "suite"})
#: By which of its fields a row of a list is known, wherever it stands.
_KNOWN_BY = (("by", "value"), ("suite", "slot"), ("a", "b"), ("contender",), ("place",), ("run",))
#: What stands in the place of a cell for numbers that belong to none.
RELEASE = "release"
#: Of the document's own fields these are no numbers; runs are listed with the evidence.
_NOT_OF_THE_RELEASE = frozenset({"release", "release_key", "cells", "runs"})


@dataclass(frozen=True)
class Change:
    """One number. ``cell``: contender.suite. A side that is None has no such number."""

    cell: str
    number: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Changes:
    """All of them, and the cells that only one of the two releases has."""

    numbers: tuple[Change, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]


def changes_between(old: Mapping[str, Any], new: Mapping[str, Any]) -> Changes:
    """``old`` and ``new``: contents of two cells files."""
    before, after = _cells(old), _cells(new)
    found = [Change(RELEASE, *c) for c in _differences(_rest(old), _rest(new), "")]
    for name in before.keys() & after.keys():
        found += [Change(name, *c) for c in _differences(before[name], after[name], "")]
    found.sort(key=lambda c: (c.cell != RELEASE, c.cell, c.number))
    return Changes(
        tuple(found), tuple(sorted(after.keys() - before.keys())), tuple(sorted(before.keys() - after.keys()))
    )


def _cells(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{c['contender']}.{c['suite']}": {k: v for k, v in c.items() if k not in _NOT_NUMBERS}
        for c in document["cells"]
    }


def _rest(document: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in document.items() if k not in _NOT_OF_THE_RELEASE}


def _differences(old: Any, new: Any, at: str) -> Iterator[tuple[str, Any, Any]]:
    """(dotted name, old, new) of each leaf that differs. Rows of a list go by what they are of, else by their place."""
    old, new = _by_name(old), _by_name(new)
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key), new.get(key), f"{at}.{key}" if at else key)
    elif isinstance(old, dict) or isinstance(new, dict):
        table, is_new = (new, True) if isinstance(new, dict) else (old, False)
        if not table or (other := old if is_new else new) is not None:
            yield at, old, new
            return
        for key in sorted(table):
            pair = (other, table[key]) if is_new else (table[key], other)
            yield from _differences(*pair, f"{at}.{key}" if at else key)
    elif old != new:
        yield at, old, new


def _by_name(value: Any) -> Any:
    """A list as a table: rows by what they are of, others by their place."""
    if not isinstance(value, list):
        return value
    return {_name(row, place): row for place, row in enumerate(value)}


def _name(row: Any, place: int) -> str:
    fields = next((f for f in _KNOWN_BY if isinstance(row, dict) and row.keys() >= set(f)), None)
    return str(place) if fields is None else " ".join(f"{name}={row[name]}" for name in fields)


def explained(changes: Sequence[Change], corrections: Sequence[Correction]) -> dict[int, list[Change]]:
    """Place of a correction -> the numbers that it explains. Raises ``InputError`` for a change that none explains."""
    found: dict[int, list[Change]] = {}
    left = []
    for change in changes:
        place = next((n for n, c in enumerate(corrections) if _fits(c, change)), None)
        if place is None:
            left.append(change)
        else:
            found.setdefault(place, []).append(change)
    if left:
        first = left[0]
        more = f", and {len(left) - 1} more changes" if len(left) > 1 else ""
        raise InputError(
            CORRECTIONS,
            f"{first.cell} {first.number}",
            f"was {shown(first.old)} and is {shown(first.new)}; no correction explains it{more}",
            "add a [[correction]] with old, defect, cells and numbers",
        )
    return found


def _fits(correction: Correction, change: Change) -> bool:
    return any(fnmatchcase(change.cell, p) for p in correction.cells) and any(
        fnmatchcase(change.number, p) for p in correction.numbers
    )


def corrections_md(old: str, new: str, changes: Changes, corrections: Sequence[Correction]) -> str:
    """``CORRECTIONS.md``: a section for each defect, with every number that it changed. Raises ``InputError``."""
    if old == new:
        raise UsageError(f"{old} cannot be corrected by itself; name two releases")
    by_defect = explained(changes.numbers, corrections)
    parts = [f"# Corrections: {old} to {new}\n"]
    if changes.numbers:
        parts.append(f"{_things(len(changes.numbers), 'number')} differ from {old}, which stays as it was published.\n")
    else:
        parts.append(f"No number of {old} differs.\n")
    for n, (place, found) in enumerate(sorted(by_defect.items()), start=1):
        rows = "".join(f"| `{c.cell}` | `{c.number}` | {shown(c.old)} | {shown(c.new)} |\n" for c in found)
        parts.append(
            f"## {n}. {corrections[place].defect.strip()}\n\n| cell | number | {old} | {new} |\n| --- | --- | --- | --- |\n{rows}"
        )
    for words, cells in (("Cells that are new", changes.added), ("Cells that are no longer there", changes.removed)):
        if cells:
            parts.append(f"## {words}\n\n" + "".join(f"* `{c}`\n" for c in cells))
    return "\n".join(parts)


def shown(value: Any) -> str:
    """A number as the cells file has it; "none" where there is none."""
    if value is None:
        return "none"
    return str(value).replace("|", "\\|").replace("\n", " ")


def _things(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")
