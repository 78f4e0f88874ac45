"""``dmb verify``: every published number made again from raw bytes, offline. Writes nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dmb.verify.findings import Verification

#: So many cells are named after a file; `--json` has them all.
CELLS_SHOWN = 6


def verify(
    release: Annotated[str, typer.Argument(help="Release, or a published file of it, e.g. results/v2.md.")],
    root: Annotated[
        Path, typer.Option("--root", help="Folder that holds the evidence as a project does: runs/, data/items/.")
    ] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make every published number again from raw bytes, and name each file that says otherwise.

    Exit code: 0 where everything holds, 2 usage, 3 where anything differs, is missing or cannot be traced.
    """
    from dmb.cli.recorded_code import verify_with_recorded_code
    from dmb.cli.target import published_release
    from dmb.errors import EXIT_COMPLETE, EXIT_EXECUTION
    from dmb.store.evidence_root import EvidenceRoot
    from dmb.store.layout import RESULTS
    from dmb.verify.check import verify_release

    show = _Progress(not as_json and sys.stderr.isatty())
    name = published_release(release)
    found = verify_release(name, RESULTS, EvidenceRoot(root), show)
    if found.other_code:
        show("with the code that made it", 0, 1)
        found = verify_with_recorded_code(name, RESULTS, root, found)
    show.end()
    if as_json:
        print(json.dumps(as_dict(found), indent=1))
    else:
        _print(found)
    sys.exit(EXIT_COMPLETE if found.holds else EXIT_EXECUTION)


class _Progress:
    """One line on a terminal that is written over; nothing in a pipe."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, what: str, done: int, of: int) -> None:
        if self._on:
            count = f" {done} of {of}" if of > 1 else ""
            print(f"\r\x1b[Kverifying {what}{count}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave a clean line."""
        if self._on:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def as_dict(found: Verification) -> dict[str, object]:
    """What was found, for a machine."""
    return {
        "release": found.release,
        "verified": found.holds,
        "cells": found.n_cells,
        "cells_scored": found.n_cells_scored,
        "rows": found.n_rows,
        "attempts": found.n_attempts,
        "requests_made_again": found.n_requests,
        "requests_without_text": found.n_requests_without_text,
        "evidence_files": found.n_evidence_files,
        "published_files": found.n_published_files,
        "numbers": found.n_numbers,
        "findings": [{"file": f.file, "problem": f.problem, "cells": f.cell_names()} for f in found.findings],
        "notes": found.notes,
    }


def _print(found: Verification) -> None:
    for finding in found.findings:
        names = finding.cell_names()
        more = f" and {len(names) - CELLS_SHOWN} more" if len(names) > CELLS_SHOWN else ""
        cells = f"; touches {', '.join(names[:CELLS_SHOWN])}{more}" if names else ""
        print(f"{finding.file}: {finding.problem}{cells}")
    for note in found.notes:
        print(f"note: {note}")
    print(
        f"{found.n_cells_scored} of {found.n_cells} cells scored again from {found.n_attempts} attempts on {found.n_rows} rows; "
        f"{found.n_evidence_files} files of evidence looked at"
    )
    print(
        f"{found.n_requests} request digests made again, {found.n_requests_without_text} could not be: their texts are not here"
    )
    print(f"{found.n_published_files} published files made again, with {found.n_numbers} numbers")
    n = len(found.findings)
    print(f"release {found.release}: " + ("verified" if found.holds else f"NOT verified: {n} finding{'s' * (n > 1)}"))
