"""The per-suite table: what a reader sees first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import Score
from dmb.publish import numbers
from dmb.publish.measures import joined, measure
from dmb.publish.records import cost_of, stop_text, value_of
from dmb.publish.table import Column, Notes, Row, Table, Value, cell_anchor, words
from dmb.publish.tables import columns
from dmb.publish.tables.matrix import rows_and_remarks

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: Columns that every suite has; a suite whose primary measure is another one gets that in front.
_RATES = ("accuracy_valid", "accuracy_end_to_end", "macro_f1", "ece")


def table(release: Release, suite: str, slot: str) -> Table:
    """One row per contender, in the release's order."""
    spec = release.suites[suite]
    primary = spec.metrics.primary
    extra = () if primary in (*_RATES, "latency_p50_ms", "cost_usd_per_1000") else (primary,)
    shown = (*extra, *_RATES)
    notes = Notes()
    contenders, remarks = rows_and_remarks(release, [suite])
    rows = tuple(
        _row(release, contender, release.cells[contender, suite], slot, shown, notes) for contender in contenders
    )
    heads = [Column("Contender", numeric=False)]
    for name in shown:
        heads.append(Column(_HEADS.get(name, measure(name).label), unit=numbers.UNIT_NAMES[measure(name).unit]))
        if name == shown[0]:
            heads.append(Column("n"))
        if name == "ece":
            heads.append(Column("Confidence", numeric=False, unit="kind"))
    heads += [Column("p50", unit="ms per decision"), Column("Cost", unit="USD per 1,000"), Column("Valid / expected")]
    return Table(
        id=joined(slot, f"suite-{suite}").replace(".", "-"),
        title=f"{spec.title} (`{suite}`)" + (f", slot `{slot}`" if slot else ""),
        caption=_caption(release, suite, slot),
        columns=tuple(heads),
        rows=rows,
        notes=tuple(notes.texts),
        remarks=remarks,
        about=" ".join(spec.description.split()),
    )


def _caption(release: Release, suite: str, slot: str) -> str:
    rows, groups = release.size(suite)
    together = f", in {numbers.things(groups, 'group')}." if groups != rows else "."
    said = f"{numbers.things(rows, 'row')} expected of each contender{together}"
    if release.suites[suite].metrics.honesty and not columns.has(release, suite, joined(slot, "accuracy_controls")):
        said += " Accuracy is over the answerable controls."
    return said


_HEADS = {
    "accuracy_valid": "Accuracy, valid",
    "accuracy_end_to_end": "Accuracy, end to end",
    "macro_f1": "Macro-F1",
    "ece": "ECE",
}


def _row(release: Release, contender: str, score: Score, slot: str, shown: tuple[str, ...], notes: Notes) -> Row:
    head = Value(release.label(contender), simulated=score.simulated, link=cell_anchor(contender, score.suite))
    if score.status == "skipped":
        return Row((head,), span=f"{stop_text(score)} · 0 of {numbers.count(score.n_expected)} asked")
    # The row's head says that it is simulated; saying so again in every place would only be noise.
    values = [head]
    for name in shown:
        record = score.metrics.get(joined(slot, name))
        value = value_of(record, name, notes, with_n=False)
        if name == shown[0]:
            bounds = (record.value, record.low, record.high) if record is not None else (None,)
            if measure(name).unit == "percent" and None not in bounds:
                value = Value(value.text, value.interval, notes=value.notes, whisker=bounds)
            values += [value, Value(numbers.count(record.n) if record is not None else "n/a")]
        else:
            values.append(value)
        if name == "ece":
            values.append(Value(words(score.confidence_kinds), muted=True))
    values.append(value_of(score.metrics.get(joined(slot, "latency_p50_ms")), "latency_p50_ms", notes, with_n=False))
    cost = score.metrics.get("cost_usd_per_1000", score.metrics.get(joined(slot, "cost_usd_per_1000")))
    values.append(cost_of(score, cost, "cost_usd_per_1000", notes, billed=release.billed(contender), with_n=False))
    ended = () if score.status == "complete" else notes.mark(f"The cell is not complete ({stop_text(score)}).")
    values.append(Value(numbers.of(score.outcomes.get("valid", 0), score.n_expected), notes=ended))
    return Row(tuple(values))
