"""How times were taken, beside the latencies that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish import numbers
from dmb.publish.records import sentence
from dmb.publish.table import Column, Notes, Row, Table, Value, literal, words
from dmb.publish.tables.matrix import answered, not_asked

if TYPE_CHECKING:
    from dmb.contracts.release import RunFacts
    from dmb.publish.release import Release

TITLE = "How times were taken"
#: Where more attempts than this share were timed by a process that lagged, latencies say too much about the machine.
LAGGED = 0.05
_BUSY = "This machine was too busy to time this contender."
_MEDIANS = ("connect_ms", "tls_ms", "first_byte_ms", "client_wait_ms")


def tables(release: Release) -> tuple[Table, ...]:
    """One row per cell that was asked over a wire; no table without any."""
    notes = Notes()
    rows = tuple(
        _row(release, score, notes) for score in release.cells.values() if score.timing is not None and score.n_attempts
    )
    if not rows:
        return ()
    timed = {contender for (contender, _), score in release.cells.items() if score.timing is not None}
    untimed = [contender for contender in answered(release, release.suites) if contender not in timed]
    inside = [release.label_in_prose(c) for c in untimed if release.contenders[c].baseline is not None]
    silent = [release.label_in_prose(c) for c in untimed if release.contenders[c].baseline is None]
    without = (
        *((f"Without a socket, since they answer in the asking process: {', '.join(inside)}.",) if inside else ()),
        *((f"Nothing was sent to: {', '.join(silent)}.",) if silent else ()),
    )
    columns = (
        Column("Suite", numeric=False),
        Column("Contender", numeric=False),
        Column("Timed / sent"),
        Column("Lagged", unit="% of attempts"),
        Column("New connections", unit="% of attempts"),
        Column("Connect p50", unit="ms"),
        Column("TLS p50", unit="ms"),
        Column("First byte p50", unit="ms"),
        Column("Client wait p50", unit="ms"),
    )
    return (
        Table(
            id="how-times",
            title=TITLE,
            caption="Over all attempts that were sent, retries and repeats included. Lagged: the asking process was kept from "
            "running for more than 10 ms, or 10 % of the request. Connection set-up and client wait are no part of a "
            "request's latency; the time to the first byte is.",
            columns=columns,
            rows=rows,
            n_heads=2,
            notes=tuple(notes.texts),
            remarks=(*without, *not_asked(release, release.suites)),
        ),
    )


def prose(release: Release) -> tuple[str, ...]:
    """Which latencies there are, and of which of several repeats."""
    said = (
        "Two latencies are kept apart: that of a decision, from its first attempt to the last byte of its last one, waits "
        "and retries included; and that of a request, the last attempt alone, from its first byte sent to its last byte "
        "received. Of contenders that run on the asking machine both depend on the machine and on what else it was doing.",
    )
    if (most := repeats(release)) == 1:
        return said
    return (
        *said,
        f"Each item was asked {most} times: accuracy and calibration are those of the first, latency is the median over "
        "the repeats of an item, and outcomes and cost are of all of them.",
    )


def repeats(release: Release) -> int:
    """How often each item was asked."""
    return max((score.repeats for score in release.cells.values()), default=1)


def lag_of(score: Score) -> MeasureRecord | None:
    """Share of a cell's attempts that lagged; None where that was not recorded."""
    return score.timing.lagged if score.timing is not None and score.timing.lagged.value is not None else None


def is_disturbed(lagged: MeasureRecord | None) -> bool:
    """Whether so many attempts lagged that their times are not to be believed."""
    return lagged is not None and (lagged.value or 0.0) > LAGGED


def machines(release: Release) -> tuple[str, ...]:
    """On what each run was made."""
    return tuple(f"`{run.id}` was made on: {_machine(run)}." for run in release.runs)


def _machine(run: RunFacts) -> str:
    cores = numbers.things(run.machine.cpu_count, "core") if run.machine.cpu_count else ""
    return words(filter(None, (cores, literal(run.machine.platform or ""))), "not recorded")


def _row(release: Release, score: Score, notes: Notes) -> Row:
    timing = score.timing
    assert timing is not None
    return Row(
        (
            Value(score.suite, code=True),
            Value(release.label(score.contender), simulated=score.simulated),
            Value(numbers.of(timing.n_timed, timing.n_attempts)),
            _share(timing.lagged, notes, _BUSY if is_disturbed(timing.lagged) else None),
            _share(timing.new_connections, notes),
            *(_median(getattr(timing, name), notes) for name in _MEDIANS),
        )
    )


def _share(record: MeasureRecord, notes: Notes, remark: str | None = None) -> Value:
    if record.value is None:
        return _unknown(record, notes)
    of = numbers.of(int(record.num or 0), int(record.den or 0))
    return Value(numbers.percent(record.value), n=of, notes=notes.mark(remark) if remark else ())


def _median(record: MeasureRecord, notes: Notes) -> Value:
    return _unknown(record, notes) if record.value is None else Value(numbers.milliseconds(record.value))


def _unknown(record: MeasureRecord, notes: Notes) -> Value:
    return Value("n/a", notes=notes.mark(sentence(record.note or "No reason was recorded.")), muted=True)
