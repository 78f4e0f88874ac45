"""JSON as it is written by others, read strictly."""

from __future__ import annotations

import json
from typing import Any

_ESCAPE = "\\u"


class NotJson(ValueError):
    """The text is no JSON that could be trusted; the message says why."""


def read_json(data: bytes | str) -> Any:
    """The value. Raises ``NotJson`` for bad UTF-8, NaN, a key that stands twice, half a surrogate pair, deep nesting."""
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        value = _DECODER.decode(text)
        # half of a surrogate pair is no text: it has no digest and cannot be printed
        if not text.isascii() or _ESCAPE in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except NotJson:
        raise
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except ValueError as e:
        raise NotJson(str(e)[:120]) from None
    return value


def read_object(data: bytes) -> dict[str, Any] | None:
    """The JSON object in a response body; None when it is none."""
    try:
        value = read_json(data)
    except NotJson:
        return None
    return value if isinstance(value, dict) else None


def _refuse_constant(name: str) -> Any:
    raise NotJson(f"{name} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise NotJson("a key stands twice")
    return value


#: Made once: making it takes as long as reading a short reply.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_unique)


def count(value: Any) -> int | None:
    """A token count as it is written: a whole number from 0; anything else is not reported."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
