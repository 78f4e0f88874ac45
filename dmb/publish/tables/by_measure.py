"""One table per measure: rows are contenders, columns are the suites in which it is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.publish import numbers
from dmb.publish.measures import in_order, measure
from dmb.publish.table import Column, Notes, Row, Table, Value, words
from dmb.publish.tables.matrix import answered, not_asked, place

if TYPE_CHECKING:
    from dmb.publish.release import Release


def tables(release: Release) -> tuple[Table, ...]:
    """All of them, in the order of ``measures.MEASURES``."""
    keys = in_order(key for score in release.cells.values() for key in score.metrics)
    return tuple(_table(release, key) for key in keys)


def _table(release: Release, key: str) -> Table:
    what = measure(key)
    suites = [
        suite for suite in release.suites if any(key in release.cells[c, suite].metrics for c in release.contenders)
    ]
    notes = Notes()
    rows = []
    for contender in answered(release, suites):
        cells = [release.cells[contender, suite] for suite in suites]
        values = [Value(release.label(contender)), *(place(release, score, key, notes) for score in cells)]
        if what.confidence:
            kinds = dict.fromkeys(kind for score in cells for kind in score.confidence_kinds)
            values.append(Value(words(kinds), muted=True))
        rows.append(Row(tuple(values)))
    columns = [Column("Contender", numeric=False), *(Column(suite, code=True) for suite in suites)]
    if what.confidence:
        columns.append(Column("Confidence", numeric=False, unit="kind"))
    unit = numbers.UNIT_NAMES[what.unit]
    return Table(
        id=f"measure-{key.replace('.', '-').replace('_', '-')}",
        title=what.label,
        unit=unit,
        caption=what.says,
        columns=tuple(columns),
        rows=tuple(rows),
        notes=tuple(notes.texts),
        remarks=not_asked(release, suites),
        kind="matrix",
    )
