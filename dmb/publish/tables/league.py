"""Who is told apart from whom: one short table a suite; every pair stands in the cells file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.comparison import League, Pair, Standing
from dmb.publish import numbers
from dmb.publish.measures import joined
from dmb.publish.records import sentence
from dmb.publish.table import Column, Notes, Row, Table, Value

if TYPE_CHECKING:
    from dmb.publish.release import Release


def tables(release: Release, suite: str, slot: str) -> tuple[Table, ...]:
    """The league of a suite in one slot, highest accuracy first; none where nobody can be compared.

    ``slot``: its prefix in names of measures, which is empty in a suite that has only one.
    """
    return tuple(
        _table(release, league, slot)
        for league in release.comparisons.leagues
        if league.suite == suite and slot in ("", league.slot)
    )


def pair_of(league: League, one: str, other: str) -> Pair:
    """The pair of two contenders, whichever stands first."""
    return next(pair for pair in league.pairs if {pair.a, pair.b} == {one, other})


def _table(release: Release, league: League, slot: str) -> Table:
    notes = Notes()
    best = league.standings[0]
    return Table(
        id=joined(slot, f"league-{league.suite}").replace(".", "-"),
        title=f"`{league.suite}`: who is told apart" + (f", slot `{slot}`" if slot else ""),
        caption=_caption(release, league, best),
        columns=(
            Column("Contender", numeric=False),
            Column("Rank"),
            Column("Accuracy", unit="%"),
            Column("Difference to the first", unit="points"),
            Column("p, corrected"),
            Column("Rows of both"),
        ),
        rows=tuple(_row(release, league, standing, notes) for standing in league.standings),
        notes=tuple(notes.texts),
        remarks=_left_out(release, league),
    )


def _row(release: Release, league: League, standing: Standing, notes: Notes) -> Row:
    best = league.standings[0].contender
    rank = numbers.span(standing.best_rank, standing.worst_rank)
    accuracy = Value(numbers.percent(standing.accuracy.value or 0.0), muted=True)
    head = Value(release.label(standing.contender), simulated=standing.simulated)
    if standing.contender == best:
        return Row(
            (head, Value(rank), accuracy, Value("first", muted=True), Value("–", muted=True), Value("–", muted=True))
        )
    pair = pair_of(league, best, standing.contender)
    if pair.difference.value is None or pair.p_holm is None:
        nothing = Value("n/a", notes=notes.mark(sentence(pair.note or "not compared")), muted=True)
        return Row((head, Value(rank), accuracy, nothing, Value("n/a", muted=True), Value("0")))
    # the pair is told from its first; here it is read from its second
    low, high = pair.difference.high, pair.difference.low
    difference = Value(
        numbers.points(-pair.difference.value),
        interval=f"[{numbers.points(-low)}, {numbers.points(-high)}]" if low is not None and high is not None else "",
        notes=notes.mark(sentence(pair.note)) if pair.note else (),
    )
    rows = Value(numbers.count(pair.difference.n), muted=True)
    return Row((head, Value(rank), accuracy, difference, Value(numbers.p_value(pair.p_holm)), rows))


def _caption(release: Release, league: League, best: Standing) -> str:
    n_rows = max(pair.difference.n for pair in league.pairs)
    grouped = any(pair.difference.n_groups not in (None, pair.difference.n) for pair in league.pairs)
    test = "exact, whole groups change sides" if grouped else "McNemar, exact"
    first = release.label_in_prose(best.contender, league.suite)
    return (
        f"{numbers.things(league.n_tests, 'test')} ({test}, corrected by Holm), each on the rows that count for both, at "
        f"most {numbers.count(n_rows)}. Who is not told apart at p ≤ {league.alpha:g} shares ranks. Differences are to "
        f"{first}; their intervals are not corrected."
    )


def _left_out(release: Release, league: League) -> tuple[str, ...]:
    """Those who were asked and gave nothing to compare; who was not asked is named with the suite's table."""
    names = [
        f"{release.label_in_prose(contender, league.suite)} ({reason})"
        for contender, reason in league.left_out.items()
        if release.cells[contender, league.suite].status != "skipped"
    ]
    return (f"Not compared: {', '.join(names)}.",) if names else ()
