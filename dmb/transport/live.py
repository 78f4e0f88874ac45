"""A provider over HTTP/1.1. Redirects and proxies of the environment are never followed.

One connection a thread, a socket of the standard library and a parser in C: a third of the processor time of the usual
client libraries, which on a small machine is the difference between timing the server and timing ourselves.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dmb.transport.connection import Connection
from dmb.transport.exchange import Exchange
from dmb.transport.reply_parser import NotReadable
from dmb.transport.scrub import Scrubber
from dmb.transport.stopwatch import Stopwatch, now_ns
from dmb.turns import NOBODY_ELSE

if TYPE_CHECKING:
    import ssl

#: An error may quote a whole reply; its beginning says enough.
LONGEST_ERROR = 300


class LiveTransport:
    """One provider. Threads share it; each has its own connection."""

    def __init__(
        self,
        address: str,
        timeout_s: float,
        secrets: tuple[str, ...] = (),
        waiting: AbstractContextManager = NOBODY_ELSE,
    ) -> None:
        """``waiting``: what is entered while the server is waited for."""
        self._waiting = waiting
        parts = urlsplit(address)
        self._host, self._prefix = parts.hostname or "", parts.path.rstrip("/")
        self._tls = _tls() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls is not None else 80)
        self._timeout_s = timeout_s
        self._scrub = Scrubber(secrets)
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: list[Connection] = []

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """One request. ``path`` follows the provider's address."""
        watch = Stopwatch(self._timeout_s)
        began = now_ns()
        connection = self._connection()
        try:
            status, received, data = connection.exchange(watch, method, self._prefix + path, body, headers)
        except (OSError, ValueError, NotReadable) as e:
            connection.close()
            name = type(e).__name__
            text = f"{name}: {e}" if str(e) else name
            return self._timed(watch, began, None, {}, b"", text, isinstance(e, TimeoutError))
        return self._timed(watch, began, status, received, data, None, False)

    def _connection(self) -> Connection:
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = Connection(self._host, self._port, self._tls, self._waiting)
            with self._lock:
                self._all.append(connection)
        return connection

    def _timed(
        self,
        w: Stopwatch,
        began: int,
        status: int | None,
        headers: dict[str, str],
        body: bytes,
        error: str | None,
        timed_out: bool,
    ) -> Exchange:
        ended = now_ns()
        request = _ms(w.sent, w.last) if error is None else None
        connect, tls = _ms(w.connecting, w.connected), _ms(w.securing, w.secured)
        body, n_body = self._scrub.bytes(body)
        error, n_error = self._scrub.text(error) if error is not None else (None, 0)
        error = error[:LONGEST_ERROR] if error is not None else None
        headers, n_headers = self._scrub.headers(headers)
        # what ended in an error waited for the network all the time, and nobody knows how long for what
        waited = 0.0 if error is not None else (ended - began) / 1e6 - sum(t or 0.0 for t in (request, connect, tls))
        return Exchange(
            status=status,
            headers=headers,
            body=body,
            error=error,
            timed_out=timed_out,
            sent=w.sent is not None,
            request_ms=request,
            first_byte_ms=_ms(w.sent, w.first) if error is None else None,
            connect_ms=connect,
            tls_ms=tls,
            new_connection=w.connecting is not None,
            client_wait_ms=round(max(0.0, waited), 3),
            n_scrubbed=n_body + n_error + n_headers,
        )

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            for connection in self._all:
                connection.close()


def _ms(a: int | None, b: int | None) -> float | None:
    # to the microsecond, in whole numbers: rounding a float takes twenty times as long
    return None if a is None or b is None else (b - a + 500) // 1000 / 1000


def _tls() -> ssl.SSLContext:
    """Certificates of the system or of SSL_CERT_FILE, and those that ship with Python packages."""
    import ssl

    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
