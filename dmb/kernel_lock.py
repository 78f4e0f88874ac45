"""A lock of the operating system on a file that stays open: a microsecond where opening it each time costs a hundred.

For the places that lock for every request. Elsewhere ``filelock`` does the same with more comfort.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path


def is_held(lock: Path) -> bool:
    """Whether a living process holds this lock file; not where there is none, and where it cannot be told it counts as held.

    Nothing is written, and the lock is not taken but shared for an instant: others may look at the same time.
    """
    try:
        fd = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


class KernelLock:
    """One holder among all processes that open the file, on every host that shares it; it ends with its process.

    Not for threads: they share the open file, and so the lock. Raises ``OSError`` where the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def try_acquire(self) -> bool:
        """Whether it is held now."""
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def try_for(self, seconds: float) -> bool:
        """The same, looking again and again for so long."""
        until = time.monotonic() + seconds
        while not (held := self.try_acquire()) and time.monotonic() < until:
            time.sleep(0.01)
        return held

    def acquire(self) -> None:
        """Wait until it is held. The kernel wakes whoever waits; nobody polls."""
        fcntl.flock(self._fd, fcntl.LOCK_EX)

    def release(self) -> None:
        """Let go."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go for good."""
        os.close(self._fd)
