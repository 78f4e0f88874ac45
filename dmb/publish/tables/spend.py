"""What answers cost, and at which prices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dmb.contracts.cell import Score
from dmb.price_tiers import STANDARD
from dmb.price_windows import window_text
from dmb.publish import amounts, numbers
from dmb.publish.amounts import Amount
from dmb.publish.records import NOT_BILLED, stop_text
from dmb.publish.table import Column, Row, Table, Value, words
from dmb.publish.tables import negotiation
from dmb.publish.tables.matrix import rows_and_remarks

if TYPE_CHECKING:
    from dmb.publish.release import Release

_OWN_MACHINE = "not billed: runs on your own machine"
#: How scoring writes why attempts have no cost: the reason, and how many they are.
_COUNTED = re.compile(r"(.+) \((\d+) attempts?\)")
_TOKENS = ("input_tokens", "cached_tokens", "output_tokens")


def spend_table(release: Release) -> Table:
    """One row per contender, over all its cells."""
    contenders, remarks = rows_and_remarks(release, release.suites)
    rows = tuple(_row(release, contender) for contender in contenders)
    # for a draft the run's table is the other one, for merged runs today's
    other = Column("At today's prices" if release.command else "At the prices when asked", unit="USD")
    columns = (
        Column("Contender", numeric=False),
        Column("Cost", unit="USD"),
        *((other,) if _tables_differ(release) else ()),
        Column("Per 1,000 decisions", unit="USD"),
        Column("Attempts"),
        Column("Unknown share", unit="% of attempts"),
        Column("Input", unit="tokens"),
        Column("Cached", unit="tokens"),
        Column("Output", unit="tokens"),
        Column("Note", numeric=False),
    )
    caption = "Every attempt that was kept, retries included, at list prices. What is not known is called unknown and never taken as 0."
    return Table("spend", "Spend", caption, columns, rows, remarks=(*_in_all(release), *remarks))


def _tables_differ(release: Release) -> bool:
    """Whether any cell costs another sum by the table that does not count: today's, or that of the run which asked."""
    scores = [score for score in release.cells.values() if score.cost_other is not None]
    return any(amounts.by_the_other_table(score) != amounts.scored(score) for score in scores)


def _in_all(release: Release) -> tuple[str, ...]:
    """The release's total: of what is scored, of negotiation, and of both."""
    billed = [contender for contender in release.asked if release.billed(contender)]
    if not billed:
        return ()
    scored = amounts.together(_scored(release, contender) for contender in billed)
    if not negotiation.probed(release):
        return (f"In all: {scored.said}.",)
    probes = negotiation.spent(release)
    return (
        f"In all: {scored.said} scored, {probes.said} for negotiation, "
        f"{amounts.together((scored, probes)).said} together.",
    )


def _scored(release: Release, contender: str) -> Amount:
    cells = (release.cells[contender, suite] for suite in release.suites)
    return amounts.together(amounts.scored(score) for score in cells if score.status != "skipped")


def price_table(release: Release) -> Table:
    """The price rows of the contenders that are billed."""
    billed = [contender for contender in release.contenders if release.billed(contender)]
    rows = []
    for contender in billed:
        for row in release.price_rows(contender):
            prices = (
                Value(f"{price:f}") if price is not None else Value("unknown", muted=True)
                for price in (row.input, row.cached, row.cache_write, row.output)
            )
            dated = (
                Value(window_text(row) or "–"),
                Value(row.checked_on.isoformat() if row.checked_on else "–"),
                Value(row.source),
            )
            rows.append(Row((release.head(contender), *prices, *dated)))
    unpriced = [release.label_in_prose(contender) for contender in billed if not release.price_rows(contender)]
    columns = (
        Column("Contender", numeric=False),
        Column("Input", unit="USD per million"),
        Column("Cached", unit="USD per million"),
        Column("Cache write", unit="USD per million"),
        Column("Output", unit="USD per million"),
        Column("Valid", numeric=False),
        Column("Checked on", numeric=False),
        Column("Source", numeric=False),
    )
    return Table(
        id="prices",
        title="List prices",
        caption="US dollars per million tokens, with the day on which each was read at its source.",
        columns=columns,
        rows=tuple(rows),
        remarks=(f"Billed, and no price is known: {', '.join(unpriced)}.",) if unpriced else (),
    )


def _row(release: Release, contender: str) -> Row:
    scores = [release.cells[contender, suite] for suite in release.suites]
    asked = [score for score in scores if score.status != "skipped"]
    head = release.head(contender)
    if not asked:
        return Row((head,), span=stop_text(scores[0]))
    attempts = Value(numbers.count(sum(score.n_attempts for score in asked)))
    tokens = [_tokens(asked, name) for name in _TOKENS]
    if not release.billed(contender):
        nothing = Value(NOT_BILLED, muted=True)
        others = (nothing,) if _tables_differ(release) else ()
        return Row((head, nothing, *others, nothing, attempts, Value("–", muted=True), *tokens, Value(_OWN_MACHINE)))
    known = [score for score in asked if score.cost_usd is not None]
    total = _scored(release, contender)
    decisions = sum(score.n_expected - score.outcomes.get("skipped", 0) for score in asked)
    remarks = [*_reasons(score.cost_note for score in asked if score.cost_note), *_tiers(asked)]
    if len(known) < len(asked):
        # A rate over a part of a sum would be too low without saying so.
        per_1000 = Value("unknown", muted=True)
        if known:
            remarks.insert(0, f"{len(asked) - len(known)} of {len(asked)} cells unknown")
    else:
        per_1000 = Value(numbers.usd(1000 * total.known_usd / decisions)) if decisions else Value("n/a", muted=True)
    other = amounts.together(amounts.by_the_other_table(score) for score in asked)
    others = (other.value,) if _tables_differ(release) else ()
    return Row(
        (head, total.value, *others, per_1000, attempts, _unknown_share(asked), *tokens, Value(words(remarks, "–")))
    )


def _reasons(notes: Iterable[str]) -> list[str]:
    """Each reason once, with the attempts of all suites together where scoring counts them."""
    attempts: dict[str, int] = {}
    for part in (part for note in notes for part in note.split("; ")):
        counted = _COUNTED.fullmatch(part)
        reason, n = (counted[1], int(counted[2])) if counted else (part, 0)
        attempts[reason] = attempts.get(reason, 0) + n
    return [f"{reason} ({numbers.things(n, 'attempt')})" if n else reason for reason, n in attempts.items()]


def _tiers(scores: Iterable[Score]) -> list[str]:
    """Attempts in every tier but the standard one."""
    found = Counter[str]()
    for score in scores:
        found.update(score.cost.tiers if score.cost is not None else {})
    return [f"{tier} tier ({numbers.things(n, 'attempt')})" for tier, n in sorted(found.items()) if tier != STANDARD]


def _unknown_share(scores: list[Score]) -> Value:
    """Attempts whose cost is unknown, of all attempts."""
    records = [score.cost for score in scores if score.cost is not None]
    if len(records) < len(scores):
        return Value("unknown", muted=True)
    whole = sum(record.n_attempts for record in records)
    part = whole - sum(record.n_priced for record in records)
    return Value(numbers.percent(part / whole)) if whole else Value("n/a", muted=True)


def _tokens(scores: Iterable[Score], name: str) -> Value:
    counts = [score.usage.get(name) for score in scores]
    reported = [n for n in counts if n is not None]
    if not reported:
        return Value("not reported", muted=True)
    return Value(
        numbers.count(sum(reported)) if len(reported) == len(counts) else f"at least {numbers.count(sum(reported))}"
    )
