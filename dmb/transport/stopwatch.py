"""The times of one request, and its deadline."""

from __future__ import annotations

import time

now_ns = time.perf_counter_ns


class Stopwatch:
    """Nanoseconds of one clock; None where that did not happen."""

    __slots__ = ("connected", "connecting", "deadline_ns", "first", "last", "secured", "securing", "sent")

    def __init__(self, timeout_s: float) -> None:
        self.deadline_ns = now_ns() + int(timeout_s * 1e9)
        self.connecting = self.connected = self.securing = self.secured = None
        self.sent = self.first = self.last = None

    connecting: int | None
    connected: int | None
    securing: int | None
    secured: int | None
    sent: int | None
    first: int | None
    last: int | None

    def left_s(self) -> float:
        """What is left of the request's time. Raises ``TimeoutError`` when nothing is: a server that sends a byte now
        and then would never meet a time-out that counts from one read to the next."""
        left = (self.deadline_ns - now_ns()) / 1e9
        if left <= 0:
            raise TimeoutError("the request's time is up")
        return left
