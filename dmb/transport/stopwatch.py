"""A socket that takes the time of what passes through it and keeps a request's deadline, drop by drop if need be."""

from __future__ import annotations

import io
import socket
import time
from typing import Any

now_ns = time.perf_counter_ns


class Stopwatch:
    """The times of one request, in nanoseconds of one clock; None where that did not happen."""

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


class TimedSocket:
    """As much of a socket as ``http.client`` uses, with the watch of the request that is on it."""

    def __init__(self, inner: socket.socket, watch: Stopwatch) -> None:
        self.inner, self.watch = inner, watch
        self._n_readers, self._closed = 0, False

    def sendall(self, data: bytes) -> None:
        """Send within what is left of the request's time."""
        watch = self.watch
        self.inner.settimeout(watch.left_s())
        if watch.sent is None:
            watch.sent = now_ns()
        self.inner.sendall(data)

    def makefile(self, _mode: str, *_: Any) -> io.BufferedReader:
        """The reply's bytes as they come."""
        self._n_readers += 1
        return io.BufferedReader(_Incoming(self), 65536)

    def close(self) -> None:
        """Close the socket once nobody reads from it: a connection that ends with its reply is closed before the reply
        is read."""
        self._closed = True
        self._close_if_done()

    def reader_closed(self) -> None:
        """One reader less."""
        self._n_readers -= 1
        self._close_if_done()

    def _close_if_done(self) -> None:
        if self._closed and self._n_readers == 0:
            self.inner.close()


class _Incoming(io.RawIOBase):
    def __init__(self, timed: TimedSocket) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._timed.reader_closed()

    def readinto(self, buffer: bytearray) -> int:
        watch = self._timed.watch
        self._timed.inner.settimeout(watch.left_s())
        n = self._timed.inner.recv_into(buffer)
        if n:
            watch.last = now_ns()
            if watch.first is None:
                watch.first = watch.last
        return n
