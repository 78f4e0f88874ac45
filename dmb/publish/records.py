"""A measure record as one value of a table."""

from __future__ import annotations

from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish import numbers
from dmb.publish.measures import measure
from dmb.publish.notes import in_words
from dmb.publish.table import Notes, Value

NOT_BILLED = "not billed"
#: Measures whose absence has a better word than n/a when nobody sends a bill.
COSTS = ("cost_usd_per_1000", "cost_unknown_rate")


def value_of(
    record: MeasureRecord | None, key: str, notes: Notes, *, simulated: bool = False, with_n: bool = True
) -> Value:
    """Value, interval and n; ``n/a`` with a footnote where the measure is undefined."""
    if record is None:
        return Value(
            "n/a", notes=notes.mark("This measure is not part of the cell's score."), muted=True, simulated=simulated
        )
    if record.value is None:
        reason = record.note or "No reason was recorded."
        return Value("n/a", notes=notes.mark(sentence(reason)), muted=True, simulated=simulated)
    return Value(
        numbers.SPELL[measure(key).unit](record.value),
        interval=interval(record, key),
        n=size(record) if with_n else "",
        notes=notes.mark(sentence(record.note)) if record.note else (),
        simulated=simulated,
    )


def cost_of(
    score: Score,
    record: MeasureRecord | None,
    key: str,
    notes: Notes,
    *,
    billed: bool,
    simulated: bool = False,
    with_n: bool = True,
) -> Value:
    """A cost: not billed is said as such, and unknown is never printed as nothing."""
    # Scoring writes down nought for what nobody bills. Printed, that would read as a price.
    if not billed and (record is None or not record.value):
        return Value(NOT_BILLED, muted=True, simulated=simulated)
    if record is not None and record.value is None:
        reason = record.note or score.cost_note or "No reason was recorded."
        return Value("unknown", notes=notes.mark(sentence(reason)), muted=True, simulated=simulated)
    return value_of(record, key, notes, simulated=simulated, with_n=with_n)


def interval(record: MeasureRecord, key: str) -> str:
    """``[low, high]``, or the one bound that there is."""
    spell = numbers.SPELL[measure(key).unit]
    if record.low is not None and record.high is not None:
        return f"[{spell(record.low)}, {spell(record.high)}]"
    if record.high is not None:
        return f"≤ {spell(record.high)}"
    return f"≥ {spell(record.low)}" if record.low is not None else ""


def size(record: MeasureRecord) -> str:
    """``n 400 in 100 groups``; groups are left out where each has one row."""
    if record.n_groups is None or record.n_groups == record.n:
        return f"n {numbers.count(record.n)}"
    return f"n {numbers.count(record.n)} in {numbers.things(record.n_groups, 'group')}"


def stop_text(score: Score) -> str:
    """``skipped: no-credential``: how a cell that is not complete ended."""
    return f"{score.status}: {score.stop_reason}" if score.stop_reason else score.status


def sentence(text: str) -> str:
    """Notes come from many hands; under a table each starts with a capital and ends with a stop."""
    text = in_words(text.strip().removeprefix("n/a: "))
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
