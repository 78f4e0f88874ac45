"""The network, and nothing else: one call out, one exchange back, timed at the socket."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

#: httpcore's event names that bound a request on the wire (httpcore 1.0).
_SENT = "http11.send_request_headers.started"
_FIRST = "http11.receive_response_headers.complete"
_LAST = "http11.receive_response_body.complete"
_CONNECT = "connection.connect_tcp"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What happened. ``error`` is set when there is no complete response; times are milliseconds."""

    status: int | None
    headers: Mapping[str, str]
    body: bytes
    error: str | None
    timed_out: bool
    request_ms: float | None
    first_byte_ms: float | None
    connect_ms: float | None
    client_wait_ms: float


class Transport:
    """A keep-alive client for one provider. Redirects and environment proxies are never followed."""

    def __init__(self, address: str, timeout_s: float, connections: int) -> None:
        limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
        self._client = httpx.Client(
            base_url=address, timeout=timeout_s, limits=limits, trust_env=False, follow_redirects=False
        )

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """Never raises for what the network or the server does: that is evidence, and is returned."""
        at: dict[str, int] = {}

        def trace(name: str, _info: Any) -> None:
            at[name] = time.perf_counter_ns()

        began = time.perf_counter_ns()
        try:
            r = self._client.request(
                method, path, content=body.encode("utf-8"), headers=dict(headers), extensions={"trace": trace}
            )
        except httpx.HTTPError as e:
            text = f"{type(e).__name__}: {e}" if str(e) else type(e).__name__
            return self._exchange(None, {}, b"", text, isinstance(e, httpx.TimeoutException), at, began)
        return self._exchange(
            r.status_code, {k.lower(): v for k, v in r.headers.items()}, r.content, None, False, at, began
        )

    @staticmethod
    def _exchange(
        status: int | None,
        headers: Mapping[str, str],
        body: bytes,
        error: str | None,
        timed_out: bool,
        at: dict[str, int],
        began: int,
    ) -> Exchange:
        ended = time.perf_counter_ns()

        def between(a: int | None, b: int | None) -> float | None:
            return None if a is None or b is None else round((b - a) / 1e6, 3)

        request_ms = between(at.get(_SENT), at.get(_LAST))
        connect_ms = between(at.get(f"{_CONNECT}.started"), at.get(f"{_CONNECT}.complete"))
        spent = (ended - began) / 1e6 - (request_ms or 0.0) - (connect_ms or 0.0)
        return Exchange(
            status=status,
            headers=headers,
            body=body,
            error=error,
            timed_out=timed_out,
            request_ms=request_ms,
            first_byte_ms=between(at.get(_SENT), at.get(_FIRST)),
            connect_ms=connect_ms,
            client_wait_ms=round(max(0.0, spent), 3),
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
