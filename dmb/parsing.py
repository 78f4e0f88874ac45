"""A reply -> outcome and outputs. Nothing is repaired: what does not fit is malformed, with the reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from dmb.canonical import text_digest
from dmb.contracts.attempt import Outcome
from dmb.contracts.decision import Output
from dmb.contracts.reply import RawAnswer, Reply
from dmb.contracts.slot import Slot

#: (option id, digest of its text) in the order shown.
Shown = Sequence[tuple[str, str]]


class Judgement(NamedTuple):
    """What one reply comes to."""

    outcome: Outcome
    reason: str | None
    outputs: dict[str, Output]


class _Malformed(Exception):
    pass


def judge_reply(reply: Reply, shown: Shown, slots: Sequence[Slot]) -> Judgement:
    """The stop reason is looked at before the text: a cut-off or refused reply is never read for an answer."""
    if reply.refused is not None:
        return Judgement("refused", reply.refused, {})
    if reply.truncated is not None:
        return Judgement("truncated", reply.truncated, {})
    if reply.malformed is not None:
        return Judgement("malformed", reply.malformed, {})
    try:
        outputs = {s.id: _slot(reply.answers.get(s.id), shown, s) for s in slots}
    except _Malformed as e:
        return Judgement("malformed", str(e), {})
    return Judgement("valid", None, outputs)


def _slot(answer: RawAnswer | None, shown: Shown, slot: Slot) -> Output:
    if answer is None:
        raise _Malformed(f"{slot.id}: no answer")
    if slot.kind != "choice":
        raise NotImplementedError(f"slot kind {slot.kind}")
    position = _position(answer, shown, slot)
    probabilities = _probabilities(answer.probabilities, shown, slot)
    native = None if answer.confidence is None else _unit(answer.confidence, f"{slot.id}: confidence")
    if probabilities is not None:
        confidence, kind = probabilities[position], "native-probability"
    else:
        confidence, kind = native, answer.confidence_kind or "stated"
    if slot.confidence and confidence is None:
        raise _Malformed(f"{slot.id}: no confidence")
    return Output(
        value=shown[position][0],
        position=position,
        confidence=confidence,
        confidence_kind=kind if confidence is not None else None,
        native_confidence=native if probabilities is not None else None,
        probabilities=None if probabilities is None else tuple(probabilities),
    )


def _position(answer: RawAnswer, shown: Shown, slot: Slot) -> int:
    if answer.label is not None:
        if not isinstance(answer.label, str):
            raise _Malformed(f"{slot.id}: choice is {type(answer.label).__name__}, not a text")
        # by digest, so that evidence can be read again where the texts are not kept
        written = _digest(answer.label, slot)
        where = [i for i, (_, d) in enumerate(shown) if d == written]
        if not where:
            raise _Malformed(f"{slot.id}: choice is none of the options")
        return where[0]
    index = answer.index
    if isinstance(index, bool) or not isinstance(index, int):
        raise _Malformed(f"{slot.id}: choice_index is {type(index).__name__}, not an integer")
    if not 0 <= index < len(shown):
        raise _Malformed(f"{slot.id}: choice_index {index} is outside 0-{len(shown) - 1}")
    return index


def _digest(text: str, slot: Slot) -> str:
    try:
        return text_digest(text)
    except UnicodeEncodeError:
        raise _Malformed(f"{slot.id}: half of a surrogate pair is no text") from None


def _unit(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Malformed(f"{name} is {type(value).__name__}, not a number")
    # NaN is in no range; an integer may be too large to be a float
    if not 0 <= value <= 1:
        raise _Malformed(f"{name} {value} is outside 0-1")
    return float(value)


def _probabilities(written: Any, shown: Shown, slot: Slot) -> list[float] | None:
    """In the order shown, summing to 1. Services round: a sum within max(0.05, n x 0.01) of 1 is renormalised."""
    if written is None:
        return None
    name = f"{slot.id}: probabilities"
    if isinstance(written, dict):
        by_digest = {_digest(k, slot): v for k, v in written.items()}
        if set(by_digest) != {d for _, d in shown}:
            raise _Malformed(f"{name} are not over the options that were sent")
        values = [by_digest[d] for _, d in shown]
    elif isinstance(written, list | tuple):
        values = list(written)
        if len(values) != len(shown):
            raise _Malformed(f"{name} has {len(values)} entries for {len(shown)} options")
    else:
        raise _Malformed(f"{name} is {type(written).__name__}")
    numbers = [_unit(v, name) for v in values]
    total = math.fsum(numbers)
    if abs(total - 1) > max(0.05, len(numbers) * 0.01) or total <= 0:
        raise _Malformed(f"{name} sum to {total:.3f}")
    return [v / total for v in numbers]
