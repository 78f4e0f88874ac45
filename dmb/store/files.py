"""Files that appear whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from json.encoder import encode_basestring
from math import isfinite
from pathlib import Path
from typing import Any

from dmb.canonical import canonical_json
from dmb.errors import DamagedFile


def write_whole(path: Path, data: bytes) -> None:
    """Replace ``path`` in one step; readers see the old bytes or the new ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = write_part(path, data)
    part.replace(path)


def write_once(path: Path, data: bytes) -> None:
    """Create ``path`` whole. Raises ``FileExistsError`` when it is there: such a file is never edited."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = write_part(path, data)
    try:
        os.link(part, path)
    finally:
        part.unlink()


def write_part(path: Path, data: bytes) -> Path:
    """The data on disk beside ``path`` under a name of its own, to be renamed or linked; returns where."""
    # threads and hosts may write the same path at once, so a process id is not enough
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    with part.open("xb") as f:
        f.write(data)
        f.flush()
        os.fsync(f.fileno())
    return part


def file_sha256(path: Path) -> str:
    """64 hex digits over the file's bytes, which are not held together."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def pretty_json(value: Any) -> bytes:
    """Indented, sorted, newline at the end: for files that people open."""
    try:
        text = _pretty(value, "\n")
    except TypeError:
        # keys that are no texts
        text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def json_by_member(value: Mapping[str, Any]) -> bytes:
    """A line for each member, sorted: for files that are long, and looked into now and then."""
    lines = [f"{encode_basestring(name)}: {canonical_json(value[name])}" for name in sorted(value)]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _pretty(value: Any, margin: str) -> str:
    """What ``json.dumps`` gives, in a third of its time: with an indent it does without its C encoder."""
    if isinstance(value, str):
        return encode_basestring(value)
    inner = margin + " "
    if isinstance(value, dict):
        members = [f"{encode_basestring(key)}: {_pretty(value[key], inner)}" for key in sorted(value)]
        return f"{{{inner}{f',{inner}'.join(members)}{margin}}}" if members else "{}"
    if isinstance(value, list | tuple):
        return f"[{inner}{f',{inner}'.join(_pretty(v, inner) for v in value)}{margin}]" if value else "[]"
    return (
        repr(value)
        if type(value) is int or (type(value) is float and isfinite(value))
        else json.dumps(value, allow_nan=False)
    )


def load_json(path: Path) -> Any:
    """The JSON value in a file. Raises ``DamagedFile`` where it holds none."""
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        raise DamagedFile(f"{path}: is damaged: it holds no JSON; put the right file back, or delete it") from None
