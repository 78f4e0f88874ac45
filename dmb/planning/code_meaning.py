"""Digests of DMB's own code, with a memory: reading a syntax tree costs more than all the rest of a plan.

The memory goes by the sha256 of each file's bytes, so it cannot be out of date; it lies in the workflow's scratch folder
and may be lost at any time.
"""

from __future__ import annotations

import contextlib
import json
from functools import cache
from pathlib import Path

import dmb
from dmb.canonical import sha256_hex
from dmb.code_digest import folder_digest
from dmb.store.files import write_whole
from dmb.store.layout import SCRATCH

_PACKAGE = Path(dmb.__file__).parent


@cache
def code_meaning(patterns: tuple[str, ...]) -> str:
    """Digest, by meaning, of the package's files that match any of these patterns."""
    # what reads meanings may itself change
    memory = SCRATCH / f"code-{sha256_hex((_PACKAGE / 'code_digest.py').read_bytes())[:12]}.json"
    known = _load(memory)
    before = len(known)
    digest = folder_digest(_PACKAGE, patterns, known)
    if len(known) != before and SCRATCH.parent.is_dir():
        # a read-only checkout can be planned all the same
        with contextlib.suppress(OSError):
            write_whole(memory, json.dumps(known, sort_keys=True).encode("ascii"))
    return digest


def _load(memory: Path) -> dict[str, str]:
    try:
        known = json.loads(memory.read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
