"""What was found out by asking before the first question, and what that cost, apart from what is scored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmb.contracts.cell import NegotiationSpend
from dmb.publish import amounts, numbers
from dmb.publish.amounts import Amount
from dmb.publish.notes import settings_text
from dmb.publish.records import NOT_BILLED, sentence
from dmb.publish.table import Column, Notes, Row, Table, Value, words

if TYPE_CHECKING:
    from dmb.publish.release import Release

_UNKNOWN = Value("unknown", muted=True)


def probed(release: Release) -> dict[tuple[str, str], NegotiationSpend]:
    """(contender, run) -> its probes, once each: the cells of one run rest on the same ones."""
    found: dict[tuple[str, str], NegotiationSpend] = {}
    for contender in release.contenders:
        for suite in release.suites:
            for spend in release.cells[contender, suite].negotiation:
                known = found.get((contender, spend.run))
                if known is None or _tells(spend) > _tells(known):
                    found[contender, spend.run] = spend
    return found


def _tells(spend: NegotiationSpend) -> tuple[int, bool]:
    """How much an entry tells: where nothing was found, a later cell of the run probed on; and logs may be gone since."""
    return (spend.n_attempts or 0, spend.cost is not None)


def spent(release: Release) -> Amount:
    """What all probes cost, as far as somebody bills for them."""
    billed = [spend for (contender, _), spend in probed(release).items() if release.billed(contender)]
    return amounts.together(amounts.negotiated(spend) for spend in billed)


def tables(release: Release) -> tuple[Table, ...]:
    """One row per contender and run; no table where nobody was probed."""
    found = probed(release)
    if not found:
        return ()
    columns = (
        Column("Contender", numeric=False),
        Column("Run", numeric=False),
        Column("Settings found", numeric=False),
        Column("Given up", numeric=False),
        Column("Probes"),
        Column("Attempts"),
        Column("Cost", unit="USD"),
    )
    notes = Notes()
    rows = tuple(_row(release, contender, spend, notes) for (contender, _), spend in found.items())
    return (
        Table(
            id="negotiation",
            title="Negotiation",
            caption="Small questions of our own, asked before the first item to find out what is accepted. They are billed "
            "and never scored, and what they cost is in no other cost of this report.",
            columns=columns,
            rows=rows,
            notes=tuple(notes.texts),
        ),
    )


def _row(release: Release, contender: str, spend: NegotiationSpend, notes: Notes) -> Row:
    cost = Value(NOT_BILLED, muted=True)
    if release.billed(contender):
        known = amounts.negotiated(spend)
        cost = replace(known.value, notes=notes.mark(sentence(spend.note)) if spend.note else ())
    return Row(
        (
            release.head(contender),
            Value(spend.run, code=True),
            _settings(spend),
            Value(words(spend.given_up, "–"), muted=not spend.given_up),
            *(_UNKNOWN if n is None else Value(numbers.count(n)) for n in (spend.n_probes, spend.n_attempts)),
            cost,
        )
    )


def _settings(spend: NegotiationSpend) -> Value:
    if spend.n_probes is None:
        return _UNKNOWN
    if spend.settings is None:
        return Value("nothing was accepted", muted=True)
    return Value(settings_text(spend.settings) or "–")
