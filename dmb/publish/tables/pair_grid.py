"""Every pair of a league at a glance: the page's own table, since Markdown has no room for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.comparison import League, Standing
from dmb.publish import numbers
from dmb.publish.measures import joined
from dmb.publish.records import sentence
from dmb.publish.table import Column, Notes, Row, Table, Value
from dmb.publish.tables.league import pair_of

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: With fewer contenders the league itself says all there is.
_FEWEST = 3


def tables(release: Release, suite: str, slot: str) -> tuple[Table, ...]:
    """One per league of the suite in this slot; ``slot`` as in ``league.tables``."""
    return tuple(
        _table(release, league, slot)
        for league in release.comparisons.leagues
        if league.suite == suite and slot in ("", league.slot) and len(league.standings) >= _FEWEST
    )


def _table(release: Release, league: League, slot: str) -> Table:
    """Rows and columns in the league's order, so that a row stands below all that it is compared with."""
    notes = Notes()
    *above, _ = league.standings
    rows = tuple(
        Row(
            (
                Value(release.label(standing.contender), simulated=standing.simulated),
                *(_pair(league, other, standing, notes) for other in league.standings[: place + 1]),
                *(Value("") for _ in league.standings[place + 2 :]),
            )
        )
        for place, standing in enumerate(league.standings[1:])
    )
    return Table(
        id=joined(slot, f"pairs-{league.suite}").replace(".", "-"),
        title=f"`{league.suite}`: every pair" + (f", slot `{slot}`" if slot else ""),
        unit="points, row minus column",
        caption=f"Difference in accuracy on the rows that count for both, and its p corrected for {numbers.things(league.n_tests, 'test')}. "
        f"Grey: not told apart at p ≤ {league.alpha:g}.",
        columns=(
            Column("Contender", numeric=False),
            *(Column(release.label(standing.contender)) for standing in above),
        ),
        rows=rows,
        notes=tuple(notes.texts),
        kind="pairs",
    )


def _pair(league: League, upper: Standing, lower: Standing, notes: Notes) -> Value:
    pair = pair_of(league, upper.contender, lower.contender)
    if pair.difference.value is None or pair.p_holm is None:
        return Value("n/a", notes=notes.mark(sentence(pair.note or "not compared")), muted=True)
    difference = pair.difference.value if pair.a == lower.contender else -pair.difference.value
    return Value(numbers.points(difference), n=f"p {numbers.p_value(pair.p_holm)}", muted=not pair.different)
