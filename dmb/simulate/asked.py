"""A request as it was understood, and why one is refused."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dmb.simulate.draws import Draw
from dmb.simulate.speakers import Speaker

#: What may be wrong with a request, or with the world it meets. How it is said is each provider's own (errors.py).
Condition = Literal[
    "no_key",
    "bad_key",
    "permission",
    "no_money",
    "unknown_model",
    "bad_request",
    "bad_schema",
    "options_over",
    "options_under",
    "context",
    "content_policy",
    "rate_limit",
    "overloaded",
    "internal",
    "timeout",
    "too_large",
    "media_type",
    "no_route",
    "method",
]


class Refused(Exception):
    """Why a request gets an error. ``param``: the field's name, with dots; ``rule``: a word for the broken rule."""

    def __init__(self, condition: Condition, message: str, param: str = "", rule: str = "") -> None:
        super().__init__(message)
        self.condition = condition
        self.message = message
        self.param = param
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Question:
    """One decision that a decision service is asked for. ``options``: what can be chosen, or the levels of a score.

    ``name``: what the answer is called where questions are a list.
    """

    id: str
    kind: Literal["choice", "score", "yes_no"]
    options: tuple[Any, ...]
    draw: Draw
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Understood:
    """What a body asks for. ``texts`` are counted as the prompt; ``options``: how many a prompt of ours numbers."""

    texts: tuple[str, ...]
    questions: tuple[Question, ...] = ()
    form: Literal["text", "json", "schema", "tool"] = "text"
    schema: Mapping[str, Any] | None = None
    tool: str | None = None
    options: int = 0
    output_cap: int | None = None
    reasons: bool = False
    logprobs: int | None = None


@dataclass(slots=True)
class Asked:
    """One request that came in, and when. ``number`` counts all requests of the server, ``attempt`` those with this digest."""

    provider: str
    speaker: Speaker
    wire: str
    shape: str
    model: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    draw: Draw
    at: dt.datetime
    number: int = 0
    attempt: int = 0
    key: str = field(default="", repr=False)

    @property
    def tier(self) -> str | None:
        """The tier that was ordered, in the provider's word; it is the one that serves."""
        word = self.body.get("serviceTier" if self.wire == "generate_content" else "service_tier")
        return word if isinstance(word, str) else None
