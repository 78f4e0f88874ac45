"""A keep-alive connection to a provider over HTTP/1.1. Redirects and proxies of the environment are never followed.

It stands on the standard library's ``http.client``, with one connection a thread: a third of the processor time of the
libraries above it, which on a small machine is the difference between timing the server and timing ourselves.
"""

from __future__ import annotations

import http.client
import select
import socket
import ssl
import threading
import zlib
from collections.abc import Mapping
from urllib.parse import urlsplit

import dmb
from dmb.transport.exchange import Exchange
from dmb.transport.scrub import Scrubber
from dmb.transport.stopwatch import Stopwatch, TimedSocket, now_ns

#: An answer to a decision is a few kilobytes; what is larger than this is not read to its end.
LARGEST_REPLY_BYTES = 32 * 1024 * 1024

#: Encodings that can be undone, with zlib's own number for each.
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}

#: An error may quote a whole reply; its beginning says enough.
LONGEST_ERROR = 300

#: So often a server may say that it is still at work.
MOST_INTERIM_REPLIES = 100

#: Servers close idle connections after five seconds and more; ours are given up before.
IDLE_S = 4.0


class _NotReadable(Exception):
    """The reply came, and is larger than anybody needs or packed in a way that cannot be undone."""


class LiveTransport:
    """One provider. Threads share it; each has its own connection."""

    def __init__(self, address: str, timeout_s: float, secrets: tuple[str, ...] = ()) -> None:
        parts = urlsplit(address)
        self._host, self._prefix = parts.hostname or "", parts.path.rstrip("/")
        self._tls = _tls() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls is not None else 80)
        self._timeout_s = timeout_s
        self._scrub = Scrubber(secrets)
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: list[_Connection] = []

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """One request. ``path`` follows the provider's address."""
        watch = Stopwatch(self._timeout_s)
        began = now_ns()
        connection = self._connection()
        try:
            status, received, data = connection.exchange(watch, method, self._prefix + path, body, headers)
        # a ValueError is what the standard library makes of a chunk that has no size
        except (OSError, http.client.HTTPException, ValueError, _NotReadable) as e:
            connection.close()
            name = type(e).__name__.lstrip("_")
            text = f"{name}: {e}" if str(e) else name
            return self._timed(watch, began, None, {}, b"", text, isinstance(e, TimeoutError))
        return self._timed(watch, began, status, received, data, None, False)

    def _connection(self) -> _Connection:
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = _Connection(self._host, self._port, self._tls)
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


class _Response(http.client.HTTPResponse):
    """A reply, with what a server says before it (102, 103 …) read past: the library stops at any of them but 100, and the
    reply itself would then be taken for that to the next request."""

    def _read_status(self) -> tuple[str, int, str]:
        for _ in range(MOST_INTERIM_REPLIES):
            version, status, reason = super()._read_status()
            if not 101 < status < 200:
                return version, status, reason
            while self.fp.readline(65537) not in (b"\r\n", b"\n", b""):
                pass
        raise http.client.HTTPException(f"more than {MOST_INTERIM_REPLIES} interim replies")


class _Connection(http.client.HTTPConnection):
    """One thread's connection, opened anew whenever the last one is not fit for another request."""

    response_class = _Response

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None) -> None:
        super().__init__(host, port)
        if tls is not None:
            self.default_port = 443
        self._tls = tls
        self._watch: Stopwatch | None = None
        self._used_ns = 0
        self._held: list[bytes] = []

    def connect(self) -> None:
        """Open a connection, timed; set-up is no part of a request's time."""
        watch = self._watch
        assert watch is not None
        watch.connecting = now_ns()
        plain = socket.create_connection((self.host, self.port), watch.left_s())
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        watch.connected = now_ns()
        if self._tls is not None:
            watch.securing = now_ns()
            plain.settimeout(watch.left_s())
            plain = self._tls.wrap_socket(plain, server_hostname=self.host)
            watch.secured = now_ns()
        self.sock = TimedSocket(plain, watch)

    def send(self, data: bytes) -> None:
        """Hold back until the request is whole."""
        self._held.append(data)

    def exchange(
        self, watch: Stopwatch, method: str, path: str, body: str, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers in lower case, body). Raises what the network and the server make it raise."""
        self._watch = watch
        if self.sock is not None:
            if self._is_stale():
                self.close()
            else:
                self.sock.watch = watch
        sent = {"accept": "application/json", "user-agent": f"dmb/{dmb.__version__}", **headers}
        self._held = []
        self.request(method, path, body.encode("utf-8"), sent)
        if self.sock is None:
            self.connect()
        # head and body at once: one packet less, and nothing that the server could answer half of
        self.sock.sendall(b"".join(self._held))
        response = self.getresponse()
        received = {name.lower(): value for name, value in response.getheaders()}
        data = _unpacked(_whole(response), received.pop("content-encoding", ""))
        if response.will_close or response.status < 200:
            self.close()
        self._used_ns = now_ns()
        return response.status, received, data

    def _is_stale(self) -> bool:
        """Idle for too long, or closed by the server, or holding bytes that nobody asked for."""
        if now_ns() - self._used_ns > IDLE_S * 1e9:
            return True
        poll = select.poll()
        poll.register(self.sock.inner, select.POLLIN)
        return bool(poll.poll(0))


def _whole(response: http.client.HTTPResponse) -> bytes:
    """The body to its end. Raises where it is cut off or too large."""
    if response.length is not None and response.length <= LARGEST_REPLY_BYTES:
        return response.read()
    data = response.read(LARGEST_REPLY_BYTES + 1) if response.length is None else None
    if data is None or len(data) > LARGEST_REPLY_BYTES:
        raise _NotReadable(f"the reply is larger than {LARGEST_REPLY_BYTES} bytes")
    return data


def _ms(a: int | None, b: int | None) -> float | None:
    return None if a is None or b is None else round((b - a) / 1e6, 3)


def _unpacked(body: bytes, encoding: str) -> bytes:
    """Nobody was asked to compress, and some do it all the same. What cannot be read could not be scrubbed either."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return body
    if name not in _WINDOWS:
        raise _NotReadable(f"the reply is packed as {encoding!r}, which nobody asked for")
    packed = zlib.decompressobj(_WINDOWS[name])
    try:
        data = packed.decompress(body, LARGEST_REPLY_BYTES + 1)
    except zlib.error:
        raise _NotReadable(f"the reply is no {name}") from None
    if len(data) > LARGEST_REPLY_BYTES:
        raise _NotReadable(f"the reply is larger than {LARGEST_REPLY_BYTES} bytes")
    if not packed.eof:
        raise _NotReadable(f"the reply is no whole {name}")
    return data


def _tls() -> ssl.SSLContext:
    """Certificates of the system or of SSL_CERT_FILE, and those that ship with Python packages."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
