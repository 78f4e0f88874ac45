"""One cell with everything that is known about it: its own page in the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dmb.contracts.attempt import OUTCOMES
from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish import amounts, numbers
from dmb.publish.measures import in_order, measure
from dmb.publish.notes import settings_text
from dmb.publish.records import COSTS, NOT_BILLED, interval, sentence, size, stop_text
from dmb.publish.table import Column, Row, Table, Value, words
from dmb.publish.tables.slices import named_slice, slice_values, spelled_slice

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: As many labels of a histogram are shown; the rest is one line.
_LABELS = 12


def facts(release: Release, score: Score) -> tuple[tuple[str, str], ...]:
    """What identifies the cell and where its numbers come from."""
    entry, receipt = release.contenders[score.contender], release.receipts.get(score.cell_key)
    priced = {row.checked_on.isoformat() for row in release.price_rows(score.contender) if row.checked_on}
    billed = release.billed(score.contender)
    asked_on = {run.id: run.started_at[:10] for run in release.runs}.get(score.source_run, "")
    found = (
        ("Contender", release.marked(release.label(score.contender), score.contender, score.suite)),
        ("Suite", release.suites[score.suite].title),
        ("Ended", stop_text(score)),
        ("Model or rule", entry.baseline or entry.model),
        ("Provider", entry.provider),
        ("Settings", settings_text(entry.settings)),
        ("Served by", words(score.served_models, "")),
        ("Confidence", words(score.confidence_kinds, "")),
        ("Asked", " in run ".join(part for part in (asked_on, score.source_run) if part)),
        ("Prices checked", words(sorted(priced), "on no recorded day") if billed else NOT_BILLED),
        ("Rows", _rows(score)),
        ("Attempts", numbers.count(score.n_attempts)),
        ("Imported", f"{numbers.things(receipt.n_imported, 'row')} of an earlier run" if _imported(receipt) else ""),
        ("Cell key", score.cell_key[:16]),
        ("Receipt", f"{score.receipt_number}, sha256 {score.receipt_sha256[:16]}"),
        ("DMB", f"{release.dmb_version}, protocol {release.protocol_version}"),
    )
    return tuple((name, text) for name, text in found if text)


def tables(release: Release, score: Score) -> tuple[Table, ...]:
    """All its numbers; what is undefined says why."""
    made = (_outcomes(score), *_measures(release, score), *_reliability(score), *_slices(release, score))
    return (*made, *_cost(release, score), *_predictions(score))


def _rows(score: Score) -> str:
    together = f" in {numbers.things(score.n_groups, 'group')}" if score.n_groups not in (0, score.n_expected) else ""
    repeats = f", each asked {numbers.count(score.repeats)} times" if score.repeats > 1 else ""
    return f"{numbers.count(score.n_expected)} expected{together}{repeats}"


def _imported(receipt: object) -> bool:
    return bool(getattr(receipt, "n_imported", 0))


def _outcomes(score: Score) -> Table:
    values = tuple(Value(numbers.count(n), muted=not n) for n in (score.outcomes.get(o, 0) for o in OUTCOMES))
    columns = (*(Column(outcome.capitalize()) for outcome in OUTCOMES), Column("Expected"))
    row = Row((*values, Value(numbers.count(score.n_expected))))
    return Table("cell-outcomes", "Outcomes", "What became of the expected rows.", columns, (row,), n_heads=0)


def _measures(release: Release, score: Score) -> Iterator[Table]:
    rows = tuple(_measure(release, score, key, score.metrics[key]) for key in in_order(score.metrics))
    if not rows:
        return
    columns = (
        Column("Measure", numeric=False),
        Column("Value"),
        Column("Unit", numeric=False),
        Column("95 % interval"),
        Column("Of"),
        Column("n"),
        Column("Note", numeric=False),
    )
    caption = (
        "Every measure of the cell. “Of” is numerator and denominator; where there is no value, the note says why."
    )
    yield Table("cell-measures", "Measures", caption, columns, rows)


def _measure(release: Release, score: Score, key: str, record: MeasureRecord) -> Row:
    what = measure(key)
    value, why = _spelled(release, score, key, record)
    numerator = isinstance(record.num, int) and isinstance(record.den, int)
    return Row(
        (
            Value(what.label),
            value,
            Value(numbers.UNIT_NAMES[what.unit] if record.value is not None else "", muted=True),
            Value(interval(record, key).strip("[]")),
            Value(numbers.of(record.num, record.den) if numerator else "", muted=True),
            Value(size(record).removeprefix("n ") if record.n else "", muted=True),
            Value(why),
        )
    )


def _spelled(release: Release, score: Score, key: str, record: MeasureRecord) -> tuple[Value, str]:
    """The value, and why there is none or what is to be known about it."""
    note = sentence(record.note) if record.note else ""
    if key in COSTS and not release.billed(score.contender) and not record.value:
        return Value(NOT_BILLED, muted=True), "Runs on the asking machine; hardware and electricity are not counted."
    if record.value is None:
        unknown = key in COSTS and score.status != "skipped"
        return Value("unknown" if unknown else "n/a", muted=True), note or sentence(
            score.cost_note or ""
        ) or "No reason was recorded."
    return Value(numbers.SPELL[measure(key).unit](record.value)), note


def _reliability(score: Score) -> Iterator[Table]:
    rows = tuple(
        Row(
            (
                Value(f"{part.low:.1f} to {part.high:.1f}"),
                Value(numbers.count(part.n)),
                Value(numbers.index(part.mean_confidence)),
                Value(numbers.percent(part.accuracy)),
            )
        )
        for part in score.reliability
        if part.n
    )
    if rows:
        columns = (Column("Confidence"), Column("n"), Column("Mean confidence"), Column("Accuracy", unit="%"))
        caption = "Accuracy over confidence. A bin holds its upper edge, the first one 0 too; empty bins are absent."
        yield Table("cell-reliability", "Reliability", caption, columns, rows)


def _slices(release: Release, score: Score) -> Iterator[Table]:
    for by in dict.fromkeys(part.by for part in score.slices):
        parts = [part for part in score.slices if part.by == by]
        order = {value: n for n, value in enumerate(slice_values(release, score.suite, by))}
        parts.sort(key=lambda part: order[part.value])
        keys = in_order(key for part in parts for key in part.metrics)
        keys = [key for key in keys if any((r := part.metrics.get(key)) and r.value is not None for part in parts)]
        named, mean = named_slice(release, score.suite, by)
        rows = tuple(
            Row(
                (
                    Value(spelled_slice(part.value)),
                    Value(numbers.count(part.n_expected)),
                    *(_part(release, score, key, part.metrics.get(key)) for key in keys),
                )
            )
            for part in parts
        )
        heads = (Column(measure(key).label, unit=numbers.UNIT_NAMES[measure(key).unit]) for key in keys)
        columns = (Column(named[:1].upper() + named[1:], numeric=False), Column("Expected"), *heads)
        yield Table(f"cell-slice-{by}".replace("_", "-"), f"By {named}", mean, columns, rows)


def _part(release: Release, score: Score, key: str, record: MeasureRecord | None) -> Value:
    if record is None:
        return Value("n/a", muted=True)
    value, _ = _spelled(release, score, key, record)
    return Value(value.text, interval=interval(record, key) if record.value is not None else "", muted=value.muted)


def _cost(release: Release, score: Score) -> Iterator[Table]:
    if score.cost is None or not release.billed(score.contender):
        return
    cost = score.cost
    rows = [
        ("All attempts, at list prices", amounts.scored(score).said, numbers.count(cost.n_attempts)),
        ("Of known cost", f"{numbers.usd(cost.priced_usd)} USD", numbers.count(cost.n_priced)),
        *((f"Unknown: {reason}", "unknown", numbers.count(n)) for reason, n in sorted(cost.unknown.items())),
    ]
    if cost.charged_usd is not None:
        rows.append(
            ("Charged, as the provider says", f"{numbers.usd(cost.charged_usd)} USD", numbers.count(cost.n_charged))
        )
    made = tuple(Row((Value(name), Value(text), Value(n))) for name, text, n in rows)
    columns = (Column("What", numeric=False), Column("Amount"), Column("Attempts"))
    caption = f"Each attempt at the price of its own instant. Tiers: {words(f'{t} {numbers.count(n)}' for t, n in sorted(cost.tiers.items()))}."
    yield Table("cell-cost", "Cost", caption, columns, made)


def _predictions(score: Score) -> Iterator[Table]:
    total = sum(score.predictions.values())
    ordered = sorted(score.predictions.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [
        Row((Value(label, code=True), Value(numbers.count(n)), Value(numbers.percent(n / total))))
        for label, n in ordered[:_LABELS]
    ]
    if rows:
        left = ordered[_LABELS:]
        rest = f"{numbers.things(len(left), 'more label')} share the other {numbers.things(sum(n for _, n in left), 'answer')}."
        columns = (Column("Label", numeric=False), Column("Answers"), Column("Share", unit="%"))
        yield Table(
            "cell-predictions",
            "What it answers",
            "Labels by how often they were chosen.",
            columns,
            tuple(rows),
            remarks=(rest,) if left else (),
        )
