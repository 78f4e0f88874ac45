"""What providers charged, beside what the list prices say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from dmb.contracts.cell import CostRecord, Score
from dmb.pricing import GAP_SHOWN_ABOVE, compare_with_charge, sum_usd
from dmb.publish import numbers
from dmb.publish.table import Column, Notes, Row, Table, Value

if TYPE_CHECKING:
    from dmb.publish.release import Release

_FAR = f"More than {GAP_SHOWN_ABOVE:.0%} away from the list prices.".replace("%", " %")
_FROM_NOUGHT = "Something was charged where the list prices come to nothing."


def tables(release: Release) -> tuple[Table, ...]:
    """One row per contender whose provider reports charges, and one over all of them; no table without any."""
    scores = {contender: scores_with_charges(release, contender) for contender in release.contenders}
    charging = {contender: found for contender, found in scores.items() if found}
    if not charging:
        return ()
    notes = Notes()
    rows = [_row(release.head(contender), found, notes) for contender, found in charging.items()]
    if len(rows) > 1:
        together = [score for found in charging.values() for score in found]
        rows.append(_row(Value("Together", simulated=any(score.simulated for score in together)), together, notes))
    silent = [
        release.label_in_prose(contender)
        for contender in release.asked
        if release.billed(contender) and contender not in charging
    ]
    columns = (
        Column("Contender", numeric=False),
        Column("Compared", unit="attempts"),
        Column("List prices", unit="USD"),
        Column("Charged", unit="USD"),
        Column("Gap", unit="% of the list prices"),
    )
    return (
        Table(
            id="charges",
            title="Charged by the provider",
            caption="Over the attempts of which both are known: what the list prices make of the reported usage, and what the "
            "reply says was charged. All other costs in this report are at list prices.",
            columns=columns,
            rows=tuple(rows),
            notes=tuple(notes.texts),
            remarks=(f"No charge is reported for {', '.join(silent)}.",) if silent else (),
        ),
    )


def scores_with_charges(release: Release, contender: str) -> list[Score]:
    """The contender's cells in which any charge is reported."""
    scores = (release.cells[contender, suite] for suite in release.suites)
    return [score for score in scores if score.cost is not None and score.cost.n_charged]


def compared(scores: Iterable[Score]) -> tuple[Decimal, Decimal] | None:
    """(by the list prices, charged) in US dollars over the attempts of which both are known; None without any."""
    records = [score.cost for score in scores if score.cost is not None and score.cost.n_compared]
    if not records:
        return None
    return (
        sum_usd(Decimal(record.compared_priced_usd or 0) for record in records),
        sum_usd(Decimal(record.compared_charged_usd or 0) for record in records),
    )


def gap(scores: Iterable[Score]) -> Decimal | None:
    """The charge's distance from the list prices as a share of these; infinite where they say nought, None without both."""
    both = compared(scores)
    return None if both is None else compare_with_charge(*both)


def is_far(share: Decimal | None) -> bool:
    """Whether the gap is to be shown as one."""
    return share is not None and abs(share) > GAP_SHOWN_ABOVE


def _row(head: Value, scores: Sequence[Score], notes: Notes) -> Row:
    records = [score.cost for score in scores if score.cost is not None]
    n_compared, n_charged = (sum(getattr(r, name) for r in records) for name in ("n_compared", "n_charged"))
    left_out = notes.mark(_left_out(records)) if n_charged > n_compared else ()
    both, share = compared(scores), gap(scores)
    if both is None:
        nothing = Value("unknown", notes=left_out, muted=True)
        return Row((head, Value("0"), nothing, Value(numbers.usd(_charged(records))), Value("n/a", muted=True)))
    amounts = (Value(numbers.usd(amount)) for amount in both)
    if share is None or not share.is_finite():
        apart = Value("n/a", notes=notes.mark(_FROM_NOUGHT), muted=True)
    else:
        apart = Value(numbers.signed_percent(share), notes=notes.mark(_FAR) if is_far(share) else ())
    return Row((head, Value(numbers.count(n_compared), notes=left_out), *amounts, apart))


def _charged(records: Iterable[CostRecord]) -> Decimal:
    return sum_usd(Decimal(record.charged_usd or 0) for record in records)


def _left_out(records: Sequence[CostRecord]) -> str:
    n = sum(record.n_charged - record.n_compared for record in records)
    total = _charged(records)
    return (
        f"{numbers.things(n, 'attempt')} with a charge {'has' if n == 1 else 'have'} no known cost at list prices and "
        f"{'is' if n == 1 else 'are'} left out; charged in all: {numbers.usd(total)} USD."
    )
