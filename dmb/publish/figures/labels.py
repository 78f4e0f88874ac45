"""Names beside points, moved apart where they would stand on each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dmb.publish.figures.canvas import Canvas, Point

#: About how wide a letter is, and how high a line, in the small type of the drawings.
_LETTER, _LINE = 5.9, 11.5
_GAP = 8.0
#: Letters of a name that heads a panel: in its own type, and in a smaller one. The tables have longer ones whole.
_LONG, _LONGEST = 27, 33
#: How many of a longer name's letters stand at its end, by preference.
_ENDS = (11, 0, 16, 22, 32)


class Label(NamedTuple):
    """A text that belongs to a point."""

    text: str
    point: Point
    kind: str


class Box(NamedTuple):
    """A text's ground."""

    left: float
    top: float
    right: float
    bottom: float

    def is_in(self, other: Box) -> bool:
        """Whether all of it is ground of the other."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )

    def meets(self, other: Box) -> bool:
        """Whether the two share any ground."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


#: Where its base line begins, its anchor, its ground, and whether it is far from its point.
Place = tuple[Point, str, Box, bool]


def write_name(canvas: Canvas, name: str) -> None:
    """Whose panel this is, at its upper left."""
    canvas.text((0, 11), name, "name" if len(name) <= _LONG else "name long")


def short_names(names: Sequence[str]) -> list[str]:
    """Each at most ``_LONGEST`` characters: longer ones lose the same part, the first one without which all still differ."""
    ways = ([_shortened(name, end) for name in names] for end in _ENDS)
    first = next(ways)
    return next((way for way in (first, *ways) if len(set(way)) == len(set(names))), first)


def _shortened(name: str, end: int) -> str:
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - 1 - end].rstrip()}…{name[len(name) - end :].lstrip()}"


def place_labels(
    labels: Sequence[Label], left: float, right: float, top: float, bottom: float
) -> Iterator[tuple[Label, Point, str, tuple[Point, Point] | None]]:
    """Each label with the place of its base line, its anchor, and a line to its point where that is far.

    The nearest place that is free and inside the bounds; where none is, the one inside that meets fewest others. Highest
    points come first.
    """
    bounds = Box(left - 2, top, right + 2, bottom)
    taken = [Box(x - 5, y - 5, x + 5, y + 5) for _, (x, y), _ in labels]
    for label in sorted(labels, key=lambda label: (label.point[1], label.point[0], label.text)):
        own = labels.index(label)
        others = [box for n, box in enumerate(taken) if n != own]
        at, anchor, box, far = _best(list(_places(label)), bounds, others)
        taken.append(box)
        x, y = label.point
        side = at[0] - 2 if anchor == "start" else at[0] + 2
        yield label, at, anchor, ((x, y), (side, at[1] - 3.5)) if far else None


def _best(places: Sequence[Place], bounds: Box, others: Sequence[Box]) -> Place:
    inside = [place for place in places if place[2].is_in(bounds)]
    free = (place for place in inside if not any(place[2].meets(box) for box in others))
    crowded = min(inside, key=lambda place: sum(place[2].meets(box) for box in others), default=places[0])
    return next(free, crowded)


def _places(label: Label) -> Iterator[Place]:
    """Right, left, above, below; then further and further away."""
    x, y = label.point
    width = _LETTER * len(label.text)
    yield _start(x + _GAP, y, width, far=False)
    yield _end(x - _GAP, y, width, far=False)
    yield _middle(x, y - 11, width)
    yield _middle(x, y + 13, width)
    for step in range(1, 17):
        for sign in (-1, 1):
            yield _start(x + 1.6 * _GAP, y + sign * step * _LINE * 0.75, width, far=True)
            yield _end(x - 1.6 * _GAP, y + sign * step * _LINE * 0.75, width, far=True)


def _start(x: float, y: float, width: float, *, far: bool) -> Place:
    return (x, y + 3.5), "start", _box(x, y, width), far


def _end(x: float, y: float, width: float, *, far: bool) -> Place:
    return (x, y + 3.5), "end", _box(x - width, y, width), far


def _middle(x: float, y: float, width: float) -> Place:
    return (x, y + 3.5), "middle", _box(x - width / 2, y, width), False


def _box(left: float, y: float, width: float) -> Box:
    return Box(left, y - _LINE / 2, left + width, y + _LINE / 2)
