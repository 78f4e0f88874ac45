"""Time, as an argument: what the engine waits by, and what it reads the hour from."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from typing import NamedTuple


class Clock(NamedTuple):
    """``now``: UTC, aware. ``elapsed_s``: seconds since some moment, never set back. ``sleep``: so many seconds.

    What passes at the socket is real time whatever clock is given.
    """

    now: Callable[[], dt.datetime]
    elapsed_s: Callable[[], float]
    sleep: Callable[[float], None]


REAL = Clock(now=lambda: dt.datetime.now(dt.UTC), elapsed_s=time.monotonic, sleep=time.sleep)
