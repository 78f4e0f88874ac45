"""A recording: one request to one provider, and the exchanges that it led to, in their order."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from dmb.contracts.frozen import FrozenLate, Sha256, Slug


class RecordedRequest(FrozenLate):
    """What was asked. Headers, and so the credential, are no part of it."""

    provider: Slug
    method: str
    path: str = Field(description="behind the provider's address")
    body: str


class RecordedExchange(FrozenLate):
    """What came back, as far as it may be written down. A body that is no UTF-8 stands in ``body_base64``."""

    status: int | None = Field(None, strict=True)
    headers: dict[str, str] = {}
    body: str | None = None
    body_base64: str | None = Field(None, description="standard alphabet, padded")
    error: str | None = Field(None, description="why there is no complete response")
    timed_out: bool = Field(False, strict=True)
    sent: bool = Field(True, strict=True, description="whether any byte of the request had left")
    expected: dict[str, Any] | None = Field(
        None, description="what a test expects a reader to make of it; replaying looks at none of it"
    )


class Recording(FrozenLate):
    """One file. The nth exchange answers the nth time that the request is sent."""

    key: Sha256
    request: RecordedRequest
    exchanges: tuple[RecordedExchange, ...]
