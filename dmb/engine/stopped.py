"""How a stop travels through the engine."""

from __future__ import annotations


class Stopped(Exception):
    """Nothing more may be asked in this cell; the text is the stop reason."""


class LaneStopped(Stopped):
    """The provider is asked nothing more in this run."""


class EveryLaneStopped(Stopped):
    """Nobody who sends a bill is asked any more in this run."""
