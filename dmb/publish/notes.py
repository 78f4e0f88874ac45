"""Notes that come with numbers, and settings, in words for somebody who does not know how they were computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from dmb.canonical import canonical_json

_NO_INTERVAL = "so no interval is printed"
#: What scoring writes, as a whole part of a note, and what is printed instead.
_WORDS: dict[str, str | Callable[[re.Match[str]], str]] = {
    r"no resample differs: no interval": f"every resample gives the same value, {_NO_INTERVAL}",
    r"one group: no interval": f"there is only one group of rows, {_NO_INTERVAL}",
    r"no cost: no interval": f"there is no cost, {_NO_INTERVAL}",
    r"a label with one (row|group): no interval": rf"some label has only one \1, {_NO_INTERVAL}",
    r"approximate interval": "the interval is approximate: some label has only two rows or groups",
    r"groups drawn whole: an upper floor": "rows of one group are drawn together, so the floor is an upper one",
    r"the estimated square is below 0: taken as 0": "with chance taken off nothing is left",
    r"upper bound not bounded below n = (\d+)": r"n is too small for an upper bound (\1 needed)",
    r"attainable ceiling (\d+)/(\d+): labels absent from the gold score 0": lambda m: _ceiling(int(m[1]), int(m[2])),
}


def in_words(note: str) -> str:
    """Each part of a note that is known in plain words, every other as it is."""
    return "; ".join(_part(part) for part in note.split("; "))


def settings_text(settings: Mapping[str, Any]) -> str:
    """``structured json_schema, temperature 0``: settings by name."""
    return ", ".join(
        f"{key} {value if isinstance(value, str) else canonical_json(value)}" for key, value in sorted(settings.items())
    )


def _part(text: str) -> str:
    for pattern, said in _WORDS.items():
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            return said(match) if callable(said) else match.expand(said)
    return text


def _ceiling(there: int, labels: int) -> str:
    gone = labels - there
    share = f"{there}/{labels} = {there / labels:.3f}" if labels else f"{there}/{labels}"
    return f"at most {share} is attainable: {gone} label{' has' if gone == 1 else 's have'} no item"
