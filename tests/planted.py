"""A key that is planted, and the search for it: in every file, in every spelling."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote, quote_plus

#: A key that every way of writing escapes differently.
SECRET = 'sk-Planted\'0123/4567+89="quoted"\\back&amp<tag>%41~end'


def spellings(secret: str = SECRET) -> dict[str, bytes]:
    """Name -> bytes that must be nowhere."""
    raw = secret.encode()
    found = {
        "plain": secret,
        "JSON": json.dumps(secret)[1:-1],
        "JSON with slashes": json.dumps(secret)[1:-1].replace("/", "\\/"),
        "JSON in JSON": json.dumps(json.dumps(secret)[1:-1])[1:-1],
        "URL": quote(secret, safe=""),
        "path": quote(secret),
        "form": quote_plus(secret),
        "Python": repr(raw)[2:-1],
        # a stretch of it that nothing escapes
        "a part": secret[3:10],
        "URL of a part": quote(secret[3:25], safe=""),
    }
    for before in range(3):
        # what does not depend on the bytes around it
        core = base64.b64encode(bytes(before) + raw)[4:-4].decode()
        found[f"base64 after {before}"] = core[:24]
        found[f"base64 for URLs after {before}"] = core[:24].replace("+", "-").replace("/", "_")
    return {name: text.encode() for name, text in found.items()}


def traces(data: bytes) -> list[str]:
    """Spellings of the key in some bytes."""
    return [name for name, spelling in spellings().items() if spelling in data]


def traces_below(folder: Path) -> dict[str, list[str]]:
    """File -> spellings of the key in it or in its name; files without any are left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        data = str(path.relative_to(folder)).encode() + b"\n"
        if path.is_file() and not path.is_symlink():
            data += path.read_bytes()
        if names := traces(data):
            found[str(path.relative_to(folder))] = names
    return found
