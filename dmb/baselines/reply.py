"""The reply of an in-process contender as logged bytes, and back: the same evidence as a reply from a wire."""

from __future__ import annotations

import json

from dmb.baselines.question import Answer, Unsupported
from dmb.canonical import canonical_json
from dmb.contracts.attempt import Failure
from dmb.contracts.decision import ConfidenceKind
from dmb.contracts.reply import RawAnswer, Reply


def encode(answer: Answer | Unsupported) -> str:
    """The reply text that goes into the log."""
    if isinstance(answer, Unsupported):
        return canonical_json({"unsupported": answer.reason})
    body = {"choice_index": answer.choice_index, "confidence": answer.confidence}
    if answer.probabilities is not None:
        body["probabilities"] = list(answer.probabilities)
    return canonical_json(body)


def read(text: str, slot: str, kind: ConfidenceKind) -> Reply | Failure:
    """The logged reply, read again."""
    body = json.loads(text)
    if "unsupported" in body:
        return Failure(kind="unsupported", detail=body["unsupported"])
    answer = RawAnswer(
        index=body["choice_index"],
        confidence=body["confidence"],
        confidence_kind=kind,
        probabilities=body.get("probabilities"),
    )
    return Reply(answers={slot: answer})
