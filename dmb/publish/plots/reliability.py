"""Accuracy over confidence: one figure per contender, one panel per suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter

from dmb.contracts.cell import Score
from dmb.publish.measures import joined
from dmb.publish.numbers import index
from dmb.publish.plots.style import GRID, MUTED, PAPER, Look, Plot, heading, house_style, look, render
from dmb.publish.table import words

if TYPE_CHECKING:
    from dmb.publish.release import Release

_COLUMNS = 3
# Inches: side of a panel, free space right of it, left margin, and from one row of panels to the next.
_SIDE, _GAP, _LEFT, _HEIGHT = 2.5, 0.5, 0.62, 4.0
#: Where the bars of the counts stand below a panel and how high the highest is, in heights of the panel.
_BAR_FOOT, _BAR_HEIGHT = -0.62 / _SIDE, 0.32 / _SIDE


def reliability_plots(release: Release) -> tuple[Plot, ...]:
    """One for every contender whose decisions carry a confidence in some suite."""
    made = []
    for place, contender in enumerate(release.contenders):
        scores = [release.cells[contender, suite] for suite in release.suites]
        if scores := [score for score in scores if any(part.n for part in score.reliability)]:
            made.append(_plot(release, contender, scores, look(place)))
    return tuple(made)


def _plot(release: Release, contender: str, scores: list[Score], how: Look) -> Plot:
    label = release.label(contender)
    columns = min(len(scores), _COLUMNS)
    rows = -(-len(scores) // columns)
    width, height = _LEFT + columns * (_SIDE + _GAP) - 0.3, 0.45 + rows * _HEIGHT
    with house_style():
        fig = Figure(figsize=(width, height))
        head = release.marked(label, contender, *(score.suite for score in scores)).replace("$", r"\$")
        fig.text(_LEFT / width, 1 - 0.12 / height, head, fontsize=11, weight="bold", va="top")
        for place, score in enumerate(scores):
            left = _LEFT + (place % columns) * (_SIDE + _GAP)
            bottom = height - 0.95 - _SIDE - (place // columns) * _HEIGHT
            ax = fig.add_axes((left / width, bottom / height, _SIDE / width, _SIDE / height))
            _diagram(release, ax, score, how, joined(release.slots(score.suite)[0], "ece"))
            _counts(ax, score, how)
            if place % columns == 0:
                ax.set_ylabel("accuracy")
            else:
                # panels of a row share their scale, and drawing numbers is what takes the time
                ax.tick_params(labelleft=False)
        alt = f"Reliability of {label}: accuracy over confidence on {words(score.suite for score in scores)}, with the number of decisions under each bin."
        simulated = [score.simulated for score in scores]
        note_at = (_LEFT / width, 1 - 0.44 / height)
        return render(fig, f"reliability.{contender}", label, alt, simulated, note_at)


def _diagram(release: Release, ax: Axes, score: Score, how: Look, ece: str) -> None:
    parts = [part for part in score.reliability if part.n]
    ax.plot([0, 1], [0, 1], color=MUTED, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    xs, ys = [part.mean_confidence for part in parts], [part.accuracy for part in parts]
    # The distance to the diagonal is what is to be seen, so it is drawn; the area says how many decisions it rests on.
    ax.vlines(
        xs,
        [min(x, y) for x, y in zip(xs, ys, strict=True)],
        [max(x, y) for x, y in zip(xs, ys, strict=True)],
        color=how.colour,
        alpha=0.35,
        linewidth=3,
    )
    most = max(part.n for part in parts)
    ax.scatter(
        xs,
        ys,
        s=[16 + 70 * part.n / most for part in parts],
        color=how.colour,
        edgecolor=PAPER,
        linewidth=0.8,
        zorder=3,
        clip_on=False,
    )
    ax.set(xlim=(0, 1), ylim=(0, 1))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(FixedLocator([0, 0.2, 0.4, 0.6, 0.8, 1]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.1f}"))
    record = score.metrics.get(ece)
    number = f"ECE {index(record.value)}" if record is not None and record.value is not None else "ECE n/a"
    suite = release.marked(score.suite, score.contender, score.suite)
    heading(ax, suite, f"{number} · {words(score.confidence_kinds)}")


def _counts(ax: Axes, score: Score, how: Look) -> None:
    """Below the diagram a bar per bin and its number; no axes of their own, which would take as long to draw again."""
    parts = [part for part in score.reliability if part.n]
    middles = [(part.low + part.high) / 2 for part in parts]
    most = max(part.n for part in parts)
    down = ax.get_xaxis_transform()
    ax.bar(
        middles,
        [_BAR_HEIGHT * part.n / most for part in parts],
        width=[0.82 * (part.high - part.low) for part in parts],
        bottom=_BAR_FOOT,
        transform=down,
        clip_on=False,
        color=how.colour,
        alpha=0.45,
        linewidth=0,
    )
    ax.plot([0, 1], [_BAR_FOOT] * 2, transform=down, clip_on=False, color=GRID, linewidth=0.8)
    # where bars stand is no part of the diagram's scale
    ax.set(xlim=(0, 1), ylim=(0, 1))
    quiet: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "top", "color": MUTED}
    for middle, part in zip(middles, parts, strict=True):
        ax.annotate(str(part.n), (middle, _BAR_FOOT), (0, -3), xycoords=down, fontsize=7, **quiet)
    ax.annotate("confidence, and decisions per bin", (0.5, _BAR_FOOT), (0, -14), xycoords=down, fontsize=7.5, **quiet)
