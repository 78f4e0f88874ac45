"""Tables as compact JSON: every text stands once in a list and is named by its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dmb.publish.table import Column, Row, Table, Value

#: Bits of a value's flags.
MUTED, CODE, SIMULATED, NUMERIC = 1, 2, 4, 8


@dataclass
class Strings:
    """A growing list of distinct texts."""

    texts: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def place(self, text: str) -> int:
        """Where this text stands in the list; it is added at the end when it is new."""
        if text not in self.places:
            self.places[text] = len(self.texts)
            self.texts.append(text)
        return self.places[text]


def coded(table: Table, strings: Strings) -> list[Any]:
    """``[id, title, caption, columns, rows, notes, remarks, number of heads]``."""
    place = strings.place
    return [
        place(table.id),
        place(table.title),
        place(table.caption),
        [_column(column, strings) for column in table.columns],
        [_row(row, strings) for row in table.rows],
        [place(note) for note in table.notes],
        [place(remark) for remark in table.remarks],
        table.n_heads,
    ]


def _column(column: Column, strings: Strings) -> list[int]:
    flags = NUMERIC * column.numeric + CODE * column.code
    return [strings.place(column.label), strings.place(column.unit), flags]


def _row(row: Row, strings: Strings) -> list[Any]:
    return [_value(value, strings) for value in row.values]


def _value(value: Value, strings: Strings) -> Any:
    """A place where there is nothing but a text, otherwise ``[text, flags, interval, n, notes, link]`` cut at its end."""
    place = strings.place
    flags = MUTED * value.muted + CODE * value.code + SIMULATED * value.simulated
    parts: list[Any] = [
        place(value.text),
        flags,
        place(value.interval) if value.interval else 0,
        place(value.n) if value.n else 0,
        list(value.notes),
        place(value.link) if value.link else 0,
    ]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts[0] if len(parts) == 1 else parts
