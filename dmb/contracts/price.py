"""``data/prices.toml``: rows of dated list prices, each with the window in which it holds."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from dmb.contracts.frozen import FrozenLate, Slug

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def _day_or_instant(value: object) -> object:
    if isinstance(value, str):
        try:
            value = dt.date.fromisoformat(value)
        except ValueError:
            try:
                value = dt.datetime.fromisoformat(value)
            except ValueError:
                raise ValueError("no date and no date with time and offset") from None
    if isinstance(value, dt.datetime) and value.utcoffset() is None:
        raise ValueError("a time needs its offset, such as 2026-11-30T16:00:00Z")
    if isinstance(value, dt.date) and not 2000 <= value.year <= 2100:
        raise ValueError("no year between 2000 and 2100")
    return value


def _zone(name: str) -> str:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("no time zone of the IANA list, such as Europe/Berlin") from None
    return name


def _span_of_hours(hours: str) -> str:
    start, end = hours.split("-")
    if start == end:
        raise ValueError("starts where it ends: leave hours out for the whole day")
    return hours


#: A whole day in the row's zone, or an instant.
Edge = Annotated[dt.datetime | dt.date, BeforeValidator(_day_or_instant)]

_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]"
Hours = Annotated[str, StringConstraints(pattern=rf"^{_CLOCK}-({_CLOCK}|24:00)$"), AfterValidator(_span_of_hours)]


class PriceRow(FrozenLate):
    """US dollars per million tokens of one model at one provider. A price that is not known is absent, never 0.

    A row holds where all of its window does: dates, weekdays and hours on the clock of its zone, prompt size, tier.
    """

    provider: Slug
    model: str
    unbilled: bool = Field(
        False, description="runs on your own machine: nobody sends a bill, which is not a price of 0"
    )
    tier: Slug = Field("standard", description="what was ordered: standard, batch, priority …")
    valid_from: Edge | None = Field(None, description="first day, or first instant")
    valid_to: Edge | None = Field(None, description="last day, included; or the instant at which it ends, excluded")
    weekdays: tuple[Weekday, ...] = Field((), description="of the day on which the hours begin; none named means all")
    hours: Hours | None = Field(
        None, description="`HH:MM-HH:MM`, start included, end excluded; 22:00-06:00 ends on the next day"
    )
    zone: Annotated[str, AfterValidator(_zone)] = Field("UTC", description="whose clock and calendar")
    prompt_from: int | None = Field(
        None, ge=0, description="tokens of the whole prompt, included; the row prices the whole request"
    )
    prompt_to: int | None = Field(None, ge=1, description="the same, excluded")
    input: Decimal | None = None
    cached: Decimal | None = None
    cache_write: Decimal | None = None
    output: Decimal | None = None
    source: str
    checked_on: dt.date | None = Field(None, description="when the price was looked up; needed unless nobody bills")

    @model_validator(mode="after")
    def _window_is_one(self) -> Self:
        if len(set(self.weekdays)) < len(self.weekdays):
            raise ValueError("a weekday stands twice")
        if self.checked_on is None and not self.unbilled:
            raise ValueError("checked_on is missing: a price needs the day on which it was looked up")
        if None not in (self.prompt_from, self.prompt_to) and self.prompt_from >= self.prompt_to:  # type: ignore[operator]
            raise ValueError("prompt_from must be below prompt_to")
        return self


class PricesFile(FrozenLate):
    """All rows."""

    price: tuple[PriceRow, ...]
