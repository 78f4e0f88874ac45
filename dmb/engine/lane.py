"""A provider's lane: so many requests in flight at once, over all cells, processes and hosts of a project."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dmb.engine.stopped import Stopped
from dmb.kernel_lock import KernelLock

#: How often a full lane is looked at again.
POLL_S = 0.003


class Lane:
    """Slots are locks of the operating system in ``folder``: they end with the process that holds them."""

    def __init__(
        self, folder: Path, slots: int, sleep: Callable[[float], None], may_ask: Callable[[], str | None]
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._locks = [KernelLock(folder / f"slot.{n}") for n in range(slots)]
        self._free = list(range(slots))
        self._guard = threading.Lock()
        self._sleep, self._may_ask = sleep, may_ask

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a free slot and hold it. Raises ``Stopped`` for a stop that comes while waiting."""
        while (mine := self._take()) is None:
            self._sleep(POLL_S)
            if (reason := self._may_ask()) is not None:
                raise Stopped(reason)
        try:
            yield
        finally:
            self._locks[mine].release()
            with self._guard:
                self._free.append(mine)

    def _take(self) -> int | None:
        with self._guard:
            for n in self._free:
                if self._locks[n].try_acquire():
                    self._free.remove(n)
                    return n
        return None

    def close(self) -> None:
        """Give the slots up."""
        for lock in self._locks:
            lock.close()
