"""A keep-alive connection to a provider over HTTP/1.1. Redirects and proxies of the environment are never followed."""

from __future__ import annotations

import gzip
import ssl
import zlib
from collections.abc import Mapping
from urllib.parse import urlsplit

import certifi
import httpcore

import dmb
from dmb.transport.exchange import Exchange
from dmb.transport.scrub import Scrubber
from dmb.transport.stopwatch import Stopwatch, TimedBackend, now_ns

#: An answer to a decision is a few kilobytes; what is larger than this is not read to its end.
LARGEST_REPLY_BYTES = 32 * 1024 * 1024

#: Servers close idle connections after five seconds and more; ours are given up before.
IDLE_S = 4.0

_TIMED_OUT = (httpcore.TimeoutException,)
_BROKEN = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol)


class _NotReadable(Exception):
    """The reply came, and is larger than anybody needs or packed in a way that cannot be undone."""


class LiveTransport:
    """One provider. Threads share it; each sees its own times."""

    def __init__(self, address: str, timeout_s: float, connections: int, secrets: tuple[str, ...] = ()) -> None:
        self._address, self._timeout_s = address.rstrip("/"), timeout_s
        self._watch = Stopwatch()
        self._scrub = Scrubber(secrets)
        self._pool = httpcore.ConnectionPool(
            ssl_context=_tls() if urlsplit(address).scheme == "https" else None,
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=IDLE_S,
            network_backend=TimedBackend(self._watch),
        )

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """One request. ``path`` follows the provider's address."""
        began = now_ns()
        self._watch.start(self._timeout_s)
        try:
            status, received, data = self._exchange(method, path, body, headers)
        except (*_TIMED_OUT, *_BROKEN, _NotReadable, OSError) as e:
            text = f"{type(e).__name__.lstrip('_')}: {e}" if str(e) else type(e).__name__.lstrip("_")
            return self._timed(began, None, {}, b"", text, isinstance(e, _TIMED_OUT))
        return self._timed(began, status, received, data, None, False)

    def _exchange(
        self, method: str, path: str, body: str, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        sent = {"accept": "application/json", "user-agent": f"dmb/{dmb.__version__}", **headers}
        with self._pool.stream(
            method,
            self._address + path,
            headers=[(k.encode("ascii"), v.encode("utf-8")) for k, v in sent.items()],
            content=body.encode("utf-8"),
        ) as response:
            parts, size = [], 0
            for part in response.iter_stream():
                parts.append(part)
                size += len(part)
                if size > LARGEST_REPLY_BYTES:
                    raise _NotReadable(f"the reply is larger than {LARGEST_REPLY_BYTES} bytes")
            received = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in response.headers}
            return response.status, received, _unpacked(b"".join(parts), received.pop("content-encoding", ""))

    def _timed(
        self, began: int, status: int | None, headers: dict[str, str], body: bytes, error: str | None, timed_out: bool
    ) -> Exchange:
        ended = now_ns()
        w = self._watch
        request = _ms(w.sent, w.last) if error is None else None
        connect, tls = _ms(w.connecting, w.connected), _ms(w.securing, w.secured)
        body, n_body = self._scrub.bytes(body)
        error, n_error = self._scrub.text(error) if error is not None else (None, 0)
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
        self._pool.close()


def _ms(a: int | None, b: int | None) -> float | None:
    return None if a is None or b is None else round((b - a) / 1e6, 3)


def _unpacked(body: bytes, encoding: str) -> bytes:
    """Nobody was asked to compress, and some do it all the same."""
    try:
        if encoding == "gzip":
            return gzip.decompress(body)
        if encoding == "deflate":
            return zlib.decompress(body)
    except (OSError, EOFError, zlib.error):
        raise _NotReadable(f"the reply is no {encoding}") from None
    return body


def _tls() -> ssl.SSLContext:
    """Certificates of the system, of SSL_CERT_FILE where it is set, and those that ship with Python packages."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
