"""What became of the expected rows: the seven outcomes, and how each cell ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.attempt import OUTCOMES
from dmb.publish import numbers
from dmb.publish.measures import joined
from dmb.publish.records import value_of
from dmb.publish.table import Column, Notes, Row, Table, Value, cell_anchor

if TYPE_CHECKING:
    from dmb.contracts.cell import MeasureRecord, Score
    from dmb.publish.release import Release

_BAND = ("accuracy_worst_case", "accuracy_best_case")


def outcome_table(release: Release) -> Table:
    """One row per cell; the seven columns are disjoint and add up to the last one."""
    rows = []
    for (contender, suite), score in release.cells.items():
        counts = [score.outcomes.get(outcome, 0) for outcome in OUTCOMES]
        values = [Value(numbers.count(n), muted=not n) for n in (*counts, score.n_expected)]
        rows.append(Row((Value(suite, code=True), Value(release.label(contender), simulated=score.simulated), *values)))
    columns = (
        Column("Suite", numeric=False),
        Column("Contender", numeric=False),
        *(Column(outcome.capitalize()) for outcome in OUTCOMES),
        Column("Expected"),
    )
    caption = "Each expected row has exactly one outcome, so the seven columns add up to the last. All but skipped are completed."
    return Table("outcomes", "Outcomes", caption, columns, tuple(rows), n_heads=2)


def coverage_table(release: Release) -> Table:
    """One row per cell: status, stop reason, source run, and both coverages undivided."""
    rows = []
    for (contender, suite), score in release.cells.items():
        skipped, valid = score.outcomes.get("skipped", 0), score.outcomes.get("valid", 0)
        receipt = release.receipts.get(score.cell_key)
        values = (
            Value(score.status, muted=score.status == "skipped"),
            Value(score.stop_reason or "–", muted=not score.stop_reason),
            Value(score.source_run, code=True) if score.source_run else Value("–", muted=True),
            Value(numbers.of(score.n_expected - skipped, score.n_expected)),
            Value(numbers.of(valid, score.n_expected)),
            Value(numbers.count(score.n_attempts), muted=not score.n_attempts),
            Value(numbers.count(receipt.n_imported), muted=not receipt.n_imported)
            if receipt
            else Value("–", muted=True),
        )
        anchor = cell_anchor(contender, suite)
        head = Value(release.label(contender), simulated=score.simulated, link=anchor)
        rows.append(Row((Value(suite, code=True), head, *values), anchor=anchor))
    columns = (
        Column("Suite", numeric=False),
        Column("Contender", numeric=False),
        Column("Status", numeric=False),
        Column("Stop reason", numeric=False),
        Column("Source run", numeric=False),
        Column("Completed / expected"),
        Column("Valid / expected"),
        Column("Attempts"),
        Column("Imported", unit="rows"),
    )
    caption = "How each cell ended and which run its rows were read from. Imported rows were finished by an earlier run and not asked again."
    return Table("coverage", "Coverage", caption, columns, tuple(rows), n_heads=2)


def band_tables(release: Release) -> tuple[Table, ...]:
    """Cells with rows that have no valid decision: where accuracy would lie, had they been answered. None, no table."""
    notes = Notes()
    rows = []
    for suite in release.suites:
        for slot in release.slots(suite):
            for contender in release.contenders:
                score = release.cells[contender, suite]
                worst, best = (score.metrics.get(joined(slot, name)) for name in _BAND)
                if score.status != "skipped" and worst is not None and best is not None and worst.num != best.num:
                    rows.append(_band(release, score, slot, worst, best, notes))
    if not rows:
        return ()
    caption = (
        "Over all expected rows, skipped ones too. Worst case: every row without a valid decision is wrong; best case: it is "
        "right. Where a contender lost few rows the two are close. Cells that are not listed have a valid decision in every row."
    )
    columns = (
        Column("Suite", numeric=False),
        Column("Contender", numeric=False),
        Column("Without a valid decision", unit="rows"),
        Column("Worst case", unit="%"),
        Column("Valid alone", unit="%"),
        Column("Best case", unit="%"),
    )
    title = "Accuracy, had every row been answered"
    return (Table("accuracy-band", title, caption, columns, tuple(rows), n_heads=2, notes=tuple(notes.texts)),)


def shown(release: Release) -> set[tuple[str, str]]:
    """(suite, key) of the measures that stand in the table of bands, or are the accuracy itself where it has no row."""
    return {(suite, joined(slot, name)) for suite in release.suites for slot in release.slots(suite) for name in _BAND}


def _band(release: Release, score: Score, slot: str, worst: MeasureRecord, best: MeasureRecord, notes: Notes) -> Row:
    lost = int(best.num or 0) - int(worst.num or 0)
    valid = score.metrics.get(joined(slot, "accuracy_valid"))
    return Row(
        (
            Value(f"{score.suite}, {slot}" if slot else score.suite, code=True),
            Value(release.label(score.contender), simulated=score.simulated),
            Value(numbers.of(lost, worst.n)),
            *(value_of(record, "accuracy_valid", notes, with_n=False) for record in (worst, valid, best)),
        )
    )
