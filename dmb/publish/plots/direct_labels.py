"""Names beside the ends of curves: as wide as they are, and never on top of each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from dmb.publish.plots.style import Look

#: Size of a name in points, and the height that a line of them takes, in inches.
NAME_POINTS = 8.0
LINE = 0.168
#: From the panel to the names, in inches: room for the leaders.
LEADER = 0.32
#: A longer name loses its middle; the tables have it whole.
_LONGEST = 44


@dataclass(frozen=True)
class End:
    """Where a curve ends: number of options, value in the panel's units, and the name to stand there."""

    size: int
    y: float
    name: str
    how: Look


def shortened(name: str) -> str:
    """At most ``_LONGEST`` characters: the beginning and the end of a longer name."""
    half = (_LONGEST - 1) // 2
    return name if len(name) <= _LONGEST else f"{name[:half].rstrip()}…{name[-half:].lstrip()}"


def escaped(name: str) -> str:
    """As matplotlib wants it: a dollar would start a formula."""
    return name.replace("$", r"\$")


def width_of(names: Iterable[str], points: float = NAME_POINTS) -> float:
    """Inches that the widest of these names takes, from the outlines of its letters."""
    font = FontProperties(family="DejaVu Sans", size=points)
    return max(
        (TextPath((0, 0), escaped(shortened(n)), prop=font).get_extents().x1 / 72 for n in names if n), default=0.0
    )


def write_names(ax: Axes, right: int, ends: Iterable[End], panel: float) -> None:
    """Each name at the height where its curve ends, pushed apart where two would overlap. ``panel``: its height in inches."""
    to_axes = ax.transData + ax.transAxes.inverted()
    placed = sorted(
        ((float(to_axes.transform((end.size, end.y))[1]), end.name, end) for end in ends), key=lambda e: e[:2]
    )
    width = ax.get_position().width * ax.figure.get_figwidth()
    heights = apart([height for height, _, _ in placed], LINE / panel)
    for height, (_, _, end) in zip(heights, placed, strict=True):
        # A dotted leader is no part of the curve: it leads from where the curve stops short.
        leader = {
            "arrowstyle": "-",
            "color": end.how.colour,
            "linewidth": 1,
            "linestyle": "-" if end.size == right else ":",
            "shrinkA": 0,
            "shrinkB": 3,
            "relpos": (0, 0.5),
        }
        ax.annotate(
            escaped(shortened(end.name)),
            (end.size, end.y),
            (1 + LEADER / width, height),
            textcoords="axes fraction",
            fontsize=NAME_POINTS,
            va="center",
            annotation_clip=False,
            arrowprops=leader,
        )


def apart(wanted: Sequence[float], line: float) -> list[float]:
    """Rising heights as near as possible to the wanted ones, each a line above the one before, between 0 and 1.

    Names that would overlap become a block around the mean of what they want; blocks that then touch are joined. More
    names than the panel has lines for stand below each other from its top, and go on below it.
    """
    blocks: list[list[float]] = []
    for height in wanted:
        blocks.append([height])
        while len(blocks) > 1 and _bottom(blocks[-1], line) < _bottom(blocks[-2], line) + line * len(blocks[-2]):
            last = blocks.pop()
            blocks[-1] = blocks[-1] + last
    return [_bottom(block, line) + line * i for block in blocks for i in range(len(block))]


def _bottom(block: Sequence[float], line: float) -> float:
    reach = line * (len(block) - 1)
    return min(max(sum(block) / len(block) - reach / 2, 0.0), 1.0 - reach)
