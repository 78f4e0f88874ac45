"""A table whose columns are chosen measures of one suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.publish import numbers
from dmb.publish.measures import joined, measure
from dmb.publish.table import Column, Notes, Row, Table, Value, words
from dmb.publish.tables.matrix import answered, not_asked, place

if TYPE_CHECKING:
    from dmb.publish.release import Release


def has(release: Release, suite: str, key: str) -> bool:
    """Whether any cell of the suite has this measure, defined or not."""
    return any(key in release.cells[contender, suite].metrics for contender in release.contenders)


def table(
    release: Release, suite: str, slot: str, names: tuple[str, ...], *, id: str, title: str, caption: str
) -> Table:
    """Rows are contenders, columns those of ``names`` that the suite has; the last column is the kind of confidence."""
    shown = [name for name in names if has(release, suite, joined(slot, name))]
    notes = Notes()
    rows = []
    for contender in answered(release, [suite]):
        score = release.cells[contender, suite]
        places = [place(release, score, joined(slot, name), notes) for name in shown]
        rows.append(Row((Value(release.label(contender)), *places, Value(words(score.confidence_kinds), muted=True))))
    columns = [Column("Contender", numeric=False)]
    columns += [Column(measure(name).label, unit=numbers.UNIT_NAMES[measure(name).unit]) for name in shown]
    columns.append(Column("Confidence", numeric=False, unit="kind"))
    return Table(
        id=joined(slot, id).replace(".", "-"),
        title=title + (f", slot `{slot}`" if slot else ""),
        caption=caption,
        columns=tuple(columns),
        rows=tuple(rows),
        notes=tuple(notes.texts),
        remarks=not_asked(release, [suite]),
        kind="matrix",
    )
