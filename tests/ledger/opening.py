"""Ledgers for tests: a cap, and reservations about nothing in particular."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from dmb.ledger.ledger import Ledger, Reservation


def ledger(folder: Path, hard="10", soft="8", **options) -> Ledger:
    """A ledger with caps written as text."""
    return Ledger(folder, Decimal(hard), Decimal(soft), **options)


def reserve(of: Ledger, worst, run="r1", **about) -> Reservation:
    """A reservation for some attempt."""
    given = {"contender": "jev", "suite": "intent-77", "item": "i1", "attempt": 1} | about
    return of.reserve(Decimal(worst), run=run, **given)


def rows_file(folder: Path) -> Path:
    """The one file of rows in a folder."""
    (path,) = folder.glob("*.*.*.jsonl")
    return path


def committed_by_hand(folder: Path) -> Fraction:
    """What the rows on disk come to, added by a reader that shares no code with the ledger."""
    total = Fraction(0)
    for path in folder.glob("*.*.*.jsonl"):
        charged: dict[int, Fraction] = {}
        for line in path.read_text().split("\n")[:-1]:
            row = json.loads(line)
            if row["op"] == "reserve":
                charged[row["n"]] = Fraction(row["usd"])
            elif row["op"] == "unsent":
                charged[row["n"]] = Fraction(0)
            elif row["op"] == "settle" and row["charged_usd"] is not None:
                charged[row["n"]] = Fraction(row["charged_usd"])
        total += sum(charged.values())
    return total
