"""Whether a run is still open. No libraries: each job of a cluster asks this while it parses the Snakefile."""

from __future__ import annotations

import os
from pathlib import Path

from dmb.errors import DamagedFile
from dmb.store.files import load_json
from dmb.store.layout import run_dir

#: How the open run reaches its jobs: in the environment, never in a rule's text, which would be part of its job.
RUN_VARIABLE = "DMB_RUN"

#: The mark that stops a whole run: its owner is gone, or has closed it.
OWNER_GONE = "run"


def run_status(run: str) -> str:
    """The manifest's status; a directory without a manifest was killed at birth: ``interrupted``."""
    path = run_dir(run) / "manifest.json"
    try:
        return load_json(path)["status"] if path.exists() else "interrupted"
    except DamagedFile:
        # its rows are evidence all the same; that it was closed is no longer known
        return "interrupted"


def has_ended(run: str) -> bool:
    """Whether nothing more may be asked under it: it is closed, or a start that found its owner gone has stopped it."""
    return run_status(run) != "running" or OWNER_GONE in marks_in(run)


def marks_in(run: str) -> frozenset[str]:
    """Names of a run's marks. The folder is opened, which asks a file server what other hosts have put there."""
    try:
        with os.scandir(stops_dir(run)) as entries:
            return frozenset(e.name for e in entries)
    except FileNotFoundError:
        return frozenset()


def stops_dir(run: str) -> Path:
    """Where stop marks and failure marks of a run lie."""
    return run_dir(run) / "stops"
