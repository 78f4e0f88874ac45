"""A table before it is spelled: the same one becomes Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

#: Stands beside everything that shows an answer that no model gave.
SIMULATED_MARK = "◇"
SIMULATED_CAPTION = "◇ simulated answers: they come from a script, and no model was asked."


@dataclass(frozen=True)
class Value:
    """What stands in one place. ``text`` is the number or word; the rest is set in smaller type where there is any.

    ``link`` and ``shade`` are for the page: an anchor in it, and how far the place is tinted, from 0 to 10.
    """

    text: str
    interval: str = ""
    n: str = ""
    notes: tuple[int, ...] = ()
    simulated: bool = False
    muted: bool = False
    code: bool = False
    whisker: tuple[float, float, float] | None = None
    link: str = ""
    shade: int | None = None


@dataclass(frozen=True)
class Column:
    """A column's head. ``unit`` is set in smaller type below it."""

    label: str
    numeric: bool = True
    unit: str = ""
    code: bool = False


@dataclass(frozen=True)
class Row:
    """Values from left to right. With ``span`` only the heads are there and the text runs over the rest.

    ``anchor``: the row's own address in the page.
    """

    values: tuple[Value, ...]
    span: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Table:
    """``n_heads`` leading columns name the row; ``notes`` are numbered from 1; ``remarks`` stand under the table.

    ``about`` is a longer text on what was measured, to be folded. ``unit`` is that of every number in it, where there is one.
    """

    id: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    n_heads: int = 1
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    about: str = ""
    unit: str = ""
    kind: Literal["wide", "matrix", "heat", "pairs"] = "wide"

    @property
    def simulated(self) -> bool:
        """Whether any value shows a simulated answer."""
        return any(value.simulated for row in self.rows for value in row.values)


@dataclass
class Notes:
    """Footnotes of one table: the same reason gets the same number."""

    texts: list[str] = field(default_factory=list)

    def mark(self, text: str) -> tuple[int, ...]:
        """The number of this reason, as ``Value.notes`` wants it."""
        if text not in self.texts:
            self.texts.append(text)
        return (self.texts.index(text) + 1,)


def cell_anchor(contender: str, suite: str) -> str:
    """Address of a cell in the page; without scripts it leads to the cell's row in the coverage table."""
    return f"cell/{contender}/{suite}"


def literal(text: str) -> str:
    """A name from data that may stand in our own prose, where backticks mark code."""
    return text.replace("`", "ˋ")


def words(parts: Iterable[str], nothing: str = "none") -> str:
    """``a, b, c``, or the word for an empty list."""
    return ", ".join(parts) or nothing
