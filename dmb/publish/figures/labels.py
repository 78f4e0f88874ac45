"""Names beside points, moved apart where they would stand on each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dmb.publish.figures.canvas import Point

#: About how wide a letter is, and how high a line, in the small type of the drawings.
_LETTER, _LINE = 5.9, 11.5
_GAP = 8.0


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

    def meets(self, other: Box) -> bool:
        """Whether the two share any ground."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def place_labels(
    labels: Sequence[Label], left: float, right: float, top: float, bottom: float
) -> Iterator[tuple[Label, Point, str, tuple[Point, Point] | None]]:
    """Each label with the place of its base line, its anchor, and a line to its point where that is far.

    The nearest place that is free and inside the bounds; the first one where none is. Highest points come first.
    """
    taken = [Box(x - 5, y - 5, x + 5, y + 5) for _, (x, y), _ in labels]
    for label in sorted(labels, key=lambda label: (label.point[1], label.point[0], label.text)):
        own = labels.index(label)
        others = [box for n, box in enumerate(taken) if n != own]
        places = list(_places(label))
        free = (
            found
            for found in places
            if found[2].left >= left - 2
            and found[2].right <= right + 2
            and found[2].top >= top
            and found[2].bottom <= bottom
            and not any(found[2].meets(box) for box in others)
        )
        at, anchor, box, far = next(free, places[0])
        taken.append(box)
        x, y = label.point
        side = at[0] - 2 if anchor == "start" else at[0] + 2
        yield label, at, anchor, ((x, y), (side, at[1] - 3.5)) if far else None


def _places(label: Label) -> Iterator[tuple[Point, str, Box, bool]]:
    """Right, left, above, below; then further and further away."""
    x, y = label.point
    width = _LETTER * len(label.text)
    yield _start(x + _GAP, y, width, far=False)
    yield _end(x - _GAP, y, width, far=False)
    yield _middle(x, y - 11, width)
    yield _middle(x, y + 13, width)
    for step in range(1, 9):
        for sign in (-1, 1):
            yield _start(x + 1.6 * _GAP, y + sign * step * _LINE * 0.75, width, far=True)
            yield _end(x - 1.6 * _GAP, y + sign * step * _LINE * 0.75, width, far=True)


def _start(x: float, y: float, width: float, *, far: bool) -> tuple[Point, str, Box, bool]:
    return (x, y + 3.5), "start", _box(x, y, width), far


def _end(x: float, y: float, width: float, *, far: bool) -> tuple[Point, str, Box, bool]:
    return (x, y + 3.5), "end", _box(x - width, y, width), far


def _middle(x: float, y: float, width: float) -> tuple[Point, str, Box, bool]:
    return (x, y + 3.5), "middle", _box(x - width / 2, y, width), False


def _box(left: float, y: float, width: float) -> Box:
    return Box(left, y - _LINE / 2, left + width, y + _LINE / 2)
