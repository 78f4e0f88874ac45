"""How much of the input came from a provider's cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish import numbers
from dmb.publish.measures import measure
from dmb.publish.records import value_of
from dmb.publish.table import Column, Notes, Row, Table, Value
from dmb.publish.tables.matrix import answered, not_asked

if TYPE_CHECKING:
    from dmb.publish.release import Release

KEY = "cached_share"


def tables(release: Release) -> tuple[Table, ...]:
    """Contenders that are asked over a wire by suites; no table where there is none of them."""
    there = [contender for contender in answered(release, release.suites) if _has_tokens(release, contender)]
    if not there:
        return ()
    notes = Notes()
    rows = tuple(
        Row(
            (
                Value(release.label(contender)),
                *(_place(release.cells[contender, suite], notes) for suite in release.suites),
            )
        )
        for contender in there
    )
    inside = [release.label_in_prose(c) for c in answered(release, release.suites) if c not in there]
    without = (f"Without tokens, since they answer in the asking process: {', '.join(inside)}.",) if inside else ()
    return (
        Table(
            id="cached-share",
            title=measure(KEY).label,
            unit=numbers.UNIT_NAMES[measure(KEY).unit],
            caption=f"{measure(KEY).says} It is the only proof of whether answers were computed afresh; where nobody reports "
            "it, it is unknown.",
            columns=(Column("Contender", numeric=False), *(Column(suite, code=True) for suite in release.suites)),
            rows=rows,
            notes=tuple(notes.texts),
            remarks=(*without, *not_asked(release, release.suites)),
            kind="matrix",
        ),
    )


def shown(release: Release) -> set[tuple[str, str]]:
    """(suite, key) of the measure that stands in this table."""
    return {(suite, KEY) for suite in release.suites}


def _has_tokens(release: Release, contender: str) -> bool:
    cells = (release.cells[contender, suite] for suite in release.suites)
    return release.contenders[contender].baseline is None and any(KEY in score.metrics for score in cells)


def _place(score: Score, notes: Notes) -> Value:
    record = score.metrics.get(KEY)
    shown = value_of(record, KEY, notes, simulated=score.simulated, with_n=False)
    if record is not None and record.value is not None:
        return Value(shown.text, n=_tokens(record), notes=shown.notes, simulated=score.simulated)
    text = shown.text if score.status == "skipped" else "unknown"
    return Value(text, notes=shown.notes, muted=True, simulated=score.simulated)


def _tokens(record: MeasureRecord) -> str:
    """``0 / 27,300 tokens``."""
    return f"{numbers.of(int(record.num or 0), int(record.den or 0))} tokens"
