"""The spend ledger of a release: the rows of its files, and what they add up to. Money is a decimal string."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from dmb.contracts.frozen import Frozen

#: US dollars as written: no sign, no exponent.
UsdText = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,13}(\.[0-9]{1,40})?$")]

#: The same of a sum, which may have more digits.
SumText = Annotated[str, StringConstraints(pattern=r"^[0-9]+(\.[0-9]+)?$")]

#: ``negotiation``: a probe that finds out what a provider accepts; billed like the rest, reported apart.
SpendKind = Literal["scored", "negotiation"]


class Reserved(Frozen):
    """The most that an attempt can cost; on disk before the request goes out. ``n`` counts from 1 in each file."""

    op: Literal["reserve"] = "reserve"
    n: int
    usd: UsdText
    kind: SpendKind
    run: str
    contender: str
    suite: str | None
    item: str | None
    permutation: int
    repeat: int
    attempt: int
    at: str


class Settled(Frozen):
    """What that attempt was charged. None: nobody can say, so it stays charged at its reservation."""

    op: Literal["settle"] = "settle"
    n: int
    charged_usd: UsdText | None


class Unsent(Frozen):
    """Nothing was sent for that reservation, so it costs nothing."""

    op: Literal["unsent"] = "unsent"
    n: int


class Swept(Frozen):
    """Another writer ended without settling its reservation ``n``: it stays charged, marked unsettled."""

    op: Literal["sweep"] = "sweep"
    writer: str
    n: int


LedgerRow = Annotated[Reserved | Settled | Unsent | Swept, Field(discriminator="op")]


class Born(Frozen):
    """A writer joins; its file is there. ``boot`` and ``mount``: of its host, so that others know whose locks reach them."""

    op: Literal["born"] = "born"
    writer: str
    host: str | None = None
    machine: str | None = None
    boot: str | None = None
    mount: str | None = None


class Sums(Frozen):
    """What a writer's closed reservations of one run and kind come to."""

    run: str
    kind: SpendKind
    settled_usd: SumText
    unsettled_usd: SumText
    n_settled: int
    n_unsettled: int
    n_unsent: int


class Gone(Frozen):
    """A writer's process has ended; its file is final.

    ``sums``: what its rows come to, where none of its reservations is open and it marked nobody else's; its file of
    ``n_bytes`` need not be read again then. None: it must.
    """

    op: Literal["gone"] = "gone"
    writer: str
    n_bytes: int | None = None
    sums: tuple[Sums, ...] | None = None


IndexRow = Annotated[Born | Gone, Field(discriminator="op")]


class Totals(Frozen):
    """``committed_usd`` = settled + reserved_open + unsettled; settled = scored + negotiation."""

    committed_usd: Decimal
    settled_usd: Decimal
    scored_usd: Decimal
    negotiation_usd: Decimal
    reserved_open_usd: Decimal
    unsettled_usd: Decimal
    n_settled: int
    n_open: int
    n_unsettled: int
    n_unsent: int
