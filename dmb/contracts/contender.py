"""``data/contenders.toml`` and ``data/providers.toml``: who answers, and who is called."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import Field

from dmb.contracts.frozen import Frozen, Slug


class Display(Frozen):
    """Changes nothing but looks."""

    label: str
    lab: str = ""
    tier: Literal["baseline", "trained baseline", "local", "decision model", "small", "flagship"] = "small"
    notes: str = ""


class Contender(Frozen):
    """One entry. Everything but ``display``, ``local`` and ``retired_on`` is part of the cell key."""

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
    retired_on: dt.date | None = Field(None, description="date from which the provider refuses this name")
    display: Display


class Provider(Frozen):
    """Who is called and billed: one lane each."""

    address: str | None = None
    credential: tuple[str, ...] = Field(
        (), description="environment variables that may hold the key, first one set wins"
    )
    concurrency: int = Field(4, ge=1, le=4)
    billed: bool = True
    limits: dict[str, Any] = {}
    dialect: dict[str, Any] = Field(
        {}, description="what its speaker of a wire calls otherwise: paths, fields, headers"
    )
    notes: str = ""
