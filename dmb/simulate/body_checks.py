"""Checks that several wires share: a field that must be there, one that nobody knows, a number out of range."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dmb.simulate.asked import Refused

_KINDS: dict[type, str] = {str: "a text", dict: "an object", list: "a list", bool: "true or false", int: "an integer"}


def words(text: str) -> frozenset[str]:
    """A set of names, written with spaces between."""
    return frozenset(text.split())


def need(body: Mapping[str, Any], name: str, kind: type, within: str = "") -> Any:
    """The field, which must be there and of that kind."""
    param = f"{within}.{name}" if within else name
    if name not in body:
        raise Refused("bad_request", f"{param}: is required", param, "missing")
    return of_kind(body[name], kind, param)


def of_kind(value: Any, kind: type, param: str) -> Any:
    """The value, which must be of that kind; a bool is no number."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Refused("bad_request", f"{param}: must be {_KINDS[kind]}", param, "wrong_type")
    return value


def only(body: Mapping[str, Any], known: Collection[str], within: str = "") -> None:
    """No field but these."""
    for name in body:
        if name not in known:
            param = f"{within}.{name}" if within else name
            raise Refused("bad_request", f"{param}: unknown field", param, "unknown_parameter")


def number(value: Any, low: float, high: float, param: str) -> float:
    """A number within these bounds, both included."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise Refused("bad_request", f"{param}: must be a number from {low:g} to {high:g}", param, "out_of_range")
    return value


def whole(value: Any, low: int, param: str) -> int:
    """An integer from ``low`` on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise Refused("bad_request", f"{param}: must be an integer from {low} on", param, "out_of_range")
    return value


def one_of(value: Any, words: Collection[str], param: str) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in words:
        raise Refused("bad_request", f"{param}: must be one of {', '.join(sorted(words))}", param, "invalid_value")
    return value


def text_parts(content: Any, param: str, kinds: Collection[str] = ("text",)) -> list[str]:
    """The texts of a message's content: a text, or a list of parts of these types. Other parts are refused."""
    if isinstance(content, str):
        return [content]
    texts = []
    for i, part in enumerate(of_kind(content, list, param)):
        of_kind(part, dict, f"{param}[{i}]")
        one_of(part.get("type"), kinds, f"{param}[{i}].type")
        texts.append(need(part, "text", str, f"{param}[{i}]"))
    return texts
