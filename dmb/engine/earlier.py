"""What earlier runs have logged of a cell: found by its key in the raw logs, never by notes in an index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dmb.canonical import sha256_hex
from dmb.contracts.attempt import Attempt
from dmb.engine.decide import Key
from dmb.errors import DamagedFile
from dmb.store.attempts import read_attempts
from dmb.store.files import load_json
from dmb.store.layout import RUNS, raw_log


def _check_digest(raw: Path) -> None:
    """A log that its run has closed must still be what it was: damaged rows are never taken over.

    A killed run has closed nothing; its rows are read as they are. Raises ``DamagedFile``.
    """
    index = raw.parent.parent / "cells.json"
    if not index.exists():
        return
    recorded = next((c.get("raw_sha256") for c in load_json(index) if c.get("raw") == str(raw)), None)
    if recorded is not None and sha256_hex(raw.read_bytes()) != recorded:
        raise DamagedFile(
            f"{raw}: its bytes are not those that run {raw.parts[-3]} recorded; put the right ones back, or delete the "
            "file: its rows are then asked again"
        )


def logged_attempts(contender: str, suite: str, cell_key: str) -> dict[Key, list[Attempt]]:
    """Attempts of each item over all runs, in order, each with the run that asked it as ``origin``."""
    name = raw_log("any", contender, suite).name
    rows: dict[tuple[Any, ...], Attempt] = {}
    for path in sorted(RUNS.glob(f"*/raw/{name}")):
        _check_digest(path)
        for row in read_attempts(path, cell_key):
            origin = row.origin or path.parts[-3]
            place = (row.item, row.permutation, row.repeat, row.attempt, origin)
            rows.setdefault(place, row.model_copy(update={"origin": origin}))
    found: dict[Key, list[Attempt]] = {}
    for row in sorted(rows.values(), key=lambda r: (r.attempt, r.timing.sent_at)):
        attempts = found.setdefault((row.item, row.permutation, row.repeat), [])
        # an item may be continued by a later run; should two runs ever have asked the same attempt, the first counts
        if row.attempt == len(attempts) + 1:
            attempts.append(row)
    return {key: attempts for key, attempts in found.items() if attempts}
