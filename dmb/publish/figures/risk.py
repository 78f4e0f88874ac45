"""Risk over coverage: how many of the surest answers are wrong, a small panel for each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import Score
from dmb.metrics import risk_coverage
from dmb.publish import numbers
from dmb.publish.figures.canvas import Canvas, Point, Scale
from dmb.publish.figures.figure import Figure, said_once
from dmb.publish.figures.labels import write_name
from dmb.publish.figures.simulated import said, watermark
from dmb.publish.measures import joined

if TYPE_CHECKING:
    from dmb.publish.release import Release

_WIDTH, _HEIGHT = 200.0, 176.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 26.0, 198.0, 40.0, 158.0
#: As many places are drawn at most; more would not be seen.
_PLACES = 60


def figures(release: Release) -> tuple[Figure, ...]:
    """One per suite in which any cell has confidences to order its answers by."""
    made = []
    for suite in release.suites:
        found = [(score, _curve(score)) for c in release.contenders for score in [release.cells[c, suite]]]
        found = [(score, curve) for score, curve in found if len(curve) > 1]
        if found:
            highest = max(risk for _, curve in found for _, risk in curve)
            made.append(
                Figure(
                    f"risk.{suite}",
                    f"Risk and coverage on `{suite}`",
                    "Share of errors among the answers kept, when the surest are kept first, over the share that is kept. "
                    "Low and flat on the left is a confidence that can be relied on. Answers of one confidence are kept together. Grey: the other contenders.",
                    _panels(release, found, highest),
                    tuple(score.simulated for score, _ in found),
                )
            )
    return said_once(made)


def _curve(score: Score) -> list[tuple[float, float]]:
    """(coverage, risk) over valid answers with a confidence, of rows that have a right answer or can only be wrong."""
    if not score.answers:
        return []
    columns = score.answers[0]
    rows = [
        (confidence, gold is not None and value == gold)
        for confidence, value, gold in zip(columns.confidences, columns.values, columns.gold, strict=True)
        if confidence is not None
    ]
    points = risk_coverage([confidence for confidence, _ in rows], [right for _, right in rows])
    return [(point.n_accepted / len(rows), point.n_wrong / point.n_accepted) for point in points]


def _panels(
    release: Release, found: list[tuple[Score, list[tuple[float, float]]]], highest: float
) -> tuple[Canvas, ...]:
    across = Scale(0, 1, _LEFT, _RIGHT)
    top = max(0.2, -int(-10 * highest - 1 + 1e-9) / 10)
    up = Scale(0, top, _BOTTOM, _TOP)
    lines = [_thinned([(across(x), up(y)) for x, y in curve]) for _, curve in found]
    ghosts = f"risk-{found[0][0].suite}-others"
    return tuple(
        _panel(release, score, line, lines if n == 0 else [], ghosts, up)
        for n, ((score, _), line) in enumerate(zip(found, lines, strict=True))
    )


def _panel(
    release: Release, score: Score, line: list[Point], others: list[list[Point]], ghosts: str, up: Scale
) -> Canvas:
    """The first panel draws all curves in grey, and the others show them again."""
    label = release.marked(release.label(score.contender), score.contender, score.suite)
    record = score.metrics.get(joined(release.slots(score.suite)[0], "aurc"))
    area = f"AURC {numbers.index(record.value)}" if record is not None and record.value is not None else ""
    words_for_it = f"Risk over coverage of {label} on {score.suite}" + (f": {area}." if area else ".")
    canvas = Canvas(_WIDTH, _HEIGHT, said(words_for_it, [score.simulated]))
    write_name(canvas, release.short_label(score.contender, score.suite))
    canvas.text((0, 25), area)
    for tick in (0.0, up.high / 2, up.high):
        canvas.line([(_LEFT, up(tick)), (_RIGHT, up(tick))], "grid")
        canvas.text((_LEFT - 5, up(tick) + 3.5), numbers.percent(tick).removesuffix(".0"), anchor="end")
    for share, anchor in ((0.0, "middle"), (0.5, "middle"), (1.0, "end")):
        x = _LEFT + share * (_RIGHT - _LEFT)
        canvas.text((x, _HEIGHT - 3), f"{100 * share:.0f} %" if share == 1 else f"{100 * share:.0f}", anchor=anchor)
    canvas.shared(ghosts, others, "ghost")
    canvas.line(line, "curve")
    canvas.dot(line[-1], 2.6, "disc on")
    if score.simulated:
        watermark(canvas)
    return canvas


def _thinned(points: list[Point]) -> list[Point]:
    """At most so many points, evenly along the curve, its last one among them."""
    if len(points) <= _PLACES:
        return points
    step = (len(points) - 1) / (_PLACES - 1)
    return [points[round(n * step)] for n in range(_PLACES)]
