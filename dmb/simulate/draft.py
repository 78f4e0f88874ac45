"""A reply in the making: what was answered and how it is told, so that a fault can change one thing of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from dmb.simulate.answers import Answer
from dmb.simulate.asked import Asked, Refused, Understood
from dmb.simulate.tokens import Tokens
from dmb.simulate.written import as_text

#: Why the model stopped. Each wire has its own word for each.
Stop = Literal["answered", "length", "refusal", "content_filter"]


@dataclass(slots=True)
class Delivery:
    """How the bytes leave. ``cut_at``: so many bytes of the body are sent before the ``ending``.

    ``drip_bytes`` at a time, with ``drip_ms`` between, when set.
    """

    delay_ms: float = 0.0
    drip_bytes: int = 0
    drip_ms: float = 0.0
    ending: Literal["whole", "reset", "close"] = "whole"
    cut_at: int | None = None


@dataclass(slots=True)
class Draft:
    """``value``: what a language model answers, before it is written down. ``answers``: of a decision service, by question.

    ``write``: edits of the written answer; ``around``: a text beside an answer that is an object of its own. ``edit``:
    edits of the reply's JSON; ``bytes``: of what is sent. ``error``: takes the place of the reply, and ``force_status``
    of that error's status. ``raw``: (status, content type, body) in the place of everything. ``worked``: whether the
    model did its work, which is what is billed. ``charge_usd``: what the bill says of it.
    """

    asked: Asked
    understood: Understood
    tokens: Tokens
    model: str
    value: Any = None
    answers: dict[str, Answer] = field(default_factory=dict)
    stop: Stop = "answered"
    reasoning: str = ""
    around: str = ""
    content_type: str = "application/json"
    headers: list[tuple[str, str]] = field(default_factory=list)
    write: list[Callable[[str], str]] = field(default_factory=list)
    edit: list[Callable[[dict[str, Any]], None]] = field(default_factory=list)
    bytes: list[Callable[[bytes], bytes]] = field(default_factory=list)
    delivery: Delivery = field(default_factory=Delivery)
    error: Refused | None = None
    force_status: int | None = None
    raw: tuple[int, str, bytes] | None = None
    worked: bool = True
    charge_factor: Decimal = Decimal(1)
    charge_usd: Decimal | None = None


def written_text(draft: Draft) -> str:
    """The answer as the model wrote it, with the edits of the scenario."""
    text = as_text(draft.value)
    for edit in draft.write:
        text = edit(text)
    return text
