"""One table per measure: rows are contenders, columns are the suites in which it is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import Score
from dmb.publish import numbers
from dmb.publish.measures import in_order, measure
from dmb.publish.notes import in_words
from dmb.publish.records import COSTS
from dmb.publish.table import Column, Notes, Row, Table, Value, words
from dmb.publish.tables import cached, calibration, honesty, order, outcomes, slices
from dmb.publish.tables.matrix import answered, not_asked, place

if TYPE_CHECKING:
    from dmb.publish.release import Release


def tables(release: Release) -> tuple[Table, ...]:
    """All that have something to compare, in the order of ``measures.MEASURES``."""
    plain = _nought(release) | _unbilled(release) | _undefined(release).keys()
    return tuple(_table(release, key, suites) for key, suites in _suites_of(release).items() if key not in plain)


def lines(release: Release) -> tuple[str, ...]:
    """What would be a table of nothing but noughts, of "not billed" or of n/a for one reason, in one line each."""
    unbilled = _unbilled(release)
    said = (("0 in every cell", _nought(release) - unbilled), ("Not billed in any cell", unbilled))
    named = tuple(f"{what}: {', '.join(measure(k).label for k in in_order(keys))}." for what, keys in said if keys)
    return (*named, *(f"n/a in every cell: {measure(k).label} ({why})." for k, why in _undefined(release).items()))


def _suites_of(release: Release) -> dict[str, list[str]]:
    """Measure -> suites where somebody was asked; not those that show it in a section of their own."""
    elsewhere = order.shown(release) | honesty.shown(release) | cached.shown(release)
    elsewhere |= calibration.shown(release) | outcomes.shown(release) | slices.shown(release)
    found: dict[str, list[str]] = {}
    for key in in_order(key for score in release.cells.values() for key in score.metrics):
        suites = [
            suite
            for suite in release.suites
            if (suite, key) not in elsewhere and any(key in score.metrics for score in _asked(release, suite))
        ]
        if suites:
            found[key] = suites
    return found


def _asked(release: Release, suite: str) -> list[Score]:
    return [release.cells[contender, suite] for contender in answered(release, [suite])]


def _nought(release: Release) -> set[str]:
    """Measures that are 0 wherever somebody was asked."""
    return {
        key
        for key, suites in _suites_of(release).items()
        if all(
            (record := score.metrics.get(key)) is not None and record.value == 0
            for suite in suites
            for score in _asked(release, suite)
        )
    }


def _unbilled(release: Release) -> set[str]:
    """Costs where nobody who was asked sends a bill."""
    return {
        key
        for key, suites in _suites_of(release).items()
        if key in COSTS
        and all(
            not release.billed(score.contender) and not ((record := score.metrics.get(key)) and record.value)
            for suite in suites
            for score in _asked(release, suite)
        )
    }


def _undefined(release: Release) -> dict[str, str]:
    """Measures that are undefined wherever somebody was asked, for one and the same reason; with that reason."""
    found = {}
    for key, suites in _suites_of(release).items():
        records = [score.metrics.get(key) for suite in suites for score in _asked(release, suite)]
        notes = {record.note if record is not None and record.value is None else None for record in records}
        if key not in COSTS and len(notes) == 1 and (note := notes.pop()) is not None:
            found[key] = in_words(note.removeprefix("n/a: "))
    return found


def _table(release: Release, key: str, suites: list[str]) -> Table:
    what = measure(key)
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
