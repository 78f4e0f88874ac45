"""One try at one item: a row of ``raw/<contender>.<suite>.attempts.jsonl``."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import Field

from dmb.contracts.frozen import Frozen, Sha256

Outcome = Literal["valid", "malformed", "truncated", "refused", "failed", "unsupported", "skipped"]

#: In the order in which they are printed; per cell they sum to the expected number of rows.
OUTCOMES: tuple[Outcome, ...] = ("valid", "malformed", "truncated", "refused", "failed", "unsupported", "skipped")


class Usage(Frozen):
    """What one attempt used, as far as the provider says it; None is 'not reported', never 0.

    The input is fresh, read from a cache or written to one; reasoning is inside the output. ``fresh_tokens`` stands
    where a provider counts them by themselves, ``total_tokens`` is its own sum of input and output, ``tier`` the one
    that served, and ``charged_usd`` its bill for this attempt, as its digits say.
    """

    input_tokens: int | None = None
    fresh_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None
    tier: str | None = None
    charged_usd: Decimal | None = None


class Timing(Frozen):
    """``sent_at`` is UTC; the rest are milliseconds. ``request_ms``: first byte sent to last byte received.

    ``connect_ms`` and ``tls_ms`` come before it, where a ``new_connection`` had to be made. ``lag_ms``: how
    long the asking thread was ready and waited for a processor meanwhile; much of it, and the times are this machine's.
    """

    sent_at: str
    request_ms: float | None = None
    first_byte_ms: float | None = None
    connect_ms: float | None = None
    tls_ms: float | None = None
    new_connection: bool | None = None
    client_wait_ms: float = 0.0
    lag_ms: float | None = None


class Failure(Frozen):
    """Why there is no usable reply: ``kind`` as the wire classified it."""

    kind: Literal[
        "rate_limit",
        "overloaded",
        "transport",
        "timeout",
        "authentication",
        "permission",
        "budget",
        "rejected",
        "unsupported",
    ]
    detail: str = ""
    retry_after_s: float | None = None


class Attempt(Frozen):
    """Everything that is needed to recompute what this try came to."""

    cell: str
    contender: str
    suite: str
    item: str
    permutation: int = 0
    repeat: int = 0
    attempt: int
    cause: Literal["first", "failed", "malformed"] = "first"
    request: Sha256
    asker: str
    asker_version: int
    body: str | None = None
    sent: bool | None = Field(
        None, description="whether anything left this process; null where that was not written down"
    )
    status: int | None = None
    reply: str | None = None
    reply_base64: str | None = None
    failure: Failure | None = None
    outcome: Outcome
    reason: str | None = None
    timing: Timing
    simulated: bool = False
    n_scrubbed: int = Field(0, description="how often the credential stood in the reply and was blotted out")
    origin: str | None = None
