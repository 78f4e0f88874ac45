"""Figures as files that stand by themselves: an SVG with its own sheet, for light and dark, that needs no other file.

Read as a picture (``<img>``, as in a Markdown report) a file has no scripts, no fonts but the reader's and no page around
it: so it brings its paper along, and colours that are told in full, since not every reader knows the sheet's variables.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache

from markupsafe import Markup, escape

from dmb.publish.figures.canvas import Canvas, Point, short
from dmb.publish.figures.figure import Figure
from dmb.publish.table import SIMULATED_CAPTION
from dmb.publish.templating import source

#: Around everything, between drawings beside each other, and between rows of them.
_MARGIN, _GAP, _BETWEEN = 22.0, 28.0, 30.0
#: Drawings in a row at most, by the figure's kind; a row is at least so wide that its caption reads well.
_COLUMNS = {"small": 4, "pair": 2}
_NARROWEST = 656.0
_TITLE, _LINE, _SMALL = 20.0, 17.0, 15.0
#: About how wide a letter of the caption is, and one of what stands below.
_LETTER, _SMALL_LETTER = 6.4, 5.6

_VARIABLE = re.compile(r"--([a-z]+): ([^;]+);")
_RULE = re.compile(r"^(\S[^{]*)\{([^}]*)\}$", re.MULTILINE)

_SHEET = """\
svg { font: 400 12px "Inter", "Liberation Sans", Arial, sans-serif; font-variant-numeric: tabular-nums; }
.paper { fill: var(--paper); }
.title { font-size: 16px; font-weight: 650; fill: var(--ink); }
.said { fill: var(--muted); }
.below { font-size: 10.5px; fill: var(--muted); }
"""


def figure_files(figures: Sequence[Figure], stamp: str) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each figure's file. ``stamp``: which release this is, and when it was asked."""
    for figure in figures:
        yield file_of(figure), svg(figure, stamp).encode("utf-8")


def file_of(figure: Figure) -> str:
    """``reliability.intent-77.svg``."""
    return f"{figure.name}.svg"


def svg(figure: Figure, stamp: str) -> str:
    """The figure as one drawing: title, caption, its drawings in rows, and below them what is to be said."""
    columns = min(_COLUMNS[figure.kind], len(figure.drawings))
    wide = max(_NARROWEST, sum(drawing.width + _GAP for drawing in figure.drawings[:columns]) - _GAP)
    under = [*figure.remarks, *([SIMULATED_CAPTION] if any(figure.simulated) else []), stamp]
    y = _MARGIN + 14
    parts = [_text(y, "title", figure.bare_heading)]
    for line in _wrapped(figure.caption, wide / _LETTER):
        y += _LINE if len(parts) > 1 else _TITLE
        parts.append(_text(y, "said", line))
    y += _BETWEEN
    for row in _rows(figure.drawings, columns):
        parts += [drawing.group(at) for drawing, at in _beside(row, y)]
        y += max(drawing.height for drawing in row) + _BETWEEN
    for line in (line for text in under for line in _wrapped(text, wide / _SMALL_LETTER)):
        parts.append(_text(y, "below", line))
        y += _SMALL
    width, height = short(wide + 2 * _MARGIN), short(y - _SMALL + _MARGIN)
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">\n<title>{2}</title>\n<desc>{3}</desc>\n'
    ).format(width, height, figure.bare_heading, figure.words)
    paper = f'<rect class="paper" width="{width}" height="{height}" rx="6"/>\n'
    return f"{head}<style>\n{_sheet()}</style>\n{paper}" + "\n".join(parts) + "\n</svg>\n"


def _rows(drawings: Sequence[Canvas], columns: int) -> Iterator[Sequence[Canvas]]:
    for start in range(0, len(drawings), columns):
        yield drawings[start : start + columns]


def _beside(row: Sequence[Canvas], y: float) -> Iterator[tuple[Canvas, Point]]:
    x = _MARGIN
    for drawing in row:
        yield drawing, (x, y)
        x += drawing.width + _GAP


def _text(y: float, kind: str, said: str) -> str:
    return f'<text class="{kind}" x="{short(_MARGIN)}" y="{short(y)}">{escape(said)}</text>'


def _wrapped(text: str, letters: float) -> list[str]:
    return textwrap.wrap(text.replace("`", ""), int(letters))


@cache
def _sheet() -> str:
    """The sheet of the page's drawings with its colours in full, and again, where they differ, for whoever prefers dark."""
    light, _, dark = source("colours.css").partition("@media")
    rules = [(selector.strip(), body.strip()) for selector, body in _RULE.findall(_SHEET + source("drawing.css"))]
    made = [f"{selector} {{ {_coloured(body, light)} }}\n" for selector, body in rules]
    made += ["@media (prefers-color-scheme: dark) {\n"]
    for selector, body in rules:
        if coloured := [part for part in body.split(";") if "var(" in part]:
            made.append(f"{selector} {{ {_coloured(';'.join(coloured).strip(), dark)}; }}\n")
    return "".join([*made, "}\n"])


def _coloured(body: str, colours: str) -> str:
    values = dict(_VARIABLE.findall(colours))
    return re.sub(r"var\(--([a-z]+)\)", lambda found: values[found[1]], body)
