"""What confidences are worth: three tables with a row per cell, since a table for each of these measures would be a book."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish import numbers
from dmb.publish.measures import joined, measure
from dmb.publish.records import value_of
from dmb.publish.table import Column, Notes, Row, Table, Value, words
from dmb.publish.tables import columns
from dmb.publish.tables.matrix import answered, not_asked

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: Measure -> its head where the words around it make it clear.
_ERRORS = {"ece": "ECE", "ece_floor": "95 % floor", "ece_debiased": "Debiased", "ece_smooth": "Smooth"}
_SCORES = {
    "brier": "Brier",
    "brier_reliability": "Reliability",
    "brier_resolution": "Resolution",
    "brier_uncertainty": "Uncertainty",
    "log_loss": "Log loss",
    "log_loss_clipped_rate": "Clipped",
    "log_loss_options": "Log loss, all options",
    "log_loss_options_clipped_rate": "Clipped",
}
_KEPT = {
    "aurc": "AURC",
    "coverage_at_risk_1": "Kept at 1 % error",
    "coverage_at_risk_5": "Kept at 5 % error",
    "coverage_at_risk_10": "Kept at 10 % error",
}
#: Printed as a count, so that the log loss beside it needs no footnote.
_CLIPPED = {"log_loss": "log_loss_clipped_rate", "log_loss_options": "log_loss_options_clipped_rate"}


def tables(release: Release) -> tuple[Table, ...]:
    """Those that have a measure to show."""
    made = (
        _table(
            release,
            _ERRORS,
            id="calibration-errors",
            title="Calibration error, and what chance alone makes of it",
            caption="ECE beside its 95 % floor: of a perfectly calibrated contender with the same confidences it stays at or below "
            "that in 95 of 100 draws of outcomes, so an ECE up to the floor is no sign of miscalibration. Debiased: root mean "
            "square error in bins of equal mass, chance taken off. Smooth: without bins. Lower is better in all but the floor.",
        ),
        _table(
            release,
            _SCORES,
            id="calibration-scores",
            title="Brier score with its parts, and log loss",
            caption="Brier score = reliability − resolution + uncertainty. Reliability (lower is better) is what miscalibration costs, "
            "resolution (higher is better) what telling right from wrong gains, uncertainty what the accuracy itself leaves. "
            "Log loss is of the confidence in being correct, and of the whole list of probabilities where replies have one; "
            "a probability below 0.001 counts as 0.001, and is counted as clipped.",
        ),
        _table(
            release,
            _KEPT,
            id="risk-coverage",
            title="Keeping the surest answers",
            caption="AURC: error rate among the surest answers, averaged over how many are kept; lower is better. Kept: the most decisions "
            "that a cut-off on confidence accepts at that error rate. The cut-off is chosen on the same rows, so it is a best case.",
        ),
    )
    return tuple(table for table in made if table is not None)


def shown(release: Release) -> set[tuple[str, str]]:
    """(suite, key) of the measures that stand in these tables."""
    return {(suite, joined(slot, name)) for suite, slot in _places(release) for name in (*_ERRORS, *_SCORES, *_KEPT)}


def _places(release: Release) -> Iterator[tuple[str, str]]:
    """(suite, slot) where somebody was asked and calibration was measured with what belongs beside it."""
    return (
        (suite, slot)
        for suite in release.suites
        for slot in release.slots(suite)
        if columns.has(release, suite, joined(slot, "ece_floor")) and answered(release, [suite])
    )


def _table(release: Release, heads: dict[str, str], *, id: str, title: str, caption: str) -> Table | None:
    places = list(_places(release))
    if not places:
        return None
    notes = Notes()
    rows = [
        _row(release, release.cells[contender, suite], slot, heads, notes)
        for suite, slot in places
        for contender in answered(release, [suite])
    ]
    head_of = [
        Column(head, unit="rows" if name in _CLIPPED.values() else numbers.UNIT_NAMES[measure(name).unit])
        for name, head in heads.items()
    ]
    return Table(
        id=id,
        title=title,
        caption=caption,
        columns=(
            Column("Suite", numeric=False),
            Column("Contender", numeric=False),
            Column("n"),
            *head_of,
            Column("Confidence", numeric=False, unit="kind"),
        ),
        rows=tuple(rows),
        n_heads=2,
        notes=tuple(notes.texts),
        remarks=not_asked(release, dict.fromkeys(suite for suite, _ in places)),
    )


def _row(release: Release, score: Score, slot: str, heads: dict[str, str], notes: Notes) -> Row:
    records = {name: score.metrics.get(joined(slot, name)) for name in heads}
    n = next(iter(records.values()))
    return Row(
        (
            Value(f"{score.suite}, {slot}" if slot else score.suite, code=True),
            Value(release.label(score.contender), simulated=score.simulated),
            Value(numbers.count(n.n if n is not None else 0)),
            *(_value(name, record, notes) for name, record in records.items()),
            Value(words(score.confidence_kinds), muted=True),
        )
    )


def _value(name: str, record: MeasureRecord | None, notes: Notes) -> Value:
    if record is None or record.value is None:
        return value_of(record, name, notes)
    if name in _CLIPPED.values():
        return Value(numbers.count(int(record.num or 0)), muted=not record.num)
    noted = record if name not in _CLIPPED else record.model_copy(update={"note": _but_clipped(record.note)})
    return value_of(noted, name, notes, with_n=False)


def _but_clipped(note: str | None) -> str | None:
    """The note without the count of clipped rows, which has a column."""
    return "; ".join(part for part in (note or "").split("; ") if not part.endswith(" count as 0.001")) or None
