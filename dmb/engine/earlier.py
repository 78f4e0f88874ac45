"""What earlier runs have logged of a cell: found by its key in the raw logs, never by notes in an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from dmb.canonical import sha256_hex
from dmb.contracts.attempt import Attempt, Failure
from dmb.engine.decide import Key
from dmb.errors import DamagedFile
from dmb.store.attempts import attempts_at, read_attempt
from dmb.store.files import load_json
from dmb.store.layout import RUNS, raw_log
from dmb.store.redactions import digest_here


class _Found(NamedTuple):
    """One row: where it lies, and ``seen``, as much of it as says whether its item is finished."""

    path: Path
    offset: int
    seen: Attempt


class Earlier:
    """The attempts of each item over all runs, in order, each with the run that asked it as ``origin``.

    Where they lie is held, and how they ended; the rows themselves are read when they are asked for. ``own``: a run whose
    rows are seen as its own, without an origin.
    """

    def __init__(self, found: dict[Key, tuple[_Found, ...]], own: str | None = None) -> None:
        self._found, self._own = found, own

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._found)

    def seen(self, key: Key) -> Sequence[Attempt]:
        """Of an item's attempts the outcome, cause, failure's kind, mark of simulation and origin; nothing else is there."""
        return [self._as_own(f.seen) for f in self._found.get(key, ())]

    def rows(self, key: Key) -> list[Attempt]:
        """An item's attempts as they were logged. Raises ``DamagedFile``."""
        return [
            self._as_own(read_attempt(f.path, f.offset).model_copy(update={"origin": f.seen.origin}))
            for f in self._found.get(key, ())
        ]

    def _as_own(self, row: Attempt) -> Attempt:
        return row.model_copy(update={"origin": None}) if row.origin == self._own else row


def _check_digest(raw: Path) -> None:
    """A log that its run has closed must still be what it was: damaged rows are never taken over.

    A killed run has closed nothing; its rows are read as they are. Raises ``DamagedFile``.
    """
    index = raw.parent.parent / "cells.json"
    if not index.exists():
        return
    about = index.stat()
    recorded = _recorded(index.absolute(), about.st_ino, about.st_mtime_ns, about.st_size).get(str(raw))
    if recorded is not None and sha256_hex(raw.read_bytes()) != digest_here(raw, recorded):
        raise DamagedFile(
            f"{raw}: its bytes are not those that run {raw.parts[-3]} recorded; put the right ones back, or delete the "
            "file: its rows are then asked again"
        )


@lru_cache(maxsize=32)
def _recorded(index: Path, *_version: int) -> dict[str, str]:
    """Log -> digest, as a run's index has them; kept, since a start asks for each of thousands of cells."""
    return {c["raw"]: c["raw_sha256"] for c in load_json(index) if c.get("raw") and c.get("raw_sha256")}


@lru_cache(maxsize=4096)
def _seen(outcome: Any, cause: Any, origin: str, failure_kind: Any, simulated: bool) -> Attempt:
    failure = None if failure_kind is None else Failure.model_construct(kind=failure_kind)
    return Attempt.model_construct(outcome=outcome, cause=cause, origin=origin, failure=failure, simulated=simulated)


def logged_attempts(contender: str, suite: str, cell_key: str, own: str | None = None) -> Earlier:
    """Find them. ``own``: the run that asks, if one does. Raises ``DamagedFile``."""
    name = raw_log("any", contender, suite).name
    rows: dict[tuple[Key, int, str], tuple[str, _Found]] = {}
    for path in sorted(RUNS.glob(f"*/raw/{name}")):
        _check_digest(path)
        for offset, row in attempts_at(path, cell_key):
            origin = row.origin or path.parts[-3]
            place = ((row.item, row.permutation, row.repeat), row.attempt, origin)
            if place not in rows:
                kind = None if row.failure is None else row.failure.kind
                seen = _seen(row.outcome, row.cause, origin, kind, row.simulated)
                rows[place] = (row.timing.sent_at, _Found(path, offset, seen))
    found: dict[Key, tuple[_Found, ...]] = {}
    # by number before time: a clock may have been set back between two attempts
    by_item = sorted(rows.items(), key=lambda r: (r[0][0], r[0][1], r[1][0]))
    for key, attempts in groupby(by_item, key=lambda r: r[0][0]):
        kept: list[_Found] = []
        for (_, number, _), (_, one) in attempts:
            # an item may be continued by a later run; should two runs ever have asked the same attempt, the first counts
            if number == len(kept) + 1:
                kept.append(one)
        if kept:
            found[key] = tuple(kept)
    return Earlier(found, own)
