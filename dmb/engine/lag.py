"""How long this process was kept from running while an attempt was on the wire."""

from __future__ import annotations

import threading
import time
from types import TracebackType

#: The meter wants to wake this often while something is in flight.
TICK_S = 0.01

#: Being so late is no lag: sleeping is not more exact than that.
UNSEEN_S = 0.001

now = time.perf_counter


class LagMeter:
    """A thread that wakes on a beat, and measures by how much it is late: late wake-ups are late time stamps.

    It sleeps for good while nothing is in flight.
    """

    def __init__(self, tick_s: float = TICK_S) -> None:
        self._tick_s = tick_s
        self._open: dict[int, float] = {}
        self._last = 0
        self._due = float("inf")
        self._lock = threading.Lock()
        self._busy = threading.Event()
        self._closed = False
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def begin(self) -> int:
        """A token for one attempt."""
        with self._lock:
            self._last += 1
            self._open[self._last] = 0.0
            if not self._busy.is_set():
                self._due = float("inf")
                self._busy.set()
            return self._last

    def end(self, token: int) -> float:
        """The longest lag since that attempt began, in milliseconds."""
        with self._lock:
            # a beat that is late right now has not been measured yet
            worst = max(self._open.pop(token), now() - self._due)
            if not self._open:
                self._busy.clear()
            return round(worst * 1000, 3) if worst > UNSEEN_S else 0.0

    def _beat(self) -> None:
        while not self._closed:
            self._busy.wait()
            self._due = due = now() + self._tick_s
            time.sleep(self._tick_s)
            late = now() - due
            if late > UNSEEN_S:
                with self._lock:
                    for token, worst in self._open.items():
                        self._open[token] = max(worst, late)

    def close(self) -> None:
        """End the thread."""
        self._closed = True
        self._busy.set()
        self._thread.join()

    def __enter__(self) -> LagMeter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
