"""Accuracy and latency over the number of options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish.measures import joined
from dmb.publish.plots.style import INK, MUTED, Look, Plot, heading, house_style, look, render
from dmb.publish.table import words
from dmb.publish.tables.slices import CAP, N_OPTIONS, at_sizes, cardinality_suites, latencies_at, slice_values

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: A little below nought, so that a curve at nought does not hide in the axis.
_FLOOR = -4
_TOP = 104
#: Height of a line of text on the axis of accuracies.
_LINE = 5.4


def cardinality_plot(release: Release) -> Plot | None:
    """One row of panels per suite whose number of options varies; None where there is no such suite."""
    suites = cardinality_suites(release)
    if not suites:
        return None
    title = "Accuracy and latency by number of options"
    with house_style():
        fig = Figure(figsize=(12.2, 4.5 * len(suites)))
        # The gap between the panels and the space at the right hold the names at the ends of the curves.
        grid = fig.add_gridspec(
            len(suites),
            2,
            width_ratios=(1.6, 1),
            wspace=0.46,
            left=0.05,
            right=0.86,
            bottom=0.15 / len(suites),
            top=1 - 0.13 / len(suites),
            hspace=0.4,
        )
        for row, suite in enumerate(suites):
            _accuracy(release, suite, fig.add_subplot(grid[row, 0]))
            _latency(release, suite, fig.add_subplot(grid[row, 1]))
        return render(
            fig,
            "cardinality",
            title,
            f"{title}, one curve per contender, with 95 % intervals. The tables below hold the numbers.",
            [score.simulated for suite in suites for _, score in _answered(release, suite)],
            note_at=(0.05, 0.015 / len(suites)),
        )


def _answered(release: Release, suite: str) -> list[tuple[int, Score]]:
    """Place in the release and score of those who were asked."""
    scores = [release.cells[contender, suite] for contender in release.contenders]
    return [(place, score) for place, score in enumerate(scores) if score.status != "skipped"]


def _name(release: Release, score: Score) -> str:
    return release.marked(release.label(score.contender), score.contender, score.suite)


def _accuracy(release: Release, suite: str, ax: Axes) -> None:
    sizes, ends, silent = slice_values(release, suite, N_OPTIONS), [], []
    _number_axis(ax, sizes)
    ax.set_ylim(_FLOOR, _TOP)
    ax.yaxis.set_major_locator(FixedLocator(range(0, 101, 20)))
    slot = release.slots(suite)[0]
    for place, score in _answered(release, suite):
        how = look(place)
        found = at_sizes(score, sizes, joined(slot, "accuracy_valid"))
        last = _curve(ax, sizes, found, how, scale=100)
        if last is None:
            silent.append(_name(release, score))
            continue
        ends.append((*last, _name(release, score), how))
        gone = [n for n, record in zip(sizes, found, strict=True) if record is None or record.value is None]
        ax.plot(
            gone,
            [_FLOOR] * len(gone),
            linestyle="none",
            marker="x",
            color=how.colour,
            markersize=5,
            clip_on=False,
            zorder=4,
        )
    _names(ax, sizes[-1], ends)
    heading(ax, "Accuracy of valid decisions, %", f"{suite} · bands are 95 % intervals · × no valid decision")
    if silent:
        said = f"No valid decision at any size: {words(silent)}".replace("$", r"\$")
        ax.annotate(
            said,
            (0, 0),
            (0, -34),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=8,
            color=MUTED,
            va="top",
        )


def _latency(release: Release, suite: str, ax: Axes) -> None:
    sizes, slot = slice_values(release, suite, N_OPTIONS), release.slots(suite)[0]
    _number_axis(ax, sizes, few=True)
    ax.set_yscale("log")
    ends = []
    for place, score in _answered(release, suite):
        how = look(place)
        last = _curve(ax, sizes, latencies_at(score, sizes, slot), how, scale=1)
        if last is not None:
            ends.append((*last, _name(release, score), how))
    _names(ax, sizes[-1], ends)
    ax.yaxis.set_major_locator(LogLocator(10, numticks=8))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}" if y < 1 else f"{y:,.0f}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_minor_locator(NullLocator())
    heading(ax, "Median latency, ms", "whole decision, logarithmic")


def _curve(
    ax: Axes, sizes: list[int], records: list[MeasureRecord | None], how: Look, *, scale: float
) -> tuple[int, float] | None:
    """Draws what is known, broken where nothing is, and returns the last known point."""
    nothing = float("nan")
    known = [record if record is not None and record.value is not None else None for record in records]
    ys = [scale * record.value if record else nothing for record in known]
    lows = [scale * record.low if record and record.low is not None else nothing for record in known]
    highs = [scale * record.high if record and record.high is not None else nothing for record in known]
    ax.fill_between(sizes, lows, highs, color=how.colour, alpha=0.1, linewidth=0)
    ax.plot(sizes, ys, color=how.colour, marker=how.marker, linestyle=how.dash, markersize=4, linewidth=1.6)
    points = [(size, y) for size, y in zip(sizes, ys, strict=True) if y == y]
    return points[-1] if points else None


def _number_axis(ax: Axes, sizes: list[int], *, few: bool = False) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xlim(sizes[0] / 1.12, sizes[-1] * 1.12)
    # 254, 255 and 256 would stand on each other: a label is left out where the one before it is too near.
    ticks: list[int] = []
    for size in sizes:
        if (
            size != CAP
            and (not ticks or size >= (1.9 if few else 1.4) * ticks[-1])
            and not (CAP / 1.7 < size < CAP * 1.7)
        ):
            ticks.append(size)
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel("options, logarithmic")
    if sizes[0] < CAP < sizes[-1]:
        ax.axvline(CAP, color=MUTED, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
        ax.annotate(
            str(CAP),
            (CAP, 0),
            (0, -7),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=8,
            color=INK,
            weight="bold",
        )


def _names(ax: Axes, right: int, ends: list[tuple[int, float, str, Look]]) -> None:
    """Each name at the height where its curve ends, pushed apart where two would overlap."""
    ends = sorted(ends, key=lambda end: end[1])
    across = ax.get_xaxis_transform()
    for height, (size, y, label, how) in zip(_apart([_height(ax, end[1]) for end in ends]), ends, strict=True):
        # A dotted leader is no part of the curve: it leads from where the curve stops short.
        leader = {
            "arrowstyle": "-",
            "color": how.colour,
            "linewidth": 1,
            "linestyle": "-" if size == right else ":",
            "shrinkA": 0,
            "shrinkB": 3,
            "relpos": (0, 0.5),
        }
        ax.annotate(
            label.replace("$", r"\$"),
            (size, y),
            (right * 1.5, (height - _FLOOR) / (_TOP - _FLOOR)),
            textcoords=across,
            fontsize=8,
            va="center",
            annotation_clip=False,
            arrowprops=leader,
        )


def _height(ax: Axes, y: float) -> float:
    """Where a value stands in the panel, as if the axis were the one of accuracies."""
    to_axes = ax.transData + ax.transAxes.inverted()
    return _FLOOR + (_TOP - _FLOOR) * float(to_axes.transform((ax.get_xlim()[0], y))[1])


def _apart(wanted: list[float]) -> list[float]:
    """Rising heights as near as possible to the wanted ones, each a line above the one before.

    Names that would overlap become a block around the mean of what they want; blocks that then touch are joined.
    """
    blocks: list[list[float]] = []
    for height in wanted:
        blocks.append([height])
        while len(blocks) > 1 and _bottom(blocks[-1]) < _bottom(blocks[-2]) + _LINE * len(blocks[-2]):
            last = blocks.pop()
            blocks[-1] = blocks[-1] + last
    return [_bottom(block) + _LINE * i for block in blocks for i in range(len(block))]


def _bottom(block: list[float]) -> float:
    half = _LINE * (len(block) - 1) / 2
    return min(max(sum(block) / len(block) - half, _FLOOR), 102 - 2 * half)
