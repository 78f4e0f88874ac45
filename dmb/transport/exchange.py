"""What one request and its response come to, and who can make one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol


class Exchange(NamedTuple):
    """``error`` is set when there is no complete response. Times are milliseconds.

    ``sent``: whether any byte of the request reached the socket; without one, nobody can have worked or charged.
    ``request_ms``: first byte sent to last byte received; ``connect_ms`` and ``tls_ms`` come before it and are None
    where an open connection was used; ``client_wait_ms``: what this process spent beside all of them.
    ``n_scrubbed``: how often a secret stood in what came back and was blotted out.
    """

    status: int | None
    headers: Mapping[str, str] = {}
    body: bytes = b""
    error: str | None = None
    timed_out: bool = False
    sent: bool = True
    request_ms: float | None = None
    first_byte_ms: float | None = None
    connect_ms: float | None = None
    tls_ms: float | None = None
    new_connection: bool = False
    client_wait_ms: float = 0.0
    n_scrubbed: int = 0


class Transport(Protocol):
    """One provider, as seen from here."""

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """Never raises for what the network or the server does: that is evidence, and is returned."""

    def close(self) -> None:
        """Close what is open."""
