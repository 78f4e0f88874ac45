"""``data/prices.toml``: rows of dated list prices."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from pydantic import Field

from dmb.contracts.frozen import Frozen, Slug


class PriceRow(Frozen):
    """US dollars per million tokens of one model at one provider. A price that is not known is absent, never 0."""

    provider: Slug
    model: str
    unbilled: bool = Field(
        False, description="runs on your own machine: nobody sends a bill, which is not a price of 0"
    )
    valid_from: dt.date | None = None
    valid_to: dt.date | None = None
    input: Decimal | None = None
    cached: Decimal | None = None
    cache_write: Decimal | None = None
    output: Decimal | None = None
    source: str
    checked_on: dt.date


class PricesFile(Frozen):
    """All rows."""

    price: tuple[PriceRow, ...]
