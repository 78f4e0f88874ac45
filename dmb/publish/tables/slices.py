"""Measures over parts of a suite: by number of options, and by whatever else the suite is sliced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dmb.contracts.cell import MeasureRecord, Score, SliceRecord
from dmb.publish import numbers
from dmb.publish.measures import in_order, joined, measure, split
from dmb.publish.records import value_of
from dmb.publish.table import Column, Notes, Row, Table, Value, words
from dmb.publish.tables import columns
from dmb.publish.tables.matrix import answered, not_asked

if TYPE_CHECKING:
    from dmb.publish.release import Release

N_OPTIONS = "n_options"
#: The largest list of options that some decision models state to accept.
CAP = 255
#: The slope of accuracy over the number of options.
TREND = "accuracy_per_doubling"
#: Slice -> how a heading calls it, and what its values mean.
_NAMES = {
    N_OPTIONS: ("number of options", ""),
    "k": ("number of equally good options (k)", ""),
    "marks": (
        "anonymisation marks in the text",
        "Marks such as `<#>` were put in by whoever collected the texts, and may give the answer away.",
    ),
    "part": (
        "part of the drawn items",
        "`eval`: asked in this suite alone; `order`: asked again in the suite that changes the order of options.",
    ),
    "position": ("place of the right option in the list", "N = 2 is left out, since it has no middle."),
    "tier": ("how near the wrong options are to the right one (tier)", ""),
}
#: The same for slices called ``kind``, which mean one thing where options change places and another where nothing is known.
_REPEATED = ("kind of repetition", "`rerun`: the same order again; `permuted`: another order.")
_ITEMS = (
    "kind of item",
    "`control`: answerable; `underdetermined`: several options are equally good; `no-good-option`: none fits.",
)
_CURVES = ("accuracy_valid", "accuracy_end_to_end", "latency_p50_ms")


def cardinality_suites(release: Release) -> list[str]:
    """Suites in which the number of options varies."""
    return [suite for suite in release.suites if len(slice_values(release, suite, N_OPTIONS)) > 1]


def slice_values(release: Release, suite: str, by: str) -> list[str | int | bool]:
    """The distinct values of a slice: numbers by size, words as they come."""
    found = dict.fromkeys(part.value for score in _scores(release, suite) for part in score.slices if part.by == by)
    values = list(found)
    return sorted(values) if all(type(value) is int for value in values) else values


def part_of(score: Score, by: str, value: str | int | bool) -> SliceRecord | None:
    """One slice of a cell."""
    return next((part for part in score.slices if part.by == by and part.value == value), None)


def at_sizes(score: Score, sizes: Iterable[int], key: str) -> list[MeasureRecord | None]:
    """One measure of a cell at each number of options; None where it has no such part."""
    parts = [part_of(score, N_OPTIONS, size) for size in sizes]
    return [part.metrics.get(key) if part else None for part in parts]


def latencies_at(score: Score, sizes: Iterable[int], slot: str) -> list[MeasureRecord | None]:
    """Median latencies, without those of no question that was taken: refusing a list at the door takes no time."""
    key = joined(slot, "latency_p50_ms")
    if (whole := score.metrics.get(key)) is None or whole.value is None:
        return [None for _ in sizes]
    refused = at_sizes(score, sizes, joined(slot, "unsupported_rate"))
    found = zip(at_sizes(score, sizes, key), refused, strict=True)
    return [None if door is not None and door.value == 1 else record for record, door in found]


def is_unsupported(part: SliceRecord | None) -> bool:
    """Whether a contender can take none of the items of a slice."""
    record = part.metrics.get("unsupported_rate") if part else None
    return record is not None and record.value == 1


def shown(release: Release) -> set[tuple[str, str]]:
    """(suite, key) of the measures that stand in the tables of growing lists."""
    return {(suite, joined(slot, TREND)) for suite in cardinality_suites(release) for slot in release.slots(suite)}


def cardinality_tables(release: Release) -> tuple[Table, ...]:
    """Accuracy, valid and end to end, and median latency: rows are numbers of options, columns are contenders.

    Before them the trend of each suite that has one.
    """
    made = []
    for suite in cardinality_suites(release):
        for slot in release.slots(suite):
            if columns.has(release, suite, joined(slot, TREND)):
                made.append(_trend_table(release, suite, slot))
            made += [
                _table(release, suite, N_OPTIONS, joined(slot, name))
                for name in _CURVES
                if _has(release, suite, N_OPTIONS, joined(slot, name))
            ]
    return tuple(made)


def slice_tables(release: Release) -> tuple[Table, ...]:
    """Accuracy over every slice that is not by number of options."""
    made = []
    for suite in release.suites:
        for by in dict.fromkeys(part.by for score in _scores(release, suite) for part in score.slices):
            keys = in_order(
                key
                for score in _scores(release, suite)
                for part in score.slices
                if part.by == by
                for key in part.metrics
            )
            if by != N_OPTIONS:
                made += [_table(release, suite, by, key) for key in keys if split(key)[1] == "accuracy_valid"]
    return tuple(made)


def _trend_table(release: Release, suite: str, slot: str) -> Table:
    """One row per contender: the slope, and where its lists end."""
    notes, rows, sizes = Notes(), [], slice_values(release, suite, N_OPTIONS)
    for contender in answered(release, [suite]):
        score = release.cells[contender, suite]
        gone = [size for size in sizes if is_unsupported(part_of(score, N_OPTIONS, size))]
        taken = [size for size in sizes if size not in gone]
        largest = spelled_slice(taken[-1]) if taken else "none"
        refused = (
            f"from {spelled_slice(gone[0])} on"
            if gone and gone == sizes[-len(gone) :]
            else words(map(spelled_slice, gone))
        )
        rows.append(
            Row(
                (
                    Value(release.label(contender), simulated=score.simulated),
                    value_of(score.metrics.get(joined(slot, TREND)), TREND, notes),
                    Value(largest),
                    Value(refused if gone else "none", muted=not gone),
                )
            )
        )
    return Table(
        id=f"trend-{suite}" + (f"-{slot}" if slot else ""),
        title=f"`{suite}`: trend over the number of options",
        caption=f"{measure(TREND).says} The interval is over base questions; sizes that a contender cannot take are left out.",
        columns=(
            Column("Contender", numeric=False),
            Column("Accuracy per doubling", unit="points"),
            Column("Longest list taken"),
            Column("Unsupported", numeric=False, unit="options"),
        ),
        rows=tuple(rows),
        notes=tuple(notes.texts),
        remarks=not_asked(release, [suite]),
        kind="matrix",
    )


def _table(release: Release, suite: str, by: str, key: str) -> Table:
    """Rows are the slice's values, since there can be many of them; columns are contenders."""
    notes, contenders = Notes(), answered(release, [suite])
    rows = []
    for value in slice_values(release, suite, by):
        places = [_place(release.cells[contender, suite], by, value, key, notes) for contender in contenders]
        rows.append(Row((Value(spelled_slice(value)), *places)))
    named, values_mean = named_slice(release, suite, by)
    return Table(
        id=f"slice-{suite}-{by}-{key}".replace("_", "-").replace(".", "-"),
        title=f"`{suite}`: {measure(key).label} by {named}",
        unit=numbers.UNIT_NAMES[measure(key).unit],
        caption=f"{measure(key).says} {values_mean}".strip(),
        columns=(
            Column(named[:1].upper() + named[1:], numeric=False),
            *(Column(release.label(contender)) for contender in contenders),
        ),
        rows=tuple(rows),
        notes=tuple(notes.texts),
        remarks=not_asked(release, [suite]),
        kind="matrix",
    )


def named_slice(release: Release, suite: str, by: str) -> tuple[str, str]:
    """How a heading calls a slice, and what its values mean."""
    metrics = release.suites[suite].metrics
    if by == "kind" and (metrics.honesty or metrics.compare_with):
        return _ITEMS if metrics.honesty else _REPEATED
    return _NAMES.get(by, (by.replace("_", " "), ""))


def spelled_slice(value: str | int | bool) -> str:
    """A slice's value in a table."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _place(score: Score, by: str, value: str | int | bool, key: str, notes: Notes) -> Value:
    part = part_of(score, by, value)
    if is_unsupported(part) and split(key)[1] != "accuracy_end_to_end":
        return Value("unsupported", muted=True, simulated=score.simulated)
    return value_of(part.metrics.get(key) if part else None, key, notes, simulated=score.simulated)


def _has(release: Release, suite: str, by: str, key: str) -> bool:
    return any(key in part.metrics for score in _scores(release, suite) for part in score.slices if part.by == by)


def _scores(release: Release, suite: str) -> Iterator[Score]:
    return (release.cells[contender, suite] for contender in release.contenders)
