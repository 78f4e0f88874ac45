"""Whose confidence can be thresholded: what a cut-off keeps, and how much of the kept is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dmb.contracts.cell import Score, ThresholdRecord
from dmb.publish import numbers
from dmb.publish.records import interval
from dmb.publish.table import Column, Row, Table, Value, words
from dmb.publish.tables.matrix import answered

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: Of the confidences that scoring looks at, those that the report shows; the cells file has all.
_SHOWN = (0.5, 0.9)
_RATE = "valid_rate"


#: What stands above these tables.
PROSE = (
    "What is kept when answers are accepted from a confidence on, and how much of that is wrong. Where a target is given, the "
    "cut-off is the smallest confidence that meets it on all rows; what is kept and wrong is told on rows on which the "
    "cut-off was not chosen (five folds of whole groups, dealt out by a seed), so that it may miss the target.",
)
#: How a place of the table is to be read.
_FORM = "Share of the valid decisions that is kept → share of the kept that is wrong [its interval], in %."


def tables(release: Release, *, honesty: bool) -> tuple[Table, ...]:
    """One per suite with confidences. ``honesty``: those in which most items cannot be known, or all others."""
    return tuple(
        table
        for suite, spec in release.suites.items()
        if spec.metrics.honesty is honesty and (table := _table(release, suite)) is not None
    )


def _table(release: Release, suite: str) -> Table | None:
    scores = [release.cells[contender, suite] for contender in answered(release, [suite])]
    scores = [score for score in scores if score.thresholds]
    if not scores:
        return None
    targets = sorted({t.target for score in scores for t in score.thresholds if t.target is not None})
    columns = [Column("Contender", numeric=False), Column("Confidence", numeric=False, unit="kind")]
    columns += [Column(f"Accept from {at:g}", unit="kept → wrong") for at in _SHOWN]
    columns += [Column(f"At most {100 * target:g} % wrong", unit="cut-off: kept → wrong") for target in targets]
    return Table(
        id=f"thresholds-{suite}",
        title=f"`{suite}`: accepting answers from a confidence on",
        caption=f"{PROSE[0]} {_FORM}" if release.suites[suite].metrics.honesty else _FORM,
        columns=tuple(columns),
        rows=tuple(_row(release, score, targets) for score in scores),
        kind="matrix",
    )


def _row(release: Release, score: Score, targets: Sequence[float]) -> Row:
    fixed = {t.at: t for t in score.thresholds if t.at is not None}
    chosen = {t.target: t for t in score.thresholds if t.target is not None}
    return Row(
        (
            Value(release.label(score.contender), simulated=score.simulated),
            Value(words(score.confidence_kinds), muted=True),
            *(_value(fixed.get(at)) for at in _SHOWN),
            *(_value(chosen.get(target)) for target in targets),
        )
    )


def _value(found: ThresholdRecord | None) -> Value:
    if found is None or found.kept.value is None:
        return Value("n/a", muted=True)
    if found.target is not None and found.cutoff is None and not found.kept.value:
        return Value("none", muted=True)
    cut = ""
    if found.target is not None:
        cut = "none: " if found.cutoff is None else f"{numbers.cut_off(found.cutoff)}: "
    if found.error.value is None:
        return Value(f"{cut}{numbers.percent(found.kept.value)} → –")
    text = f"{cut}{numbers.percent(found.kept.value)} → {numbers.percent(found.error.value)}"
    return Value(text, interval=interval(found.error, _RATE))
