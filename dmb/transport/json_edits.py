"""Blot out values of a JSON text where they stand: no other byte changes, and what was broken stays broken.

Parsing and writing again would mend what a reader must refuse: keys that stand twice, half a surrogate pair, a number
written like no other. So the text is walked token by token, broken or cut off as it may be.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Protocol

from dmb.transport.identifiers import BLOT
from dmb.wires.strict_json import NotJson, read_json

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+'
_TOKEN = re.compile(_STRING + r'(?:"|\\\Z)?|[{}\[\]:,]|[^\s{}\[\]:,"]++', re.S)
_WHOLE_STRING = re.compile(_STRING + '"', re.S)
_COLON = re.compile(r"\s*+:")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_WORDS = {"null": "null", "true": "false", "false": "false", "NaN": "NaN", "Infinity": "Infinity"}
_WORDS["-Infinity"] = "-Infinity"

#: Python reads no whole number with more digits, and a reader that fails at one is to fail still.
_MOST_DIGITS = 4300

_DECODER = json.JSONDecoder()


class Rules(Protocol):
    """What stays. Names and texts are as they read, without escapes."""

    def keeps_values_of(self, name: str, as_asked: bool) -> bool:
        """Whether values below this name stay."""

    def names_as_asked_below(self, name: str) -> bool:
        """Whether names in an object below this one are of the other kind, ``as_asked``."""

    def shows(self, name: str) -> bool:
        """Whether the name itself stays."""

    def value(self, name: str, text: str) -> str:
        """What stays of a text below a name whose values stay."""

    def text(self, text: str) -> str:
        """What stays of what is no JSON."""


def edit_json(text: str, rules: Rules) -> str:
    """The text with every value gone that no rule keeps: texts blotted, numbers 0, objects and lists empty."""
    return _Walk(text, rules).edited()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: below which name, whether it stays, and whether an object there has names as asked."""

    name: str = ""
    stays: bool = True
    as_asked_below: bool = False


@dataclass(frozen=True, slots=True)
class _Inside:
    """An object or list that was begun. ``next``: the place of a value that has no name of its own."""

    next: _Place
    as_asked: bool = False
    gone: bool = False


class _Walk:
    def __init__(self, text: str, rules: Rules) -> None:
        self._text, self._rules = text, rules
        self._out: list[str] = []
        self._stack = [_Inside(_Place())]
        self._place = _Place()
        self._hidden: dict[str, int] = {}

    def edited(self) -> str:
        at = done = 0
        while (m := _TOKEN.search(self._text, at)) is not None:
            at = m.end()
            new, at = self._token(m[0], m.start(), at)
            self._out += (self._text[done : m.start()], new)
            done = at
        return "".join((*self._out, self._text[done:]))

    def _token(self, token: str, start: int, end: int) -> tuple[str, int]:
        """(what is written in the place of a token, and of what follows up to where)."""
        if token in ("{", "["):
            to_empty = not self._place.stays and not self._stack[-1].gone
            if to_empty and (whole := _end_of_valid(self._text, start)) is not None:
                self._place = self._stack[-1].next
                return ("{}" if token == "{" else "[]"), whole
            self._begin(token == "{")
        elif token in ("}", "]"):
            if len(self._stack) > 1:
                self._stack.pop()
            self._place = self._stack[-1].next
        elif token == ",":
            self._place = self._stack[-1].next
        elif token[0] == '"' and _COLON.match(self._text, end):
            return self._name(token), end
        elif token != ":":
            place, self._place = self._place, self._stack[-1].next
            return (self._string(token, place) if token[0] == '"' else self._bare(token, place)), end
        return token, end

    def _begin(self, is_object: bool) -> None:
        place = self._place
        if is_object:
            # a value without a name has no place in an object
            inside = _Inside(_Place(stays=False), as_asked=place.as_asked_below, gone=not place.stays)
        else:
            inside = _Inside(_Place(place.name, place.stays), gone=not place.stays)
        self._stack.append(inside)
        self._place = inside.next

    def _name(self, token: str) -> str:
        inside, read = self._stack[-1], _read(token)
        name = token if read is None else read
        stays = not inside.gone and self._rules.keeps_values_of(name, inside.as_asked)
        self._place = _Place(name, stays, stays and not inside.as_asked and self._rules.names_as_asked_below(name))
        if self._rules.shows(name):
            return token
        # the same name gets the same number: what stood twice stands twice
        return _blotted(token, f"{BLOT[:-1]} {self._hidden.setdefault(name, len(self._hidden) + 1)}]")

    def _string(self, token: str, place: _Place) -> str:
        if not place.stays:
            return _blotted(token, BLOT)
        read = _read(token)
        if read is None:
            return self._rules.value(place.name, token)
        kept = self._rules.value(place.name, read)
        if kept == read:
            return token
        if any("\ud800" <= c <= "\udfff" for c in read):
            return _blotted(token, BLOT)
        return json.dumps(kept, ensure_ascii=False)

    def _bare(self, token: str, place: _Place) -> str:
        is_number = _NUMBER.fullmatch(token) is not None
        if place.stays:
            return token if is_number or token in _WORDS else self._rules.text(token)
        if is_number:
            return "00" if token.lstrip("-").isdigit() and len(token) > _MOST_DIGITS else "0"
        return _WORDS.get(token, "?")


def _read(token: str) -> str | None:
    """What a string reads; None where it is broken or cut off."""
    try:
        value = json.loads(token)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _blotted(token: str, word: str) -> str:
    """The word in the place of a string, with whatever was wrong with the string."""
    is_utf8 = not any("\udc80" <= c <= "\udcff" for c in token)
    if not is_utf8:
        word += "\udcff"  # the byte 255
    if _WHOLE_STRING.fullmatch(token) is None:
        return f'"{word}'
    read = _read(token)
    if read is None:
        return f'"{word}\\!"'
    if is_utf8 and any("\ud800" <= c <= "\udfff" for c in read):
        word += "\\ud800"
    return f'"{word}"'


def _end_of_valid(text: str, start: int) -> int | None:
    """Where the object or list that begins here ends, if a strict reader takes it; None if not."""
    try:
        _, end = _DECODER.raw_decode(text, start)
        read_json(text[start:end])
    except (NotJson, ValueError, RecursionError):
        return None
    return end
