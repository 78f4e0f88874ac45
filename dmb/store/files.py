"""Files that appear whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any

from dmb.errors import DamagedFile


def write_whole(path: Path, data: bytes) -> None:
    """Replace ``path`` in one step; readers see the old bytes or the new ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _write_part(path, data)
    part.replace(path)


def write_once(path: Path, data: bytes) -> None:
    """Create ``path`` whole. Raises ``FileExistsError`` when it is there: such a file is never edited."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _write_part(path, data)
    try:
        os.link(part, path)
    finally:
        part.unlink()


def _write_part(path: Path, data: bytes) -> Path:
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
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def load_json(path: Path) -> Any:
    """The JSON value in a file. Raises ``DamagedFile`` where it holds none."""
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        raise DamagedFile(f"{path}: is damaged: it holds no JSON; put the right file back, or delete it") from None
