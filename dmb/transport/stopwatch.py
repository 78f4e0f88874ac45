"""A network backend that takes the time at the socket and keeps a request's deadline, drop by drop if need be."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable
from typing import Any

import httpcore

now_ns = time.perf_counter_ns


class Stopwatch(threading.local):
    """The times of this thread's request, in nanoseconds of one clock; None where that did not happen."""

    deadline_ns: int = 0
    connecting: int | None = None
    connected: int | None = None
    securing: int | None = None
    secured: int | None = None
    sent: int | None = None
    first: int | None = None
    last: int | None = None

    def start(self, timeout_s: float) -> None:
        """Forget the request before; this one may last so long."""
        self.__dict__.clear()
        self.deadline_ns = now_ns() + int(timeout_s * 1e9)

    def remaining_s(self, timeout: float | None, error: type[Exception]) -> float:
        """What is left of the request's time. Raises ``error`` when nothing is: a server that sends a byte now and
        then would never meet a time-out that counts from one read to the next."""
        left = (self.deadline_ns - now_ns()) / 1e9
        if left <= 0:
            raise error("the request's time is up")
        return left if timeout is None else min(left, timeout)


class TimedBackend(httpcore.NetworkBackend):
    """Plain TCP, with a stopwatch."""

    def __init__(self, watch: Stopwatch) -> None:
        self._watch, self._inner = watch, httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Open a connection, timed."""
        w = self._watch
        w.connecting = now_ns()
        left = w.remaining_s(timeout, httpcore.ConnectTimeout)
        stream = self._inner.connect_tcp(host, port, left, local_address, socket_options)
        w.connected = now_ns()
        return _TimedStream(stream, w)


class _TimedStream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, watch: Stopwatch) -> None:
        self._inner, self._watch = inner, watch

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        w = self._watch
        data = self._inner.read(max_bytes, w.remaining_s(timeout, httpcore.ReadTimeout))
        w.last = now_ns()
        if w.first is None:
            w.first = w.last
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        w = self._watch
        left = w.remaining_s(timeout, httpcore.WriteTimeout)
        if w.sent is None:
            w.sent = now_ns()
        self._inner.write(buffer, left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        w = self._watch
        w.securing = now_ns()
        left = w.remaining_s(timeout, httpcore.ConnectTimeout)
        secured = self._inner.start_tls(ssl_context, server_hostname, left)
        w.secured = now_ns()
        return _TimedStream(secured, w)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
