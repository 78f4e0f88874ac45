"""One try at one item: a row of ``raw/<contender>.<suite>.attempts.jsonl``."""

from __future__ import annotations

from typing import Literal

from dmb.contracts.frozen import Frozen, Sha256

Outcome = Literal["valid", "malformed", "truncated", "refused", "failed", "unsupported", "skipped"]

#: In the order in which they are printed; per cell they sum to the expected number of rows.
OUTCOMES: tuple[Outcome, ...] = ("valid", "malformed", "truncated", "refused", "failed", "unsupported", "skipped")


class Usage(Frozen):
    """Tokens in disjoint buckets as far as the provider says them; None is 'not reported', never 0."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class Timing(Frozen):
    """``sent_at`` is UTC; the rest are milliseconds. ``request_ms``: first byte sent to last byte received."""

    sent_at: str
    request_ms: float | None = None
    first_byte_ms: float | None = None
    connect_ms: float | None = None
    client_wait_ms: float = 0.0


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
    status: int | None = None
    reply: str | None = None
    reply_base64: str | None = None
    failure: Failure | None = None
    outcome: Outcome
    reason: str | None = None
    timing: Timing
    simulated: bool = False
    origin: str | None = None
