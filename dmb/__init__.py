"""DMB: an independent, reproducible benchmark of typed decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from dmb.frames.loaded import LoadedRelease

__version__ = "0.1.0"


def load_release(path: str | Path) -> LoadedRelease:
    """A release as pandas frames: ``.cells``, ``.metrics``, ``.decisions`` and ``.attempts``; see ``docs/frames.md``.

    ``path``: name of a release in ``results/``, one of its files, or an archive. Nothing is loaded before this is called.
    """
    from dmb.frames.loaded import load_release

    return load_release(path)
