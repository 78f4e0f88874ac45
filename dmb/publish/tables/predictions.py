"""Does a contender answer with one label whatever it is asked?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dmb.contracts.cell import Score
from dmb.publish import numbers
from dmb.publish.table import Column, Row, Table, Value, literal

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: A label that takes this share of the choices, and twice its share of the right answers, gets its histogram printed.
_MUCH, _TIMES = 0.25, 2.0
#: Labels that a histogram names.
_NAMED = 5


def top_label(score: Score) -> tuple[str, int, int] | None:
    """The label that is chosen most, how often, and of how many; None where labels were not counted."""
    total = sum(score.predictions.values())
    if not total:
        return None
    label, n = _by_number(score.predictions)[0]
    return label, n, total


def gold_counts(score: Score) -> Counter[str]:
    """How often each label is the right answer, over the items of the first slot."""
    return Counter(str(gold) for gold in (score.answers[0].gold if score.answers else ()) if gold is not None)


def table(release: Release) -> Table:
    """One row per cell whose labels were counted."""
    rows, silent = [], dict.fromkeys(release.suites)
    for (contender, suite), score in release.cells.items():
        top = top_label(score)
        if top is None:
            continue
        silent.pop(suite, None)
        label, n, total = top
        gold = gold_counts(score)
        distinct = sum(1 for times in score.predictions.values() if times)
        values = (
            Value(numbers.count(distinct)),
            Value(label),
            Value(numbers.percent(n / total), n=f"n {numbers.count(total)}"),
            Value(numbers.percent(gold[label] / gold.total())) if gold else Value("n/a", muted=True),
        )
        rows.append(Row((Value(suite, code=True), Value(release.label(contender), simulated=score.simulated), *values)))
    columns = (
        Column("Suite", numeric=False),
        Column("Contender", numeric=False),
        Column("Labels used"),
        Column("Label chosen most", numeric=False),
        Column("Its share", unit="%"),
        Column("Of the right answers", unit="%"),
    )
    remarks = (
        (f"Not counted, since options differ between items: {', '.join(f'`{suite}`' for suite in silent)}.",)
        if silent
        else ()
    )
    caption = "How many labels a contender uses, and how much of its answers go to one of them, beside how often that is right."
    return Table("predictions", "Prediction collapse", caption, columns, tuple(rows), n_heads=2, remarks=remarks)


def histograms(release: Release) -> tuple[Table, ...]:
    """One table with the choices of everybody who puts far too much on one label; none where nobody does."""
    rows = []
    for (contender, suite), score in release.cells.items():
        if _collapsed(score):
            said = Value(_histogram(score))
            rows.append(
                Row((Value(suite, code=True), Value(release.label(contender), simulated=score.simulated), said))
            )
    if not rows:
        return ()
    columns = (
        Column("Suite", numeric=False),
        Column("Contender", numeric=False),
        Column("Choices (right answers)", numeric=False),
    )
    caption = (
        f"Choices of contenders that put at least {100 * _MUCH:g} % of them on one label, and at least twice as much as "
        "it has of the right answers. In brackets how often the label is right."
    )
    return (Table("histograms", "Where choices collapse", caption, columns, tuple(rows), n_heads=2),)


def _collapsed(score: Score) -> bool:
    top, gold = top_label(score), gold_counts(score)
    if top is None or not gold:
        return False
    label, n, total = top
    return n / total >= max(_MUCH, _TIMES * gold[label] / gold.total())


def _histogram(score: Score) -> str:
    gold = gold_counts(score)
    counted = _by_number(score.predictions)
    named = [
        f"{literal(label)} {numbers.count(n)} ({numbers.count(gold[label])})" for label, n in counted[:_NAMED] if n
    ]
    if rest := [n for _, n in counted[_NAMED:] if n]:
        named.append(f"{numbers.things(len(rest), 'other label')} {numbers.count(sum(rest))}")
    return " · ".join(named)


def _by_number(predictions: dict[str, int]) -> list[tuple[str, int]]:
    """Most chosen first; ties by name, so that the order of a dictionary never shows."""
    return sorted(predictions.items(), key=lambda entry: (-entry[1], entry[0]))
