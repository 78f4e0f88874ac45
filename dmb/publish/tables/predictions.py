"""Does a contender answer with one label whatever it is asked?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import Score
from dmb.publish import numbers
from dmb.publish.table import Column, Row, Table, Value

if TYPE_CHECKING:
    from dmb.publish.release import Release


def top_label(score: Score) -> tuple[str, int, int] | None:
    """The label that is chosen most, how often, and of how many; None where labels were not counted."""
    total = sum(score.predictions.values())
    if not total:
        return None
    # Ties go to the label that sorts first, so that the table never depends on the order of a dictionary.
    label, n = min(score.predictions.items(), key=lambda entry: (-entry[1], entry[0]))
    return label, n, total


def table(release: Release) -> Table:
    """One row per cell whose labels were counted."""
    rows, silent = [], dict.fromkeys(release.suites)
    for (contender, suite), score in release.cells.items():
        top = top_label(score)
        if top is None:
            continue
        silent.pop(suite, None)
        label, n, total = top
        distinct = sum(1 for times in score.predictions.values() if times)
        values = (
            Value(numbers.count(distinct)),
            Value(label),
            Value(numbers.percent(n / total), n=f"n {numbers.count(total)}"),
        )
        rows.append(Row((Value(suite, code=True), Value(release.label(contender), simulated=score.simulated), *values)))
    columns = (
        Column("Suite", numeric=False),
        Column("Contender", numeric=False),
        Column("Labels used"),
        Column("Label chosen most", numeric=False),
        Column("Its share", unit="%"),
    )
    remarks = (
        (f"Not counted, since options differ between items: {', '.join(f'`{suite}`' for suite in silent)}.",)
        if silent
        else ()
    )
    caption = "How many labels a contender uses, and how much of its answers go to one of them."
    return Table("predictions", "Prediction collapse", caption, columns, tuple(rows), n_heads=2, remarks=remarks)
