"""A small pen for SVG: shapes with classes and no styles, so that light, dark and print are a sheet's business.

Lengths are in user units of the drawing's own box, which is also its size in CSS pixels at full width.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

Point = tuple[float, float]

_END, _END_OF_GROUP = Markup("</svg>"), Markup("</g>")


@dataclass
class Canvas:
    """Shapes in the order in which they are drawn."""

    width: float
    height: float
    label: str
    id: str = ""
    #: (element, class, what is in it)
    parts: list[tuple[str, str, str]] = field(default_factory=list)

    def line(self, points: Iterable[Point], kind: str) -> None:
        """A line through points; nothing where there are fewer than two."""
        known = list(points)
        if len(known) > 1:
            self._add("path", kind, _path(known))

    def shared(self, name: str, lines: Sequence[Sequence[Point]], kind: str) -> None:
        """Lines that several drawings show: the first one has them, the others give none and show them again."""
        if lines:
            drawn = "".join(_path(line) for line in lines if len(line) > 1)
            self._add("", "", f'<path class="{kind}" id="{name}" d="{drawn}"/>')
        else:
            self._add("", "", f'<use href="#{name}"/>')

    def area(self, upper: Sequence[Point], lower: Sequence[Point], kind: str) -> None:
        """The band between two lines over the same places."""
        if len(upper) > 1:
            self._add("path", kind, f"{_path([*upper, *reversed(lower)])}Z")

    def dot(self, at: Point, radius: float, kind: str) -> None:
        """A disc."""
        self._add("g", kind, f'<circle cx="{short(at[0])}" cy="{short(at[1])}" r="{short(radius)}"/>')

    def bar(self, left: float, top: float, width: float, height: float, kind: str) -> None:
        """An upright box."""
        self._add("path", kind, f"M{short(left)} {short(top)}h{short(width)}v{short(height)}h{short(-width)}Z")

    def text(self, at: Point, said: str, kind: str = "", anchor: str = "start") -> None:
        """One line of text; ``at`` is on its base line."""
        classes = " ".join(part for part in (kind, "" if anchor == "start" else anchor) if part)
        self._add("g", classes, f'<text x="{short(at[0])}" y="{short(at[1])}">{escape(said)}</text>')

    def svg(self) -> Markup:
        """The drawing by itself, with its words for whoever does not see it."""
        head = Markup('<svg class="drawing"{} viewBox="0 0 {} {}" role="img" aria-label="{}">')
        return head.format(self._named(), short(self.width), short(self.height), self.label) + self._body() + _END

    def group(self, at: Point) -> Markup:
        """The same as a part of a larger drawing, with its upper left corner ``at``."""
        head = Markup('<g class="drawing"{} transform="translate({} {})" role="img" aria-label="{}">')
        return head.format(self._named(), short(at[0]), short(at[1]), self.label) + self._body() + _END_OF_GROUP

    def _named(self) -> Markup:
        return Markup(' id="{}"').format(self.id) if self.id else Markup("")

    def _body(self) -> Markup:
        """Neighbours of one kind share an element."""
        return Markup(
            "".join(
                _element(tag, kind, [body for _, _, body in parts])
                for (tag, kind), parts in itertools.groupby(self.parts, key=lambda part: part[:2])
            )
        )

    def _add(self, tag: str, kind: str, body: str) -> None:
        self.parts.append((tag, kind, body))


def _element(tag: str, kind: str, bodies: list[str]) -> str:
    if tag == "path":
        return f'<path class="{kind}" d="{"".join(bodies)}"/>'
    return f'<g class="{kind}">{"".join(bodies)}</g>' if kind else "".join(bodies)


@dataclass(frozen=True)
class Scale:
    """From values to places: linear, or by their logarithm."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value, held inside the scale."""
        value = min(max(value, self.low), self.high)
        share = (
            math.log(value / self.low) / math.log(self.high / self.low)
            if self.log
            else (value - self.low) / (self.high - self.low)
        )
        return self.start + (self.end - self.start) * share


def decades(low: float, high: float) -> list[float]:
    """Powers of ten from the one at or below ``low`` to the one at or above ``high``, two at least."""
    first, last = math.floor(_log10(low)), math.ceil(_log10(high))
    return [float(f"1e{n}") for n in range(first, max(last, first + 1) + 1)]


def short(value: float) -> str:
    """A length with one decimal at most: ``12``, ``12.5``. Last bits of a sum never show."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _log10(value: float) -> float:
    # a power of ten must not come out a hair above or below itself
    return round(math.log10(value), 9)


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points)
