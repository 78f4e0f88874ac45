"""One keep-alive connection over HTTP/1.1, used by one thread, opened anew whenever it is not fit for another request."""

from __future__ import annotations

import re
import select
import socket
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import dmb
from dmb.transport.reply_parser import ReplyParser
from dmb.transport.stopwatch import Stopwatch, now_ns

if TYPE_CHECKING:
    import ssl

#: Servers close idle connections after five seconds and more; ours are given up before.
IDLE_S = 4.0

#: Where in a request line or a header a byte like this stands, the server would read another request than was meant.
_BREAKS_THE_HEAD = re.compile(r"[\x00-\x1f\x7f]")


class Connection:
    """To one host. ``tls``: None where it is plain. ``waiting``: what is entered while the server is waited for."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None, waiting: AbstractContextManager) -> None:
        self._waiting = waiting
        self._host, self._port, self._tls = host, port, tls
        named = f"[{host}]" if ":" in host else host.encode("idna").decode("ascii")
        usual = 80 if tls is None else 443
        self._authority = named if port == usual else f"{named}:{port}"
        self._socket: socket.socket | None = None
        self._poll = select.poll()
        self._used_ns = 0

    def exchange(
        self, watch: Stopwatch, method: str, path: str, body: str, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers in lower case, body), with the times on ``watch``.

        Raises ``OSError``, ``NotReadable``, and ``ValueError`` for a head that cannot be sent as it is.
        """
        request = self._request(method, path, body, headers)
        if self._socket is not None and self._is_stale():
            self.close()
        if self._socket is None:
            with self._waiting:
                self._socket = self._opened(watch)
            self._poll.register(self._socket, select.POLLIN)
        connection = self._socket
        connection.settimeout(watch.left_s())
        watch.sent = now_ns()
        # head and body at once: one packet less, and nothing that the server could answer half of
        connection.sendall(request)
        reply = ReplyParser()
        while not reply.done:
            connection.settimeout(watch.left_s())
            with self._waiting:
                data = connection.recv(65536)
                if data:
                    watch.last = now_ns()
                    if watch.first is None:
                        watch.first = watch.last
            reply.feed(data)
        assert reply.status is not None
        body_bytes = reply.body()
        if not reply.reusable:
            self.close()
        self._used_ns = now_ns()
        return reply.status, reply.headers, body_bytes

    def _request(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> bytes:
        data = body.encode("utf-8")
        fields = {
            "host": self._authority,
            "accept": "application/json",
            "accept-encoding": "identity",
            "user-agent": f"dmb/{dmb.__version__}",
            "content-length": str(len(data)),
            **headers,
        }
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        if " " in path or any(map(_BREAKS_THE_HEAD.search, lines)):
            # the line itself may hold a credential
            raise ValueError("a space or a control character stands in the path, or a control character in a header")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + data

    def _opened(self, watch: Stopwatch) -> socket.socket:
        """A connection, timed; set-up is no part of a request's time."""
        watch.connecting = now_ns()
        plain = socket.create_connection((self._host, self._port), watch.left_s())
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        watch.connected = now_ns()
        if self._tls is None:
            return plain
        watch.securing = now_ns()
        try:
            plain.settimeout(watch.left_s())
            secured = self._tls.wrap_socket(plain, server_hostname=self._host)
        except OSError:
            plain.close()
            raise
        watch.secured = now_ns()
        return secured

    def _is_stale(self) -> bool:
        """Idle for too long, or closed by the server, or holding bytes that nobody asked for."""
        return now_ns() - self._used_ns > IDLE_S * 1e9 or bool(self._poll.poll(0))

    def close(self) -> None:
        """Close it; the next request opens another."""
        if self._socket is not None:
            self._poll.unregister(self._socket)
            self._socket.close()
            self._socket = None
