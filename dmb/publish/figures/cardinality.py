"""Accuracy and latency over the number of options, a small panel for each contender."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish import numbers
from dmb.publish.figures.canvas import Canvas, Point, Scale, decades
from dmb.publish.figures.figure import Figure
from dmb.publish.figures.labels import write_name
from dmb.publish.figures.simulated import said, watermark
from dmb.publish.measures import joined
from dmb.publish.tables.matrix import answered
from dmb.publish.tables.slices import CAP, N_OPTIONS, at_sizes, cardinality_suites, latencies_at, slice_values

if TYPE_CHECKING:
    from dmb.publish.release import Release

_WIDTH, _HEIGHT = 200.0, 172.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 30.0, 196.0, 30.0, 152.0

Line = list[tuple[int, MeasureRecord | None]]


def figures(release: Release) -> tuple[Figure, ...]:
    """Two per suite whose number of options varies: accuracy of valid decisions, and median latency."""
    made = []
    for suite in cardinality_suites(release):
        sizes = [size for size in slice_values(release, suite, N_OPTIONS) if isinstance(size, int)]
        slot = release.slots(suite)[0]
        scores = [release.cells[contender, suite] for contender in answered(release, [suite])]
        simulated = tuple(score.simulated for score in scores)
        right = [at_sizes(score, sizes, joined(slot, "accuracy_valid")) for score in scores]
        slow = [latencies_at(score, sizes, slot) for score in scores]
        made += [
            Figure(
                f"options-accuracy.{suite}",
                f"Accuracy by number of options on `{suite}`",
                "Accuracy of valid decisions, %, over the number of options, which doubles from step to step. Bands are 95 % intervals over groups; "
                f"× marks a size without a valid decision; the dotted line is at {CAP}. Grey: the other contenders.",
                _panels(release, scores, sizes, right, Scale(0, 1, _BOTTOM, _TOP), f"options-accuracy-{suite}"),
                simulated,
            ),
            Figure(
                f"options-latency.{suite}",
                f"Latency by number of options on `{suite}`",
                "Median time of a whole decision, ms, both axes logarithmic. Grey: the other contenders.",
                _panels(release, scores, sizes, slow, _latency_scale(slow), f"options-latency-{suite}"),
                simulated,
            ),
        ]
    return tuple(figure for figure in made if figure.drawings)


def _latency_scale(found: list[list[MeasureRecord | None]]) -> Scale:
    values = [
        r.value for records_of in found for r in records_of if r is not None and r.value is not None and r.value > 0
    ]
    steps = decades(min(values), max(values)) if values else [1.0, 10.0]
    return Scale(steps[0], steps[-1], _BOTTOM, _TOP, log=True)


def _panels(
    release: Release,
    scores: list[Score],
    sizes: list[int],
    found: list[list[MeasureRecord | None]],
    up: Scale,
    name: str,
) -> tuple[Canvas, ...]:
    across = Scale(sizes[0], sizes[-1], _LEFT, _RIGHT, log=True)
    known = [
        (
            score,
            [(n, r if r is not None and r.value is not None else None) for n, r in zip(sizes, records_of, strict=True)],
        )
        for score, records_of in zip(scores, found, strict=True)
    ]
    drawn = [(score, line) for score, line in known if any(r is not None for _, r in line)]
    all_lines = [piece for _, line in drawn for piece in _pieces(line, across, up)]
    return tuple(
        _panel(release, score, line, all_lines if place == 0 else [], f"{name}-others", across, up)
        for place, (score, line) in enumerate(drawn)
    )


def _panel(
    release: Release,
    score: Score,
    line: Line,
    others: list[list[Point]],
    ghosts: str,
    across: Scale,
    up: Scale,
) -> Canvas:
    label = release.marked(release.label(score.contender), score.contender, score.suite)
    what = "Median latency" if up.log else "Accuracy"
    last = [(n, r.value) for n, r in line if r is not None and r.value is not None][-1]
    end = f"{numbers.milliseconds(last[1])} ms" if up.log else f"{numbers.percent(last[1])} %"
    canvas = Canvas(
        _WIDTH, _HEIGHT, said(f"{what} of {label} by number of options: {end} at {last[0]}.", [score.simulated])
    )
    write_name(canvas, release.short_label(score.contender, score.suite))
    for tick in decades(up.low, up.high) if up.log else (0.0, 0.5, 1.0):
        canvas.line([(_LEFT, up(tick)), (_RIGHT, up(tick))], "grid")
        spelled = (f"{tick:,.0f}" if tick >= 1 else f"{tick:.7f}".rstrip("0")) if up.log else f"{100 * tick:.0f}"
        canvas.text((_LEFT - 5, up(tick) + 3.5), spelled, anchor="end")
    for size in (n for n in (2, 8, 32, 128, 512) if across.low <= n <= across.high):
        canvas.text((across(size), _HEIGHT - 4), numbers.count(size), anchor="middle")
    if across.low < CAP < across.high:
        canvas.line([(across(CAP), _TOP), (across(CAP), _BOTTOM)], "guide")
    canvas.shared(ghosts, others, "ghost")
    _band(canvas, line, across, up)
    for piece in _pieces(line, across, up):
        canvas.line(piece, "curve")
    for n, record in line:
        if record is not None:
            canvas.dot((across(n), up(record.value or 0.0)), 2.2, "disc on")
        elif not up.log:
            canvas.text((across(n), _BOTTOM + 3), "×", "point", "middle")
    if score.simulated:
        watermark(canvas)
    return canvas


def _band(canvas: Canvas, line: Line, across: Scale, up: Scale) -> None:
    known = [(n, r.low, r.high) for n, r in line if r is not None and r.low is not None and r.high is not None]
    canvas.area([(across(n), up(high)) for n, _, high in known], [(across(n), up(low)) for n, low, _ in known], "band")


def _pieces(line: Line, across: Scale, up: Scale) -> list[list[Point]]:
    """The curve, broken where nothing is known."""
    pieces: list[list[Point]] = [[]]
    for n, record in line:
        if record is None or record.value is None:
            pieces.append([])
        else:
            pieces[-1].append((across(n), up(record.value)))
    return [piece for piece in pieces if piece]
