"""Blotting out secrets that somebody sends back. What is written down never holds them."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from functools import cached_property

#: Shorter words stand in ordinary texts: blotting them out would destroy evidence and hide nothing.
SHORTEST_SECRET = 4

#: Fewer characters than these of a base64 text may be anything. Any secret of five bytes has more, wherever it stands.
SHORTEST_BASE64 = 6

BLOT = "[credential]"

_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}

#: Without any of these, each character stands as it is.
_ESCAPES = (rb"\\u", rb"\\x", rb"%", rb"&", rb"\x00")


class Scrubber:
    """Knows the secrets in the spellings in which a server may repeat them.

    Each character may stand as it is or escaped: for JSON (``\\u002b``, also within JSON that is a text itself), for a
    URL (``%2B``, ``%252B``), for HTML (``&#43;``). So may each of a secret's base64, alone or amid other data, in either
    alphabet. Bytes may be UTF-16 or UTF-32.
    """

    def __init__(self, secrets: tuple[str, ...]) -> None:
        texts = [t for secret in secrets if len(secret) >= SHORTEST_SECRET for t in (secret, *_base64_cores(secret))]
        # longest first: one may be the beginning of another
        texts = sorted(dict.fromkeys(texts), key=len, reverse=True)
        self._plain = [t.encode("utf-8", "surrogatepass") for t in texts]
        marks = {re.escape(c) for t in texts for c in t if not c.isalnum()}
        escapes = [*_ESCAPES, *(rb"\\" + c.encode("utf-8", "surrogatepass") for c in sorted(marks))]
        self._escapes = re.compile(b"|".join(escapes))
        self._texts = texts

    @cached_property
    def _patterns(self) -> list[re.Pattern[bytes]]:
        """One for each text: a search for any of several would look at every byte, this looks at likely first ones.

        Made when first needed, since it takes some milliseconds.
        """
        chains = ["\\x00{0,3}".join(map(_spellings, text)) for text in self._texts]
        return [re.compile(chain.encode("utf-8", "surrogatepass")) for chain in chains]

    def bytes(self, data: bytes) -> tuple[bytes, int]:
        """(data without secrets, how many there were)."""
        n_all, blot = 0, BLOT.encode("ascii")
        if self._escapes.search(data) is None:
            # the usual case, twenty times as quick
            for word in self._plain:
                if n := data.count(word):
                    data, n_all = data.replace(word, blot), n_all + n
            return data, n_all
        for pattern in self._patterns:
            data, n = pattern.subn(blot, data)
            n_all += n
        return data, n_all

    def text(self, text: str) -> tuple[str, int]:
        """The same for a text."""
        data, n = self.bytes(text.encode("utf-8", "surrogatepass"))
        return data.decode("utf-8", "surrogatepass"), n

    def headers(self, headers: Mapping[str, str]) -> tuple[dict[str, str], int]:
        """The same for the values of headers."""
        if self.text("\n".join(headers.values()))[1] == 0:
            return dict(headers), 0
        found = {name: self.text(value) for name, value in headers.items()}
        return {name: value for name, (value, _) in found.items()}, sum(n for _, n in found.values())


def _spellings(character: str) -> str:
    """A pattern for one character in every spelling. Each alternative begins with a literal, which keeps searches quick."""
    code = f"{ord(character):x}"
    # what JSON and Python write of a character, after any number of backslashes: texts are quoted within texts
    escaped = [f"\\\\\\\\*u{_hex(half)}" for half in _utf16(character)]
    # what is longer is tried first, so that nothing of an escape is left behind
    forms = ["".join(escaped), f"&#0*{ord(character)};", f"&#[xX]0*{_hex(code)};"]
    if ord(character) < 256:
        forms.append(f"\\\\\\\\*x{_hex(code.zfill(2))}")
    forms.append("".join(f"%(?:25)*{_hex(f'{b:02x}')}" for b in character.encode("utf-8")))
    if character in _ENTITIES:
        forms.append(f"&{_ENTITIES[character]};")
    if not character.isalnum():
        forms.append("\\\\\\\\*" + ("" if character == "\\" else re.escape(character)))
    forms.append(re.escape(character))
    return f"(?:{'|'.join(dict.fromkeys(forms))})"


def _hex(digits: str) -> str:
    """In capitals or not."""
    return "".join(f"[{d}{d.upper()}]" if d.isalpha() else d for d in digits)


def _utf16(character: str) -> list[str]:
    """Hex of its one or two code units."""
    data = character.encode("utf-16-be", "surrogatepass")
    return [data[i : i + 2].hex() for i in range(0, len(data), 2)]


def _base64_cores(secret: str) -> list[str]:
    """What base64, in either alphabet, makes of a secret after 0, 1 or 2 bytes of something else, without the
    characters that depend on its neighbours."""
    raw = secret.encode("utf-8", "surrogatepass")
    cores = []
    for before in range(3):
        whole = base64.b64encode(bytes(before) + raw).decode("ascii")
        core = whole[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
        if len(core) >= SHORTEST_BASE64:
            cores += [core, core.replace("+", "-").replace("/", "_")]
    return cores
