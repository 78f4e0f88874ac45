"""Does a contender prefer the top or the end of the list?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import PlaceRecord
from dmb.publish import numbers
from dmb.publish.records import sentence
from dmb.publish.table import Column, Notes, Row, Table, Value
from dmb.publish.tables.matrix import answered

if TYPE_CHECKING:
    from dmb.publish.release import Release

_ORDINALS = ("First", "Second", "Third", "Fourth")
_CONFOUNDED = "Every item shows the options in the same order, so that a liking for a place cannot be told from a liking for a label."
_THIRDS = ("First third", "Middle third", "Last third")


def tables(release: Release) -> tuple[Table, ...]:
    """One per suite in which somebody's choices have places."""
    return tuple(table for suite in release.suites if (table := _table(release, suite)) is not None)


def _table(release: Release, suite: str) -> Table | None:
    notes, rows, n_parts = Notes(), [], 0
    for contender in answered(release, [suite]):
        score = release.cells[contender, suite]
        if score.places:
            n_parts = max(n_parts, score.places[0].n_parts)
            head = Value(release.label(contender), simulated=score.simulated)
            n = Value(numbers.count(score.places[0].chosen.n), muted=True)
            rows.append(Row((head, *(_value(place, notes) for place in score.places), n)))
    # a list is cut alike for everybody, unless somebody answered short lists alone: that row would say something else
    rows = [row for row in rows if len(row.values) == n_parts + 2]
    if not rows:
        return None
    heads = _THIRDS if n_parts == len(_THIRDS) else tuple(f"{name} option" for name in _ORDINALS[:n_parts])
    return Table(
        id=f"places-{suite}",
        title=f"`{suite}`: where in the list choices stand",
        caption="Choices above right options (share of choices / share of right options, in %).",
        columns=(
            Column("Contender", numeric=False),
            *(Column(head, unit="points") for head in heads),
            Column("Rows"),
        ),
        rows=tuple(rows),
        notes=tuple(notes.texts),
        remarks=(_CONFOUNDED,) if _one_order(release, suite) else (),
        kind="matrix",
    )


def _one_order(release: Release, suite: str) -> bool:
    """Whether each label stood in one place wherever anybody chose it, in a suite whose items share their labels."""
    if not release.suites[suite].metrics.stable_labels:
        return False
    places: dict[object, set[int]] = {}
    for contender in release.contenders:
        for answers in release.cells[contender, suite].answers[:1]:
            for value, position in zip(answers.values, answers.positions, strict=True):
                if position is not None:
                    places.setdefault(value, set()).add(position)
    return all(len(found) == 1 for found in places.values())


def _value(place: PlaceRecord, notes: Notes) -> Value:
    excess = place.excess
    shares = f"({numbers.percent(place.chosen.value or 0.0)} / {numbers.percent(place.gold)})"
    return Value(
        numbers.points(excess.value or 0.0),
        interval=""
        if excess.low is None or excess.high is None
        else f"[{numbers.points(excess.low)}, {numbers.points(excess.high)}]",
        n=shares,
        notes=notes.mark(sentence(excess.note)) if excess.note else (),
    )
