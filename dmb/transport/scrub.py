"""Blotting out secrets that somebody sends back. What is written down never holds them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from urllib.parse import quote

#: Shorter words stand in ordinary texts: blotting them out would destroy evidence and hide nothing.
SHORTEST_SECRET = 4

BLOT = "[credential]"


class Scrubber:
    """Knows the secrets in the spellings in which a server may repeat them: plain, in JSON, in a URL, in base64."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        spellings = {s for secret in secrets if len(secret) >= SHORTEST_SECRET for s in _spellings(secret)}
        # longest first: a spelling may contain another
        self._known = sorted(spellings, key=len, reverse=True)
        joined = "|".join(re.escape(s) for s in self._known)
        self._bytes = re.compile(joined.encode("utf-8")) if joined else None
        self._text = re.compile(joined) if joined else None

    def bytes(self, data: bytes) -> tuple[bytes, int]:
        """(data without secrets, how many there were)."""
        return self._bytes.subn(BLOT.encode("ascii"), data) if self._bytes is not None else (data, 0)

    def text(self, text: str) -> tuple[str, int]:
        """The same for a text."""
        return self._text.subn(BLOT, text) if self._text is not None else (text, 0)

    def headers(self, headers: Mapping[str, str]) -> tuple[dict[str, str], int]:
        """The same for the values of headers."""
        found = {name: self.text(value) for name, value in headers.items()}
        return {name: value for name, (value, _) in found.items()}, sum(n for _, n in found.values())


def _spellings(secret: str) -> set[str]:
    raw = secret.encode("utf-8")
    encoded = base64.b64encode(raw).decode("ascii").rstrip("=")
    return {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(secret, safe=""),
        # a slash may be escaped in JSON
        secret.replace("/", "\\/"),
        *([encoded] if len(encoded) >= 8 else []),
    }
