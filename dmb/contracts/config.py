"""``config.yaml``: the releases that are built, and the knobs of the protocol."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from dmb.contracts.frozen import Frozen, Slug


class Release(Frozen):
    """Suites x contenders that are published together."""

    title: str
    suites: tuple[str, ...] = Field(min_length=1)
    contenders: tuple[str, ...] = Field(min_length=1)
    limit: int | None = Field(
        None, ge=1, description="ask a seeded subset of so many items of each suite: a smoke release"
    )
    nonce: str | None = Field(None, description="a new word here demands fresh answers")


class Protocol(Frozen):
    """Knobs that the protocol leaves open. The version is in every cell key."""

    version: int = 3
    repeats: int = Field(1, ge=1, le=9)
    cell_deadline_s: int = Field(2000, ge=1)
    retry_failed: int = Field(1, ge=0, le=1)
    backoff_s: float = Field(1.0, ge=0)
    request_timeout_s: float = Field(60.0, gt=0)


class Budget(Frozen):
    """US dollars a release may spend."""

    soft_usd: Decimal = Decimal(40)
    hard_usd: Decimal = Decimal(60)


class Config(Frozen):
    """The whole file."""

    all: tuple[Slug, ...] = Field(min_length=1, description="releases that bare `snakemake` builds")
    releases: dict[str, Release]
    protocol: Protocol = Protocol()
    budget: Budget = Budget()
