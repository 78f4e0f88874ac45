"""Published files beside what the evidence gives: the same bytes, or where they differ and whose numbers that touches."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from dmb.contracts.release import ReleaseDocument
from dmb.publish.figures.figure import suite_of
from dmb.publish.release import Release
from dmb.publish.write import RELEASE_JSON, rendered
from dmb.store.digest_list import MANIFEST
from dmb.verify.findings import CellId, Verification
from dmb.verify.sealed import listed_files

#: A release -> name below ``results/`` -> bytes.
Render = Callable[[Release], dict[str, bytes]]

#: A number as it is printed: digits that are no part of a word.
_NUMBER = re.compile(rb"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_TEXTS = (".md", ".html", ".json", ".svg", ".csv")
#: Written by people, or by commands that say so, and read by nobody here.
_NOT_OURS = ("FINDINGS.md", "CORRECTIONS.md", MANIFEST)
#: How far back from a difference a contender or suite is looked for, in bytes.
_NEAR = 20_000


def check_published(
    release: Release, document: ReleaseDocument, results: Path, seen: Verification, render: Render = rendered
) -> None:
    """Renders everything in memory and compares byte for byte; names each file that differs, is missing or is too many."""
    files = render(release)
    for name, made in files.items():
        path = results / name
        if not path.exists():
            seen.add(f"results/{name}", "is not here", cells_of_file(name, release))
            continue
        seen.n_published_files += 1
        found = path.read_bytes()
        if found != made:
            problem, cells = _difference(name, found, made, release)
            seen.add(f"results/{name}", problem, cells)
        elif name.endswith(_TEXTS):
            seen.n_numbers += len(_NUMBER.findall(made))
    folder, listed = results / release.name, listed_files(release.name, results)
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        name = path.relative_to(results).as_posix()
        if not path.is_file() or name in files or path.name == RELEASE_JSON or path.name.startswith("."):
            continue
        if name in listed or (listed and path.name == MANIFEST):
            # held to the digest that was published with it
            continue
        if path.name in _NOT_OURS:
            seen.notes.append(f"results/{name}: not made from the evidence, so not looked at here")
        else:
            seen.add(f"results/{name}", "is no file of this release: nothing in it can be traced")


def cells_of_file(name: str, release: Release) -> list[CellId]:
    """Cells that a published file shows: a drawing of one suite shows its cells, everything else all of them."""
    suite = suite_of(Path(name).stem)
    return [cell for cell in release.cells if suite not in release.suites or cell[1] == suite]


def _difference(name: str, found: bytes, made: bytes, release: Release) -> tuple[str, list[CellId]]:
    """(where the first difference is, the cells it touches)"""
    if name.endswith(".json"):
        try:
            return _json_difference(json.loads(found), json.loads(made), release)
        except ValueError:
            pass
    at = next((n for n, (a, b) in enumerate(zip(found, made, strict=False)) if a != b), min(len(found), len(made)))
    if not name.endswith(_TEXTS):
        return f"differs from byte {at} on", cells_of_file(name, release)
    line = made.count(b"\n", 0, at) + 1
    shown = [_around(data, at) for data in (found, made)]
    return f"line {line}: says {shown[0]!r}, the evidence gives {shown[1]!r}", _touched(name, made, at, release)


def _json_difference(found: Any, made: Any, release: Release) -> tuple[str, list[CellId]]:
    places = list(_json_places(found, made))
    cells = [*release.cells]
    touched = []
    for place in places:
        if place[:1] == ("cells",) and len(place) > 1 and isinstance(place[1], int) and place[1] < len(cells):
            touched.append(cells[place[1]])
    if not places:
        return "says the same in other bytes", cells
    first = ".".join(map(str, places[0]))
    more = f", and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{first} is not what the evidence gives{more}", touched or cells


def _json_places(found: Any, made: Any, at: tuple[str | int, ...] = ()) -> Iterable[tuple[str | int, ...]]:
    """Paths of the values that differ."""
    if isinstance(found, dict) and isinstance(made, dict):
        for key in sorted(found.keys() | made.keys()):
            if key not in found or key not in made:
                yield (*at, key)
            else:
                yield from _json_places(found[key], made[key], (*at, key))
    elif isinstance(found, list) and isinstance(made, list) and len(found) == len(made):
        for n, (a, b) in enumerate(zip(found, made, strict=True)):
            yield from _json_places(a, b, (*at, n))
    elif found != made or type(found) is not type(made):
        yield at


def _around(data: bytes, at: int) -> str:
    """The words about a byte."""
    start = max(data.rfind(b"\n", 0, at) + 1, at - 24)
    end = data.find(b"\n", at)
    return data[start : min(end if end >= 0 else len(data), at + 24)].decode("utf-8", "replace")


def _touched(name: str, made: bytes, at: int, release: Release) -> list[CellId]:
    """Cells that the differing line is about: those that it names, otherwise by what stands last before it."""
    if len(cells := cells_of_file(name, release)) < len(release.cells):
        return cells
    start, end = made.rfind(b"\n", 0, at) + 1, made.find(b"\n", at)
    line = made[start : end if end >= 0 else len(made)]
    before = made[max(0, at - _NEAR) : at]
    labels = {c: (c, release.label(c)) for c in release.contenders}
    titles = {s: (s, suite.title) for s, suite in release.suites.items()}
    contenders, suites = _named(labels, line, before), _named(titles, line, before)
    return [cell for cell in release.cells if cell[0] in contenders and cell[1] in suites]


def _named(names: dict[str, tuple[str, ...]], line: bytes, before: bytes) -> set[str]:
    """Keys of the names that stand in the line; without any, the one that stands last before it; without one, all."""
    here = {key for key, words in names.items() if any(_last(word, line) >= 0 for word in words)}
    if here:
        return here
    last = {key: max(_last(word, before) for word in words) for key, words in names.items()}
    nearest = max(last, key=lambda key: last[key])
    return {nearest} if last[nearest] >= 0 else set(names)


def _last(word: str, data: bytes) -> int:
    """Where a word stands last, as a whole; -1 where it does not."""
    pattern = rb"(?<![\w-])" + re.escape(word.encode("utf-8")) + rb"(?![\w-])"
    return max((m.start() for m in re.finditer(pattern, data)), default=-1)
