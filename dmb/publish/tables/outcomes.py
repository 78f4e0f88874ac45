"""What became of the expected rows: the seven outcomes, and how each cell ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.attempt import OUTCOMES
from dmb.publish import numbers
from dmb.publish.table import Column, Row, Table, Value, cell_anchor

if TYPE_CHECKING:
    from dmb.publish.release import Release


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
