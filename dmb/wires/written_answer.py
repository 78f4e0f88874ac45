"""An answer that a language model wrote as JSON: ``{choice_index, confidence}``, or an object of those by slot id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dmb.contracts.reply import RawAnswer
from dmb.wires.strict_json import NotJson, read_json


class NotAnAnswer(ValueError):
    """The text is no answer of the asked form; the message says why."""


def read_text(text: str, slots: Sequence[str]) -> dict[str, RawAnswer]:
    """Answers by slot id. Nothing is repaired: a fence or a word around the JSON makes it no answer.

    Raises ``NotAnAnswer``.
    """
    if not text.strip():
        raise NotAnAnswer("the reply is empty")
    try:
        value = read_json(text)
    except NotJson as e:
        raise NotAnAnswer(f"the reply is no JSON: {e}") from None
    return read_value(value, slots)


def read_value(value: Any, slots: Sequence[str]) -> dict[str, RawAnswer]:
    """The same for an answer that arrived as an object already. Raises ``NotAnAnswer``."""
    if not isinstance(value, dict):
        raise NotAnAnswer(f"the reply is {type(value).__name__}, not an object")
    parts = {slots[0]: value} if len(slots) == 1 else value
    answers = {}
    for slot in slots:
        part = parts.get(slot)
        if not isinstance(part, dict):
            raise NotAnAnswer(f"{slot}: no answer")
        if "choice_index" not in part:
            raise NotAnAnswer(f"{slot}: no choice_index")
        answers[slot] = RawAnswer(
            index=part["choice_index"], confidence=part.get("confidence"), confidence_kind="stated"
        )
    return answers
