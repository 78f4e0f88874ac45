"""The reply of an in-process contender as logged bytes, and back: the same evidence as a reply over HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dmb.canonical import canonical_json
from dmb.contracts.attempt import Failure
from dmb.contracts.decision import ConfidenceKind
from dmb.contracts.reply import RawAnswer, Reply


def encode_answer(
    choice_index: int, confidence: float, kind: ConfidenceKind, probabilities: Sequence[float] | None
) -> bytes:
    """The reply that is logged. ``probabilities`` follow the order shown."""
    body: dict[str, Any] = {"choice_index": choice_index, "confidence": confidence, "confidence_kind": kind}
    if probabilities is not None:
        body["probabilities"] = list(probabilities)
    return canonical_json(body).encode("utf-8")


def encode_unsupported(reason: str) -> bytes:
    """The reply of a method that has no answer to this question by design."""
    return canonical_json({"unsupported": reason}).encode("utf-8")


def read(body: bytes, slot: str) -> Reply | Failure:
    """The logged reply, read again."""
    data = json.loads(body)
    if "unsupported" in data:
        return Failure(kind="unsupported", detail=data["unsupported"])
    answer = RawAnswer(
        index=data["choice_index"],
        confidence=data["confidence"],
        confidence_kind=data["confidence_kind"],
        probabilities=data.get("probabilities"),
    )
    return Reply(answers={slot: answer})
