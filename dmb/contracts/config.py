"""``config.yaml``: the releases that are built, and the knobs of the protocol."""

from __future__ import annotations

from decimal import Decimal
from typing import Self

from pydantic import Field, model_validator

from dmb.contracts.frozen import FrozenLate, Slug


class Release(FrozenLate):
    """Suites x contenders that are published together."""

    title: str = Field(min_length=1)
    suites: tuple[str, ...] = Field(min_length=1)
    contenders: tuple[str, ...] = Field(min_length=1)
    limit: int | None = Field(
        None, ge=1, strict=True, description="ask a seeded subset of so many items of each suite: a smoke release"
    )
    nonce: str | None = Field(None, min_length=1, description="a new word here demands fresh answers")


class Protocol(FrozenLate):
    """Knobs that the protocol leaves open. The version is in every cell key."""

    version: int = Field(3, ge=1, le=1_000_000, strict=True)
    repeats: int = Field(1, ge=1, le=9, strict=True)
    cell_deadline_s: int = Field(2000, ge=1, le=7 * 86_400, strict=True)
    retry_failed: int = Field(1, ge=0, le=1, strict=True)
    backoff_s: float = Field(1.0, ge=0, le=3600)
    request_timeout_s: float = Field(60.0, gt=0, le=3600)


class Budget(FrozenLate):
    """US dollars a release may spend."""

    soft_usd: Decimal = Field(Decimal(40), ge=0, le=10**9)
    hard_usd: Decimal = Field(Decimal(60), ge=0, le=10**9)

    @model_validator(mode="after")
    def _soft_comes_first(self) -> Self:
        if self.soft_usd > self.hard_usd:
            raise ValueError("soft_usd is above hard_usd")
        return self


class Config(FrozenLate):
    """The whole file."""

    all: tuple[Slug, ...] = Field(min_length=1, description="releases that bare `snakemake` builds")
    releases: dict[str, Release]
    protocol: Protocol = Protocol()
    budget: Budget = Budget()
