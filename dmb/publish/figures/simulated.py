"""What a drawing of simulated answers says of itself: in the picture, in its title and in its words."""

from __future__ import annotations

from collections.abc import Iterable

from dmb.publish.figures.canvas import Canvas


def title_of(title: str, simulated: Iterable[bool]) -> str:
    """The title, with what part of the drawing is simulated."""
    cells = tuple(simulated)
    return f"{title} ({'simulated' if all(cells) else 'partly simulated'})" if any(cells) else title


def said(words: str, simulated: Iterable[bool]) -> str:
    """The words for whoever does not see the drawing."""
    cells = tuple(simulated)
    return f"{'Simulated answers' if all(cells) else 'Partly simulated answers'}. {words}" if any(cells) else words


def watermark(canvas: Canvas) -> None:
    """Across the middle: nobody may crop a drawing of simulated answers and forget the word."""
    canvas.text((canvas.width / 2, canvas.height / 2), "simulated", "watermark", "middle")
