"""What the kills left, read by hand: rows, reservations and decisions, without the code that wrote them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.kills.ground import LANES, RELEASE

#: (contender, suite, item, attempt, run that asked it)
Place = tuple[str, str, str, int, str]

#: What differs between two honest answers to one question: when, and after how many attempts.
NOT_COMPARED = ("latency_ms", "request_latency_ms", "n_attempts", "usage")


def lines(path: Path) -> list[dict[str, Any]]:
    """Rows of a file of JSON lines; what has no line feed is none."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []


def own_rows(root: Path, seen: dict[Path, int] | None = None) -> list[dict[str, Any]]:
    """Rows that runs asked themselves, probes included, each with its run as ``origin``.

    ``seen``: sizes; logs that have not grown since are not read.
    """
    found = []
    for path in sorted([*root.glob("runs/*/raw/*.attempts.jsonl"), *root.glob("runs/*/probes/*.jsonl")]):
        size = path.stat().st_size
        if seen is not None and seen.get(path) == size:
            continue
        if seen is not None:
            seen[path] = size
        found += [{**row, "origin": path.parts[-3]} for row in lines(path) if row.get("origin") is None]
    return found


def place(row: dict[str, Any]) -> Place:
    """What names an attempt."""
    return (row["contender"], row["suite"], row["item"], row["attempt"], row["origin"])


@dataclass
class Money:
    """The ledger's files, in US dollars.

    ``open``: (run, lane) -> reservations without an end; ``n_marked``: how many of them a sweep has marked.
    ``n_unknown``: attempts that nobody could price, which their own process has written down. ``reserved``, ``settled``:
    the attempts that money was held for, and those whose charge was written down.
    """

    charged: Fraction = Fraction(0)
    open: Counter[tuple[str, str]] = field(default_factory=Counter)
    n_marked: int = 0
    n_unknown: int = 0
    reserved: set[Place] = field(default_factory=set)
    settled: set[Place] = field(default_factory=set)


def money(root: Path) -> Money:
    """Add the ledger up."""
    found, marked, unsettled = Money(), set(), set()
    for path in (root / "runs/_budget" / RELEASE).glob("*.*.*.jsonl"):
        held: dict[int, dict[str, Any]] = {}
        for row in lines(path):
            if row["op"] == "reserve":
                held[row["n"]] = row
                found.reserved.add(place(row | {"origin": row["run"]}))
            elif row["op"] == "sweep":
                marked.add((row["writer"], row["n"]))
            else:
                reserved = held.pop(row["n"])
                if row["op"] == "settle":
                    found.settled.add(place(reserved | {"origin": reserved["run"]}))
                charged = row.get("charged_usd", "0")
                found.n_unknown += charged is None
                found.charged += Fraction(reserved["usd"] if charged is None else charged)
        for n, row in held.items():
            unsettled.add((path.name.removesuffix(".jsonl"), n))
            found.charged += Fraction(row["usd"])
            found.open[row["run"], LANES[row["contender"]]] += 1
    assert marked <= unsettled, "what is settled is marked as unsettled"
    found.n_marked = len(marked)
    return found


def requests_by_lane(counts: dict[str, Any]) -> Counter[str]:
    """What the server counted."""
    by: Counter[str] = Counter()
    for row in counts["by"]:
        by[row["provider"]] += row["requests"]
    return by


def newest_receipts(root: Path, cells: set[str] | None = None) -> dict[tuple[str, str], dict[str, Any]]:
    """(contender, suite) -> the newest receipt of the newest cell, or of those cells."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(root.glob("runs/_cells/*/*/receipt.*.json"), key=lambda p: p.stat().st_mtime_ns):
        receipt = json.loads(path.read_bytes())
        if cells is None or receipt["cell_key"] in cells:
            found[receipt["contender"], receipt["suite"]] = receipt
    return found


def decisions(root: Path, receipts: dict[tuple[str, str], dict[str, Any]]) -> dict[tuple[str, str, str], Any]:
    """(contender, suite, item) -> its decision without what may differ; of usage what the last attempt used."""
    found = {}
    for receipt in receipts.values():
        for row in lines(root / f"runs/{receipt['run']}/decisions/{receipt['contender']}.{receipt['suite']}.jsonl"):
            key = (row["contender"], row["suite"], row["item"])
            assert key not in found, f"{key} is decided twice"
            found[key] = {k: v for k, v in row.items() if k not in NOT_COMPARED} | {"usage": row["usage"][-1]}
    return found


def asked_for_nothing(rows: list[dict[str, Any]]) -> list[str]:
    """Attempts that were made although a reply on disk had finished the item."""
    by_item: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_item[row["cell"], row["contender"], row["item"]].append(row)
    found = []
    for key, attempts in by_item.items():
        attempts.sort(key=lambda r: r["timing"]["sent_at"])
        n_malformed = 0
        for n, row in enumerate(attempts):
            n_malformed += row["outcome"] in ("malformed", "truncated")
            over = row["outcome"] in ("valid", "refused", "unsupported") or n_malformed == 2
            if over and n + 1 < len(attempts):
                found.append(f"{key}: {[(r['origin'], r['attempt'], r['outcome']) for r in attempts]}")
                break
    return found


def rows_of(root: Path, receipt: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of the log that a receipt names, each with the run that asked it as ``origin``."""
    return [{**row, "origin": row.get("origin", receipt["run"])} for row in lines(root / receipt["raw"])]
