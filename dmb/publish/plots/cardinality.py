"""Accuracy and latency over the number of options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from dmb.contracts.cell import MeasureRecord, Score
from dmb.publish.measures import joined
from dmb.publish.plots.direct_labels import LEADER, LINE, NAME_POINTS, End, escaped, shortened, width_of, write_names
from dmb.publish.plots.style import INK, MUTED, Look, Plot, heading, house_style, look, render
from dmb.publish.tables.slices import (
    CAP,
    N_OPTIONS,
    at_sizes,
    cardinality_suites,
    is_unsupported,
    latencies_at,
    part_of,
    slice_values,
)

if TYPE_CHECKING:
    from dmb.publish.release import Release

#: A little below nought, so that a curve at nought does not hide in the axis.
_FLOOR = -4
_TOP = 104
# Inches. A row of panels: headings above, numbers of options below, then a strip with what was not answered.
_LEFT, _ACCURACY, _BETWEEN, _LATENCY, _RIGHT = 0.55, 5.9, 0.75, 3.5, 0.12
_ABOVE, _PANEL, _BELOW, _STRIP_HEAD, _FOOT = 0.62, 3.2, 0.55, 0.24, 0.3


def cardinality_plot(release: Release) -> Plot | None:
    """One row of panels per suite whose number of options varies; None where there is no such suite."""
    suites = cardinality_suites(release)
    if not suites:
        return None
    title = "Accuracy and latency by number of options"
    scores = {suite: _answered(release, suite) for suite in suites}
    names = width_of(_name(release, score) for found in scores.values() for _, score in found) + LEADER
    # A panel is as high as its names need, and the space right of it as wide.
    panel = max([_PANEL, *(LINE * len(found) for found in scores.values())])
    strips = [_strip_height(release, suite, found) for suite, found in scores.items()]
    width = _LEFT + _ACCURACY + names + _BETWEEN + _LATENCY + names + _RIGHT
    height = sum(_ABOVE + panel + _BELOW + strip for strip in strips) + _FOOT
    with house_style():
        fig = Figure(figsize=(width, height))
        top = height
        for (suite, found), strip in zip(scores.items(), strips, strict=True):
            bottom = top - _ABOVE - panel
            across = ((_LEFT, _ACCURACY), (_LEFT + _ACCURACY + names + _BETWEEN, _LATENCY))
            accuracy, latency = (
                fig.add_axes((left / width, bottom / height, wide / width, panel / height)) for left, wide in across
            )
            _accuracy(release, suite, found, accuracy, panel)
            _latency(release, suite, found, latency, panel)
            if strip:
                under = (bottom - _BELOW - strip) / height
                ax = fig.add_axes((_LEFT / width, under, _ACCURACY / width, (strip - _STRIP_HEAD) / height))
                _strip(release, suite, found, ax)
            top = bottom - _BELOW - strip
        return render(
            fig,
            "cardinality",
            title,
            f"{title}, one curve per contender, with 95 % intervals. The tables below hold the numbers.",
            [score.simulated for found in scores.values() for _, score in found],
            note_at=(_LEFT / width, 0.08 / height),
        )


def _answered(release: Release, suite: str) -> list[tuple[int, Score]]:
    """Place in the release and score of those who were asked."""
    scores = [release.cells[contender, suite] for contender in release.contenders]
    return [(place, score) for place, score in enumerate(scores) if score.status != "skipped"]


def _name(release: Release, score: Score) -> str:
    return release.marked(release.label(score.contender), score.contender, score.suite)


def _accuracy(release: Release, suite: str, scores: list[tuple[int, Score]], ax: Axes, panel: float) -> None:
    sizes, ends = slice_values(release, suite, N_OPTIONS), []
    _number_axis(ax, sizes)
    ax.set_ylim(_FLOOR, _TOP)
    ax.yaxis.set_major_locator(FixedLocator(range(0, 101, 20)))
    slot = release.slots(suite)[0]
    for place, score in scores:
        how = look(place)
        last = _curve(ax, sizes, at_sizes(score, sizes, joined(slot, "accuracy_valid")), how, scale=100)
        if last is not None:
            ends.append(End(*last, _name(release, score), how))
    write_names(ax, sizes[-1], ends, panel)
    heading(ax, "Accuracy of valid decisions, %", f"{suite} · bands are 95 % intervals over base questions")


def _latency(release: Release, suite: str, scores: list[tuple[int, Score]], ax: Axes, panel: float) -> None:
    sizes, slot = slice_values(release, suite, N_OPTIONS), release.slots(suite)[0]
    _number_axis(ax, sizes, few=True)
    ax.set_yscale("log")
    ends = []
    for place, score in scores:
        how = look(place)
        last = _curve(ax, sizes, latencies_at(score, sizes, slot), how, scale=1)
        if last is not None:
            ends.append(End(*last, _name(release, score), how))
    write_names(ax, sizes[-1], ends, panel)
    ax.yaxis.set_major_locator(LogLocator(10, numticks=8))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}" if y < 1 else f"{y:,.0f}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_minor_locator(NullLocator())
    heading(ax, "Median latency, ms", "whole decision, logarithmic")


def _silent(release: Release, suite: str, score: Score) -> list[tuple[int, bool]]:
    """Sizes without a valid decision, and whether each is because the contender cannot take such a list."""
    sizes, key = slice_values(release, suite, N_OPTIONS), joined(release.slots(suite)[0], "accuracy_valid")
    records = zip(sizes, at_sizes(score, sizes, key), strict=True)
    return [
        (size, is_unsupported(part_of(score, N_OPTIONS, size)))
        for size, record in records
        if record is None or record.value is None
    ]


def _strip_height(release: Release, suite: str, scores: list[tuple[int, Score]]) -> float:
    rows = sum(1 for _, score in scores if _silent(release, suite, score))
    return _STRIP_HEAD + LINE * rows if rows else 0.0


def _strip(release: Release, suite: str, scores: list[tuple[int, Score]], ax: Axes) -> None:
    """One line for each contender that leaves sizes unanswered, since marks inside the panel would hide each other."""
    rows = [(place, score, gone) for place, score in scores if (gone := _silent(release, suite, score))]
    _number_axis(ax, slice_values(release, suite, N_OPTIONS))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel("")
    ax.grid(False)
    ax.tick_params(labelbottom=False)
    for text in list(ax.texts):
        text.remove()
    ax.yaxis.set_major_locator(NullLocator())
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    for row, (place, score, gone) in enumerate(rows):
        for marker, wanted in (("x", True), (".", False)):
            at = [size for size, unsupported in gone if unsupported is wanted]
            ax.plot(
                at,
                [row] * len(at),
                linestyle="none",
                marker=marker,
                color=look(place).colour,
                markersize=5,
                clip_on=False,
            )
        ax.annotate(
            escaped(shortened(_name(release, score))),
            (1, row),
            (LEADER * 72, 0),
            xycoords=ax.get_yaxis_transform(),
            textcoords="offset points",
            fontsize=NAME_POINTS,
            va="center",
            annotation_clip=False,
        )
    said = {True: "× unsupported: cannot take such a list", False: "· no valid decision"}
    kinds = {unsupported for _, _, gone in rows for _, unsupported in gone}
    ax.annotate(
        "   ".join(text for kind, text in said.items() if kind in kinds),
        (0, 1),
        (0, 5),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=NAME_POINTS,
        color=MUTED,
    )


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
