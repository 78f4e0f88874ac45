"""Contenders by something: the shape that most tables have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dmb.contracts.cell import Score
from dmb.publish.records import COSTS, cost_of, stop_text, value_of
from dmb.publish.table import Notes, Value

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: As many skipped contenders keep a row each; more of them become a line below the table.
_SKIPPED_ROWS = 2


def answered(release: Release, suites: Iterable[str]) -> list[str]:
    """Contenders that were asked in at least one of the suites."""
    suites = list(suites)
    return [c for c in release.contenders if any(release.cells[c, suite].status != "skipped" for suite in suites)]


def not_asked(release: Release, suites: Iterable[str]) -> tuple[str, ...]:
    """One line that names whoever has no row because it was never asked; rows of nothing but n/a hide the others."""
    suites = list(suites)
    there = answered(release, suites)
    by_reason: dict[str, list[str]] = {}
    for contender in release.contenders:
        if contender not in there:
            # who was not asked here has no answers here, simulated ones neither
            by_reason.setdefault(stop_text(release.cells[contender, suites[0]]), []).append(
                release.label_in_prose(contender, *suites)
            )
    return tuple(f"Not asked ({reason}): {', '.join(labels)}." for reason, labels in by_reason.items())


def rows_and_remarks(release: Release, suites: Iterable[str]) -> tuple[list[str], tuple[str, ...]]:
    """Contenders that get a row, and lines for the others: a few who were not asked have a row that says so."""
    suites = list(suites)
    there = answered(release, suites)
    if not there or len(release.contenders) - len(there) <= _SKIPPED_ROWS:
        return list(release.contenders), ()
    return there, not_asked(release, suites)


def place(release: Release, score: Score, key: str, notes: Notes) -> Value:
    """One measure of one cell."""
    record = score.metrics.get(key)
    if key in COSTS and score.status != "skipped":
        return cost_of(score, record, key, notes, billed=release.billed(score.contender), simulated=score.simulated)
    return value_of(record, key, notes, simulated=score.simulated)
