"""Contenders by suites: the main measure of each, tinted by its height."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmb.contracts.cell import Score
from dmb.publish import numbers
from dmb.publish.measures import joined, measure
from dmb.publish.table import Column, Notes, Row, Table, Value, cell_anchor, words
from dmb.publish.tables.matrix import answered, not_asked, place

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: Measures of which more is better; others are not tinted.
_TINTED = ("accuracy_valid", "accuracy_end_to_end", "accuracy_controls", "honest_rate", "macro_f1")


def table(release: Release) -> Table:
    """One row per contender that was asked; a suite of several slots shows its first."""
    notes = Notes()
    rows = []
    for contender in answered(release, release.suites):
        cells = [_place(release, release.cells[contender, suite], notes) for suite in release.suites]
        rows.append(Row((Value(release.label(contender)), *cells)))
    names = {measure(release.suites[suite].metrics.primary).label for suite in release.suites}
    columns = [Column("Contender", numeric=False)]
    for suite, spec in release.suites.items():
        what = measure(spec.metrics.primary)
        unit = numbers.UNIT_NAMES[what.unit] if len(names) == 1 else f"{what.label}, {numbers.UNIT_NAMES[what.unit]}"
        columns.append(Column(suite, unit=unit, code=True))
    return Table(
        id="overview-table",
        title="Main measure by suite",
        caption=f"The main measure of each suite: {words(sorted(names))}. Suites differ in difficulty: read down, not across. Each number leads to its cell.",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=tuple(notes.texts),
        remarks=not_asked(release, release.suites),
        kind="heat",
    )


def _place(release: Release, score: Score, notes: Notes) -> Value:
    primary = release.suites[score.suite].metrics.primary
    key = joined(release.slots(score.suite)[0], primary)
    value = place(release, score, key, notes)
    record = score.metrics.get(key)
    tinted = record is not None and record.value is not None and primary in _TINTED
    shade = min(10, max(0, round(10 * record.value))) if tinted and record and record.value is not None else None
    return replace(value, n="", link=cell_anchor(score.contender, score.suite), shade=shade)
