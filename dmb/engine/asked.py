"""One question put, and the raw answer to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dmb.contracts.attempt import Failure


class Asked(NamedTuple):
    """Times are milliseconds. ``failure``: what was seen before any wire read the reply.

    ``sent``: whether anything left this process; ``n_scrubbed``: how often the credential stood in the reply.
    """

    body: str | None = None
    status: int | None = None
    headers: Mapping[str, str] = {}
    reply: bytes = b""
    failure: Failure | None = None
    request_ms: float | None = None
    first_byte_ms: float | None = None
    connect_ms: float | None = None
    tls_ms: float | None = None
    new_connection: bool | None = None
    client_wait_ms: float = 0.0
    lag_ms: float | None = None
    sent: bool = False
    n_scrubbed: int = 0
