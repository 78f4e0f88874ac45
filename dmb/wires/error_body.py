"""The words of an error body, in the shapes that servers wrap them in. Echoed input is never read."""

from __future__ import annotations

from typing import Any, Literal

from dmb.wires.strict_json import NotJson, read_json

#: A name is a word, not a text; a message is cut so that evidence stays readable.
_NAME, _TEXT = 60, 200


def error_words(data: Any) -> tuple[str, str, str]:
    """(type, code, message) of an error; "" for what is not said.

    Read are ``{"error": {...}}``, ``{"error": "text"}``, ``{"type": "error", "error": {...}}``, a bare ``{"message",
    "type", "code"}``, ``{"detail": text, object or list of objects}``, and any of these as the first of a list. A code
    may be a number. ``status`` stands for a type where a server names its errors so.
    """
    data = _first(data)
    if not isinstance(data, dict):
        return "", "", ""
    error, detail = _first(data.get("error")), _first(data.get("detail"))
    if isinstance(error, dict):
        return _words(error)
    if isinstance(error, str):
        kind, code, _ = _words(data)
        return "" if kind == "error" else kind, code, error
    if isinstance(detail, dict):
        return _words(detail)
    if isinstance(detail, str):
        kind, code, _ = _words(data)
        return kind, code, detail
    return _words(data)


def error_data(body: bytes) -> Any:
    """The body of an error as JSON; None when it is none. Unlike a reply it may be a list."""
    try:
        return read_json(body)
    except NotJson:
        return None


def error_detail(status: int, kind: str, code: str, message: str) -> str:
    """One line for the log and the page: the status, the most telling name, the start of the message."""
    name = (code if code and not code.isdigit() else kind or code)[:_NAME]
    return f"HTTP {status}" + (f" {name}" if name else "") + (f": {message[:_TEXT]}" if message else "")


StatusKind = Literal[
    "authentication", "permission", "budget", "rate_limit", "timeout", "unsupported", "overloaded", "rejected"
]

_KIND_OF_STATUS: dict[int, StatusKind] = {
    401: "authentication",
    402: "budget",
    403: "permission",
    408: "timeout",
    413: "unsupported",
    429: "rate_limit",
    504: "timeout",
}


def kind_of_status(status: int) -> StatusKind:
    """What a status means when nothing else is known: 5xx may pass, the rest that is not in the table will not."""
    return _KIND_OF_STATUS.get(status, "overloaded" if 500 <= status <= 599 else "rejected")


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _words(holder: dict[str, Any]) -> tuple[str, str, str]:
    kind = _text(holder, "type", "error_type", "status")
    return kind, _text(holder, "code"), _text(holder, "message", "msg")


def _text(holder: dict[str, Any], *names: str) -> str:
    """The first of these that is a text or, as codes are, a whole number."""
    for name in names:
        value = holder.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9:
            return str(value)
    return ""
