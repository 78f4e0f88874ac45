"""``data/contenders.toml`` and ``data/providers.toml``: who answers, and who is called."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from dmb.contracts.frozen import FrozenLate, Slug


class Allowance(FrozenLate):
    """At most so much within any stretch of so many hours, as it rolls on."""

    calls: int | None = Field(None, ge=1, strict=True, description="attempts sent")
    tokens: int | None = Field(None, ge=1, strict=True, description="input and output together")
    usd: Decimal | None = Field(None, gt=0)
    hours: float = Field(gt=0, le=24 * 366, strict=True)
    when_used_up: Literal["wait", "stop"] = "wait"

    @model_validator(mode="after")
    def _is_of_one_thing(self) -> Self:
        if sum(amount is not None for amount in (self.calls, self.tokens, self.usd)) != 1:
            raise ValueError("an allowance is of one thing: give calls, tokens or usd")
        return self


class Limits(FrozenLate):
    """How fast somebody may be asked, and how much. Nothing that is answered depends on it."""

    requests_per_minute: int | None = Field(None, ge=1, strict=True)
    tokens_per_minute: int | None = Field(None, ge=1, strict=True, description="input and output together")
    allowances: tuple[Allowance, ...] = ()


class Display(FrozenLate):
    """Changes nothing but looks."""

    label: str
    lab: str = ""
    tier: Literal["baseline", "trained baseline", "local", "decision model", "small", "flagship"] = "small"
    notes: str = ""


class Contender(FrozenLate):
    """One entry. Everything but ``display``, ``limits``, ``local``, ``retired_on`` and ``replaced_by`` is in the cell key."""

    provider: Slug = Field(description="entry of data/providers.toml; `in-process` for a baseline")
    baseline: str | None = Field(None, description="name of an in-process answerer")
    wire: str | None = Field(None, description="name of a request/reply format")
    model: str = Field(description="name the provider knows it by")
    serve: str | None = Field(None, description="command that serves the model on 127.0.0.1:{port}")
    health: str = Field("/health", description="path that answers 200 once the served model is ready")
    env: dict[str, str] = Field({}, description="environment of the served process")
    packages: tuple[str, ...] = Field((), description="installed packages whose versions compute the answer")
    settings: dict[str, Any] = Field(
        {}, description="temperature, reasoning, output cap, seed: as the provider sees them"
    )
    local: bool = Field(False, description="asked on the submitting host even when cells go to a cluster")
    limits: Limits = Field(
        default_factory=Limits, description="of this model alone, beside those of its provider's lane"
    )
    retired_on: dt.date | None = Field(None, description="date from which the provider refuses this name")
    replaced_by: Slug | None = Field(None, description="contender that took the place of a retired one")
    display: Display


class Provider(FrozenLate):
    """Who is called and billed, and in which dialect.

    One lane each, unless several entries are one account under several dialects: then all but one name that one as
    their ``lane``, and its concurrency and limits hold for all of them together.
    """

    address: str | None = None
    credential: tuple[str, ...] = Field(
        (), description="environment variables that may hold the key, first one set wins"
    )
    concurrency: int = Field(4, ge=1, le=4)
    billed: bool = True
    lane: Slug | None = Field(None, description="entry whose lane this one shares; without it, its own")
    limits: Limits = Field(default_factory=Limits)
    dialect: dict[str, Any] = Field(
        {}, description="what its speaker of a wire calls otherwise: paths, fields, headers"
    )
    notes: str = ""


class Lane(FrozenLate):
    """What all cells of one account share: requests in flight, pace, and stops."""

    id: Slug = Field(description="the provider entry that it is named after")
    concurrency: int
    limits: Limits = Field(default_factory=Limits)
