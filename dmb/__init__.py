"""DMB: an independent, reproducible benchmark of typed decisions."""

from __future__ import annotations

__version__ = "0.1.0"


def load_release(path):
    """A release as pandas frames: ``.cells``, ``.metrics``, ``.decisions`` and ``.attempts``; see ``docs/frames.md``.

    ``path``: name of a release in ``results/``, one of its files, or an archive. Nothing is imported before it is called.
    """
    from dmb.frames.loaded import load_release

    return load_release(path)
