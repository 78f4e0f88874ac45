"""Runs that came from an archive: somebody else's spending, and no sign that a ledger was lost."""

from __future__ import annotations

from dmb.store.layout import run_dir

#: In the directory of such a run: which archive it came from.
RESTORED = "restored.json"


def is_restored(run: str) -> bool:
    """Whether the run's directory came from an archive."""
    return (run_dir(run) / RESTORED).exists()
