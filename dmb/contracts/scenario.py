"""A scenario file of the simulator: what its providers do wrong, to which requests."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from dmb.contracts.frozen import FrozenLate


class FaultRule(FrozenLate):
    """``do`` happens to the requests that all matchers fit; without matchers to every one."""

    do: str = Field(description="name of a fault")
    provider: str | None = Field(None, description="entry of data/providers.toml")
    model: str | None = Field(None, description="as the request names it")
    wire: str | None = Field(None, description="name of a wire")
    share: float | None = Field(None, ge=0, le=1, description="of all requests, chosen by digest and seed")
    first: int | None = Field(None, ge=1, strict=True, description="only the first so many attempts of a request")
    from_request: int | None = Field(None, ge=1, strict=True, description="from this request of the server on")
    to_request: int | None = Field(None, ge=1, strict=True, description="up to this request of the server, included")
    every: int | None = Field(None, ge=1, strict=True, description="only every so many-th request of the server")

    ms: int | None = Field(None, ge=0, le=600_000, strict=True, description="milliseconds")
    seconds: float | None = Field(None, ge=0, le=86_400, description="seconds")
    form: str | None = Field(None, description="in which form something is said")
    bytes: int | None = Field(None, ge=0, strict=True, description="how many bytes")
    mb: float | None = Field(None, gt=0, le=64, description="size in megabytes")
    factor: Decimal | None = Field(None, ge=0, le=1000, description="multiple of the table's price")
    tokens: int | None = Field(None, ge=0, strict=True, description="how many tokens")
    options: int | None = Field(None, ge=1, strict=True, description="how many options are taken")
    status: int | None = Field(None, ge=200, le=599, strict=True, description="HTTP status")


class Scenario(FrozenLate):
    """The whole file. The first rule that fits a request applies, and no other."""

    name: str = Field(min_length=1)
    notes: str = ""
    key: str | None = Field(None, min_length=1, description="the only key that opens; without it any does")
    delay_ms: int = Field(0, ge=0, le=600_000, strict=True)
    jitter_ms: int = Field(0, ge=0, le=600_000, strict=True)
    context_tokens: dict[str, int] = Field({}, description="provider -> longest prompt")
    fault: tuple[FaultRule, ...] = ()
