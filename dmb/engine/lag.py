"""How long this process was kept from running while an attempt was on the wire."""

from __future__ import annotations

import threading
import time
from types import TracebackType

#: The meter wants to wake this often while something is in flight.
TICK_S = 0.01


class LagMeter:
    """A thread that wakes on a beat, and measures by how much it is late: late wake-ups are late time stamps.

    It sleeps for good while nothing is in flight.
    """

    def __init__(self, tick_s: float = TICK_S) -> None:
        self._tick_s = tick_s
        self._open: dict[int, float] = {}
        self._last = 0
        self._due: float | None = None
        self._wake = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def begin(self) -> int:
        """A token for one attempt."""
        with self._wake:
            self._last += 1
            self._open[self._last] = 0.0
            if len(self._open) == 1:
                self._due = None
                self._wake.notify()
            return self._last

    def end(self, token: int) -> float:
        """The longest lag since that attempt began, in milliseconds."""
        with self._wake:
            worst = self._open.pop(token)
            # a beat that is late right now has not been measured yet
            late = 0.0 if self._due is None else time.perf_counter() - self._due
            return round(max(worst, late, 0.0) * 1000, 3)

    def _beat(self) -> None:
        while True:
            with self._wake:
                while not self._open and not self._closed:
                    self._wake.wait()
                if self._closed:
                    return
                self._due = time.perf_counter() + self._tick_s
            time.sleep(self._tick_s)
            with self._wake:
                if self._due is not None:
                    late = time.perf_counter() - self._due
                    for token, worst in self._open.items():
                        self._open[token] = max(worst, late)
                self._due = None

    def close(self) -> None:
        """End the thread."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join()

    def __enter__(self) -> LagMeter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
