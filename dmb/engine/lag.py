"""How long a thread was ready to run and had to wait for a processor, while its attempt was on the wire.

The kernel keeps that sum for every thread (Linux: the second number of ``/proc/thread-self/schedstat``, nanoseconds), so
it takes neither a beat nor a guess. Elsewhere the lag is unknown. A time stamp is late by at most the lag; waiting for
this interpreter's own lock is not in it, and stays below a few milliseconds with a lane's few threads.
"""

from __future__ import annotations

import os
import threading


class LagMeter:
    """The lag of the thread that asks. Each thread keeps its own file open until the thread ends."""

    def __init__(self) -> None:
        self._own = threading.local()

    def read_ns(self) -> int | None:
        """Nanoseconds that this thread has waited for a processor since it began; None where nobody counts them."""
        source = getattr(self._own, "source", None)
        if source is None:
            source = self._own.source = _Source()
        return source.read_ns()


class _Source:
    def __init__(self) -> None:
        try:
            self._fd: int | None = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._fd = None

    def read_ns(self) -> int | None:
        if self._fd is None:
            return None
        try:
            return int(os.pread(self._fd, 100, 0).split()[1])
        except (OSError, ValueError, IndexError):
            return None

    def __del__(self) -> None:
        if self._fd is not None:
            os.close(self._fd)


def lag_ms(before: int | None, after: int | None) -> float | None:
    """Milliseconds between two readings of one thread."""
    return None if before is None or after is None else (after - before + 500) // 1000 / 1000
