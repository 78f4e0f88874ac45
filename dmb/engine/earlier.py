"""What earlier runs have logged of a cell: found by its key in the raw logs, never by notes in an index."""

from __future__ import annotations

from typing import Any

from dmb.contracts.attempt import Attempt
from dmb.engine.decide import Key
from dmb.store.attempts import read_attempts
from dmb.store.layout import RUNS, raw_log


def logged_attempts(contender: str, suite: str, cell_key: str) -> dict[Key, list[Attempt]]:
    """Attempts of each item over all runs, in order, each with the run that asked it as ``origin``."""
    name = raw_log("any", contender, suite).name
    rows: dict[tuple[Any, ...], Attempt] = {}
    for path in sorted(RUNS.glob(f"*/raw/{name}")):
        for row in read_attempts(path, cell_key):
            origin = row.origin or path.parts[-3]
            place = (row.item, row.permutation, row.repeat, row.attempt, origin)
            rows.setdefault(place, row.model_copy(update={"origin": origin}))
    found: dict[Key, list[Attempt]] = {}
    for row in sorted(rows.values(), key=lambda r: r.timing.sent_at):
        attempts = found.setdefault((row.item, row.permutation, row.repeat), [])
        # an item may be continued by a later run; should two runs ever have asked the same attempt, the first counts
        if row.attempt == len(attempts) + 1:
            attempts.append(row)
    return {key: attempts for key, attempts in found.items() if attempts}
