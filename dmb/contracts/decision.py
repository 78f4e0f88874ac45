"""What the attempts of one item come to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dmb.contracts.attempt import Outcome, Usage
from dmb.contracts.frozen import Frozen

#: What is taken as latency: of a decision, its retries included, and of its last request alone.
LATENCY_SCOPES = ("decision", "request")

ConfidenceKind = Literal["native-probability", "native", "stated", "logprob", "rule"]


class Output(Frozen):
    """One slot's answer. ``value`` is the option id; ``position`` where it stood in the list that was shown.

    ``probabilities``: one per option in the order shown, summing to 1, where the reply has them. They stand in the raw log
    and are not written down again.
    """

    value: str | bool | tuple[str, ...] | None = None
    position: int | None = None
    confidence: float | None = None
    confidence_kind: ConfidenceKind | None = None
    native_confidence: float | None = None
    reason: str | None = None
    probabilities: tuple[float, ...] | None = Field(None, exclude=True, repr=False)


class Decision(Frozen):
    """Primary key: (contender, suite, item, permutation, repeat)."""

    contender: str
    suite: str
    item: str
    permutation: int = 0
    repeat: int = 0
    outcome: Outcome
    reason: str | None = None
    outputs: dict[str, Output] = {}
    n_attempts: int
    latency_ms: float | None = None
    request_latency_ms: float | None = None
    usage: tuple[Usage | None, ...] = ()
    served_model: str | None = None
    simulated: bool = False
