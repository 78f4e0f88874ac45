"""Accuracy over confidence, a small panel for each cell, with the number of decisions in each bin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmb.contracts.cell import ReliabilityBin, Score
from dmb.publish import numbers
from dmb.publish.figures.canvas import Canvas, Scale
from dmb.publish.figures.figure import Figure, said_once
from dmb.publish.figures.labels import write_name
from dmb.publish.figures.simulated import said, watermark
from dmb.publish.measures import joined
from dmb.publish.table import words

if TYPE_CHECKING:
    from dmb.publish.release import Release

_WIDTH, _HEIGHT = 200.0, 236.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 22.0, 198.0, 40.0, 192.0
_BARS, _COUNTS = 214.0, 224.0
_TICKS = (0.0, 0.5, 1.0)


def figures(release: Release) -> tuple[Figure, ...]:
    """One per suite in which any decision has a confidence."""
    made = []
    for suite in release.suites:
        scores = [release.cells[contender, suite] for contender in release.contenders]
        scores = [score for score in scores if any(part.n for part in score.reliability)]
        if scores:
            made.append(
                Figure(
                    f"reliability.{suite}",
                    f"Reliability on `{suite}`",
                    "Accuracy over mean confidence in ten bins; on the dotted line a confidence means what it says. "
                    "A dot's area, the bars and the numbers count decisions.",
                    tuple(_panel(release, score) for score in scores),
                    tuple(score.simulated for score in scores),
                )
            )
    return said_once(made)


def _panel(release: Release, score: Score) -> Canvas:
    parts = [part for part in score.reliability if part.n]
    label = release.marked(release.label(score.contender), score.contender, score.suite)
    record = score.metrics.get(joined(release.slots(score.suite)[0], "ece"))
    ece = f"ECE {numbers.index(record.value)}" if record is not None and record.value is not None else "ECE n/a"
    across, up = Scale(0, 1, _LEFT, _RIGHT), Scale(0, 1, _BOTTOM, _TOP)
    words_for_it = (
        f"Reliability of {label} on {score.suite}: {ece}, {numbers.things(sum(p.n for p in parts), 'decision')}."
    )
    canvas = Canvas(
        _WIDTH, _HEIGHT, said(words_for_it, [score.simulated]), f"reliability-{score.contender}-{score.suite}"
    )
    write_name(canvas, release.short_label(score.contender, score.suite))
    canvas.text((0, 25), f"{ece} · {words(score.confidence_kinds)}")
    for tick in _TICKS:
        canvas.line([(_LEFT, up(tick)), (_RIGHT, up(tick))], "grid")
    for tick in _TICKS:
        canvas.text((_LEFT - 5, up(tick) + 3.5), f"{tick:g}", anchor="end")
    canvas.line([(_LEFT, _BOTTOM), (_RIGHT, _TOP)], "guide")
    for part in parts:
        x = across(part.mean_confidence)
        canvas.line([(x, up(part.mean_confidence)), (x, up(part.accuracy))], "gap")
    most = max(part.n for part in parts)
    for part in parts:
        canvas.dot((across(part.mean_confidence), up(part.accuracy)), 2.5 + 3.5 * (part.n / most) ** 0.5, "disc on")
    _counts(canvas, parts, across, most)
    if score.simulated:
        watermark(canvas)
    return canvas


def _counts(canvas: Canvas, parts: list[ReliabilityBin], across: Scale, most: int) -> None:
    for part in parts:
        height = max(0.6, 16 * part.n / most)
        canvas.bar(across(part.low) + 1.5, _BARS - height, across(part.high) - across(part.low) - 3, height, "fill")
    for part in parts:
        middle = (across(part.low) + across(part.high)) / 2
        canvas.text((middle, _COUNTS), numbers.count(part.n), "tiny", "middle")
    for tick in _TICKS:
        canvas.text((across(tick), _HEIGHT), f"{tick:g}", anchor="end" if tick == 1 else "middle")
