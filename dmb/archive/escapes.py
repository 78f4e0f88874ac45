"""A text as it reads, whatever it was escaped for: JSON (within JSON), URLs, HTML, base64. Where each character stood is kept.

For finding words that somebody quotes, not for reading what they say: a broken escape is taken as it stands.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator

#: A pair of UTF-16 halves, one code unit, a short escape, a byte in hex, bytes of a URL, an entity of HTML.
_ESCAPE = re.compile(
    r"\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\+u[0-9a-fA-F]{4}|\\+x[0-9a-fA-F]{2}|\\+[bfnrt/\"']|(?:%(?:25)*[0-9a-fA-F]{2})+"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"
)
_HEX4 = re.compile(r"u([0-9a-fA-F]{4})")
_PERCENT = re.compile(r"%(?:25)*([0-9a-fA-F]{2})")

#: Shorter runs of base64 letters are words. A sha256 in hex is no base64 of anything.
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_DIGEST = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")


def unescaped(text: str) -> str:
    """The text with every escape read."""
    if "\\" not in text and "%" not in text and "&" not in text:
        return text
    return _ESCAPE.sub(lambda m: _read(m[0]), text)


def pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """(as it reads, first character, behind the last) of each character or escape; what reads is that of ``unescaped``."""
    at = 0
    for m in _ESCAPE.finditer(text):
        yield from ((c, n, n + 1) for n, c in enumerate(text[at : m.start()], start=at))
        yield _read(m[0]), m.start(), m.end()
        at = m.end()
    yield from ((c, n, n + 1) for n, c in enumerate(text[at:], start=at))


def _read(escape: str) -> str:
    if escape[0] == "%":
        return bytes(int(h, 16) for h in _PERCENT.findall(escape)).decode("utf-8", "replace")
    if escape[0] == "&":
        return html.unescape(escape)
    bare = escape.lstrip("\\")
    if bare[0] == "u":
        units = b"".join(int(h, 16).to_bytes(2, "big") for h in _HEX4.findall(escape))
        return units.decode("utf-16-be", "replace")
    if bare[0] == "x":
        return chr(int(bare[1:], 16))
    return bare if bare in "/\"'" else " "


def readings(data: bytes) -> Iterator[str]:
    """Every way in which bytes may be read as text: as UTF-8, as UTF-16, and what stands in them as base64."""
    text = as_text(data)
    yield unescaped(text)
    for m in _BASE64.finditer(text):
        yield from _decodings(m[0])


def without_base64(text: str, tells: Callable[[str], bool], mark: str) -> str:
    """The text with the mark in the place of each run of base64 of which a reading ``tells``."""
    return _BASE64.sub(lambda m: mark if any(map(tells, _decodings(m[0]))) else m[0], text)


def _decodings(run: str) -> Iterator[str]:
    if _DIGEST.fullmatch(run):
        return
    # where it begins in the midst of other letters nobody knows
    for start in range(4):
        yield from (unescaped(as_text(found)) for found in _decoded(run[start:]))


def as_text(data: bytes) -> str:
    """UTF-8 or, where every other byte is none of a letter, UTF-16; what is neither is replaced."""
    if data.count(0) * 4 > len(data):
        encoding = "utf-16-le" if data[1::2].count(0) >= data[::2].count(0) else "utf-16-be"
        return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


def _decoded(letters: str) -> Iterator[bytes]:
    letters = letters.rstrip("=")[: len(letters.rstrip("=")) // 4 * 4].replace("-", "+").replace("_", "/")
    try:
        found = base64.b64decode(letters, validate=True)
    except (binascii.Error, ValueError):
        return
    # noise has control characters and no blanks
    if found.count(b" ") * 20 >= len(found) or found.count(b"%20") or found.count(0) * 4 > len(found):
        yield found
