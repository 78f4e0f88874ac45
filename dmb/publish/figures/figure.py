"""Drawings under one title, as the page and the report show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dmb.publish.figures.canvas import Canvas
from dmb.publish.figures.simulated import said, title_of


@dataclass(frozen=True)
class Figure:
    """Drawings of one suite. ``name``: what they show, the suite and, where there are several, the slot, with dots between.

    ``kind`` is a class of the sheet that says how wide the drawings are; ``simulated`` has an entry for each cell that is
    drawn. Texts may mark code with backticks.
    """

    name: str
    title: str
    caption: str
    drawings: tuple[Canvas, ...]
    simulated: tuple[bool, ...]
    kind: str = "small"
    remarks: tuple[str, ...] = ()
    #: Whether the figure before it has the same caption.
    caption_repeats: bool = False

    @property
    def id(self) -> str:
        """Its place on the page."""
        return self.name.replace(".", "-")

    @property
    def suite(self) -> str:
        """Whose cells it shows."""
        return suite_of(self.name)

    @property
    def heading(self) -> str:
        """The title, with what part of it is simulated."""
        return title_of(self.title, self.simulated)

    @property
    def bare_heading(self) -> str:
        """The same where code cannot be marked."""
        return self.heading.replace("`", "")

    @property
    def words(self) -> str:
        """All that is said about it, for whoever does not see it; nothing in it is marked."""
        return said(f"{self.title}. {' '.join((self.caption, *self.remarks))}".replace("`", ""), self.simulated)


def suite_of(name: str) -> str:
    """The suite in the name of a figure; empty for any other name."""
    return ".".join(name.split(".")[1:2])


def said_once(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    """The same figures, each with whether its caption is that of the one before."""
    made, before = [], None
    for figure in figures:
        made.append(replace(figure, caption_repeats=figure.caption == before))
        before = figure.caption
    return tuple(made)
