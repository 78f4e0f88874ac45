"""Accuracy over cost, and over latency: who gets more for less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmb.contracts.cell import MeasureRecord
from dmb.publish import numbers
from dmb.publish.figures.canvas import Canvas, Point, Scale, decades
from dmb.publish.figures.figure import Figure, said_once
from dmb.publish.figures.labels import Label, place_labels
from dmb.publish.figures.simulated import said, watermark
from dmb.publish.measures import joined, measure
from dmb.publish.table import words
from dmb.publish.tables.matrix import answered

if TYPE_CHECKING:
    from dmb.publish.release import Release

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 470.0, 310.0, 34.0, 14.0, 30.0, 272.0
#: Width of the part at the left for those whose cost is none that could be compared.
_APART = 84.0
#: Measures that can be an x axis: (what they are called there, how a step of the axis is spelled).
_AXES = {"cost_usd_per_1000": "cost, USD per 1,000 decisions", "latency_p50_ms": "median latency, ms per decision"}


@dataclass(frozen=True)
class Mark:
    """A contender in the drawing. ``x`` None: it stands apart, since nobody bills it."""

    label: str
    short: str
    x: MeasureRecord | None
    y: MeasureRecord
    simulated: bool


def figures(release: Release) -> tuple[Figure, ...]:
    """One per suite and slot in which anybody has an accuracy."""
    made = (_figure(release, suite, slot) for suite in release.suites for slot in release.slots(suite))
    return said_once(figure for figure in made if figure is not None)


def frontier(points: list[tuple[float, float]]) -> list[int]:
    """Places of points that no other one beats, cheapest first: none has as much y for less x, nor more y for as much."""
    order = sorted(range(len(points)), key=lambda n: (points[n][0], -points[n][1], n))
    kept: list[int] = []
    for n in order:
        if not kept or points[n][1] > points[kept[-1]][1]:
            kept.append(n)
    return kept


def _figure(release: Release, suite: str, slot: str) -> Figure | None:
    drawings, remarks = [], []
    for name in _AXES:
        marks, unknown = _marks(release, suite, slot, name)
        if any(mark.x is not None for mark in marks):
            drawings.append(_drawing(marks, name, suite))
            if unknown:
                remarks.append(f"Without a known {_AXES[name].split(',')[0]}, and so not drawn: {words(unknown)}.")
        elif marks and name == "cost_usd_per_1000":
            remarks.append("Nobody here sends a bill, so nothing is drawn over cost.")
    if not drawings:
        return None
    caption = (
        f"{measure(_y_name(release, suite)).label} over cost and over latency, both logarithmic; up and to the left is better. "
        "Bars are 95 % intervals. The line joins those whom nobody beats in both; what lies off it costs or takes more for no more accuracy."
    )
    return Figure(
        f"tradeoff.{suite}" + (f".{slot}" if slot else ""),
        f"What accuracy costs on `{suite}`" + (f", slot `{slot}`" if slot else ""),
        caption,
        tuple(drawings),
        tuple(release.is_simulated(c, suite) for c in answered(release, [suite])),
        "pair",
        tuple(remarks),
    )


def _y_name(release: Release, suite: str) -> str:
    primary = release.suites[suite].metrics.primary
    return primary if measure(primary).unit == "percent" else "accuracy_valid"


def _marks(release: Release, suite: str, slot: str, name: str) -> tuple[list[Mark], list[str]]:
    """Who can be drawn, and who has no known x."""
    marks, unknown = [], []
    for contender in answered(release, [suite]):
        score = release.cells[contender, suite]
        y = score.metrics.get(joined(slot, _y_name(release, suite)))
        x = score.metrics.get(name, score.metrics.get(joined(slot, name)))
        names = release.marked(release.label(contender), contender, suite), release.short_label(contender, suite)
        if y is None or y.value is None:
            continue
        if name == "cost_usd_per_1000" and not release.billed(contender):
            marks.append(Mark(*names, None, y, score.simulated))
        elif x is None or x.value is None or x.value <= 0:
            unknown.append(release.label_in_prose(contender, suite))
        else:
            marks.append(Mark(*names, x, y, score.simulated))
    return marks, unknown


def _drawing(marks: list[Mark], name: str, suite: str) -> Canvas:
    across, up, left = _x_scale(marks, name), _y_scale(marks), _left(marks)
    drawn = [mark for mark in marks if mark.x is not None]
    best = [drawn[n] for n in frontier([(mark.x.value, mark.y.value) for mark in drawn])]  # type: ignore[union-attr, misc]
    canvas = Canvas(_WIDTH, _HEIGHT, "")
    canvas.text((0, 12), f"Accuracy, % over {_AXES[name]}", "name")
    for tick in _y_ticks(up):
        canvas.line([(left if left == _LEFT else _LEFT, up(tick)), (_WIDTH - _RIGHT, up(tick))], "grid")
        canvas.text((_LEFT - 8, up(tick) + 3.5), numbers.percent(tick).removesuffix(".0"), anchor="end")
    for tick in decades(across.low, across.high):
        canvas.text((across(tick), _BOTTOM + 17), _tick(tick), anchor="middle")
        canvas.line([(across(tick), _TOP), (across(tick), _BOTTOM)], "grid")
    if left != _LEFT:
        canvas.text((_LEFT + 2, _BOTTOM + 17), "not billed")
        canvas.line([(left - 12, _TOP), (left - 12, _BOTTOM)], "guide")
    steps: list[Point] = []
    for mark in best:
        at = _at(mark, across, up)
        steps += [(at[0], steps[-1][1])] if steps else []
        steps.append(at)
    canvas.line(steps, "frontier")
    places = {id(mark): _at(mark, across, up) for mark in marks}
    for mark in marks:
        _whiskers(canvas, mark, across, up, " on" if mark in best else "")
    for mark in marks:
        canvas.dot(places[id(mark)], 4.5, "disc on" if mark in best else "disc")
    labels = [Label(mark.short, places[id(mark)], "point best" if mark in best else "point") for mark in marks]
    for label, at, anchor, leader in place_labels(labels, _LEFT, _WIDTH, _TOP - 6, _BOTTOM):
        if leader:
            canvas.line(leader, "axis")
        canvas.text(at, label.text, label.kind, anchor)
    if any(mark.simulated for mark in marks):
        watermark(canvas)
    apart = [mark.label for mark in marks if mark.x is None]
    canvas.label = said(
        f"Accuracy over {_AXES[name]} on {suite}. Nobody beats in both: {words(mark.label for mark in best)}."
        + (f" Not billed: {words(apart)}." if apart else ""),
        [mark.simulated for mark in marks],
    )
    return canvas


def _at(mark: Mark, across: Scale, up: Scale) -> Point:
    x = _LEFT + 10 if mark.x is None or mark.x.value is None else across(mark.x.value)
    return x, up(mark.y.value or 0.0)


def _whiskers(canvas: Canvas, mark: Mark, across: Scale, up: Scale, on: str) -> None:
    x, y = _at(mark, across, up)
    if mark.y.low is not None and mark.y.high is not None:
        canvas.line([(x, up(mark.y.low)), (x, up(mark.y.high))], f"whisk{on}")
    if mark.x is not None and (mark.x.low is not None or mark.x.high is not None):
        ends = [across(end) for end in (mark.x.low, mark.x.high) if end is not None and end > 0]
        canvas.line([(min([x, *ends]), y), (max([x, *ends]), y)], f"whisk{on}")


def _left(marks: list[Mark]) -> float:
    return _LEFT + _APART if any(mark.x is None for mark in marks) else _LEFT


def _x_scale(marks: list[Mark], name: str) -> Scale:
    values = [
        v
        for mark in marks
        if mark.x is not None
        for v in (mark.x.value, mark.x.low, mark.x.high)
        if v is not None and v > 0
    ]
    steps = decades(min(values), max(values))
    return Scale(steps[0], steps[-1], _left(marks) + 6, _WIDTH - _RIGHT, log=True)


def _y_scale(marks: list[Mark]) -> Scale:
    """Whole tenths around all intervals, so that what is to be told apart has the room."""
    values = [v for mark in marks for v in (mark.y.value, mark.y.low, mark.y.high) if v is not None]
    low, high = int(10 * min(values) + 1e-9), -int(-10 * max(values) - 1 + 1e-9)
    return Scale(max(0, low) / 10, min(10, max(high, low + 2)) / 10, _BOTTOM, _TOP)


def _y_ticks(up: Scale) -> list[float]:
    first, last = round(10 * up.low), round(10 * up.high)
    step = 2 if last - first > 5 else 1
    return [n / 10 for n in range(first, last + 1) if n % step == 0]


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:.7f}".rstrip("0")
