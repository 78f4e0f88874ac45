"""Canonical JSON and digests: the only bytes that keys are made of."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_LINE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, UTF-8 text as it is, NaN and infinities refused.

    Raises ``ValueError`` for a float that JSON cannot say and ``TypeError`` for a value that is no JSON.
    """
    return _CANONICAL.encode(value)


def json_line(value: Any) -> str:
    """One row of a ``.jsonl`` log: canonical, but ASCII-escaped so that no byte in it can be a line break."""
    return _LINE.encode(value) + "\n"


def sha256_hex(data: bytes) -> str:
    """Hexadecimal sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """sha256 of a JSON value's canonical form, as 64 hex digits."""
    return sha256_hex(canonical_json(value).encode("utf-8"))


def text_digest(text: str) -> str:
    """sha256 of a text's UTF-8 bytes; how texts are named in identity files."""
    return sha256_hex(text.encode("utf-8"))
