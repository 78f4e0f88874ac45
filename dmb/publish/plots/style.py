"""How every plot looks, and how a figure becomes bytes that do not depend on when or where it was drawn."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dmb.publish.table import SIMULATED_MARK

SIMULATED_NOTE = f"{SIMULATED_MARK} simulated answers: no model was asked"
#: So large the word just fits across a narrow figure.
_WORD_POINTS_PER_INCH = 11.0

# The page swaps these four for its own colours, so nothing else may use them.
INK = "#1b2027"
MUTED = "#5e6773"
GRID = "#dde2e8"
PAPER = "#fefefe"

#: Okabe and Ito's colours without yellow and black: told apart by readers with any colour vision, on light and on dark.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8f98")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", (0, (4, 1.6)), (0, (1.2, 1.4)))

_STYLE = {
    # DejaVu comes with matplotlib, and outlines instead of text look alike wherever the file is opened.
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "dmb",
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.titlecolor": INK,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.bottom": False,
    "ytick.left": False,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
}


@dataclass(frozen=True)
class Plot:
    """One picture: its file name without ending, what it shows in words, and its two forms.

    Title and words say where answers are simulated.
    """

    name: str
    title: str
    alt: str
    svg: str
    png: bytes


@dataclass(frozen=True)
class Look:
    """How one contender is drawn in every plot of a release."""

    colour: str
    marker: str
    dash: object


def look(place: int) -> Look:
    """By the contender's place in the release; after seven the line changes, so that no two look the same."""
    return Look(
        COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)], DASHES[place // len(COLOURS) % len(DASHES)]
    )


@contextmanager
def house_style() -> Iterator[None]:
    """Matplotlib's own defaults and then ours: a reader's matplotlibrc must not change published bytes."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def heading(ax: Axes, title: str, under: str = "") -> None:
    """A title at the left edge with a quieter line below it."""
    ax.annotate(
        title,
        (0, 1),
        (0, 18 if under else 7),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=9.5,
        weight="bold",
    )
    if under:
        ax.annotate(
            under, (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points", fontsize=8, color=MUTED
        )


def render(
    fig: Figure, name: str, title: str, alt: str, simulated: Iterable[bool], note_at: tuple[float, float]
) -> Plot:
    """Both forms, without a date or a version in them.

    ``simulated``: of each cell that is drawn. Where any is, the picture, its title and its words say so: nobody may take
    a plot of simulated answers for another one. ``note_at``: where there is room for a line, in parts of the figure.
    """
    cells = tuple(simulated)
    if any(cells):
        _watermark(fig)
        fig.text(*note_at, SIMULATED_NOTE, fontsize=7.5, color=MUTED, va="bottom")
        title = f"{title} ({'simulated' if all(cells) else 'partly simulated'})"
        alt = f"{'Simulated answers' if all(cells) else 'Partly simulated answers'}. {alt}"
    svg, png = io.BytesIO(), io.BytesIO()
    fig.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    fig.savefig(png, format="png", dpi=160, metadata={"Software": None})
    # Few readers have DejaVu, and without a second choice a browser takes a serif.
    text = svg.getvalue().decode("utf-8").replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, Arial, sans-serif")
    return Plot(name, title, alt, text, png.getvalue())


def _watermark(fig: Figure) -> None:
    """Across the whole figure: nobody may crop a plot of simulated answers and forget the word."""
    size = min(64.0, _WORD_POINTS_PER_INCH * fig.get_size_inches()[0])
    fig.text(
        0.5, 0.5, "simulated", fontsize=size, color=MUTED, alpha=0.16, rotation=18, ha="center", va="center", zorder=10
    )
