"""``dmb explain``: one printed number led back to rows, attempts with their bytes, requests, items, prices and code."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dmb.contracts.attempt import Attempt, Usage
from dmb.contracts.cell import MeasureRecord, Score
from dmb.contracts.price import PriceRow
from dmb.contracts.release import EvidenceCell, ReleaseDocument, SuiteEntry
from dmb.errors import DamagedFile, UsageError
from dmb.inputs import nearest
from dmb.planning.keys import scoring_code
from dmb.price_tiers import ordered_tier
from dmb.price_windows import window_text
from dmb.pricing import attempt_cost_usd, row_at, usd_digits
from dmb.publish.document import load_document
from dmb.publish.measures import measure, split
from dmb.publish.rebuild import checked_receipt
from dmb.scoring.cell_score import score_evidence
from dmb.scoring.evidence import Evidence, Row, open_evidence
from dmb.store.attempts import attempts_at
from dmb.store.evidence_root import EvidenceRoot
from dmb.verify.check import document_path
from dmb.verify.members import Member, Rows, members_of

#: Measures that prices go into.
_PRICED = ("cost_usd_per_1000", "cost_unknown_rate")


def explain(
    release: str, cell: str, metric: str, part: str | None, results: Path, root: EvidenceRoot
) -> dict[str, Any]:
    """Everything behind one number, as JSON values. ``cell``: ``contender.suite``; ``part``: ``by=value`` of a slice.

    The number is made again from the raw log; ``published`` is what the cells file says. Raises ``UsageError`` for a
    release, cell, measure or slice that there is not, ``MissingEvidence`` or ``DamagedFile`` for evidence.
    """
    document = load_document(document_path(release, results))
    found = _cell(document, cell)
    suite = next(entry for entry in document.suites if entry.suite.id == found.suite)
    checked_receipt(found, root)
    evidence = open_evidence(Path(found.receipt), suite.suite.slots, root)
    compared = open_evidence(Path(found.compared), suite.suite.slots, root) if found.compared else None
    prices = [document.prices[place] for place in found.prices]
    score = score_evidence(evidence, suite.suite, prices, compared, found.score_key, root)
    records, rows = _part(score, evidence, part)
    if metric not in records:
        raise UsageError(
            f"{metric!r} is no measure of {cell}{f' at {part}' if part else ''}; {nearest(metric, records)}"
        )
    slot, name = split(metric)
    slots = [s.id for s in suite.suite.slots if s.kind == "choice"]
    counted = Rows(tuple(rows), suite.suite, slot or slots[0], compared)
    pricing = _Pricing(prices, evidence) if name in _PRICED else None
    members = members_of(name, counted)
    places = {found.receipt: _Places(evidence, root)}
    if compared is not None:
        places[str(found.compared)] = _Places(compared, root)
    return {
        "release": release,
        "cell": f"{found.contender}.{found.suite}",
        "metric": metric,
        "slice": part,
        "what": measure(metric).says,
        "number": records[metric].model_dump(mode="json"),
        "published": _published(release, found, metric, part, results),
        "status": score.status,
        "simulated": score.simulated,
        "n_rows": len(members),
        "n_counted": sum(bool(m.counts) for m in members) if any(m.counts is not None for m in members) else None,
        "rows": [_row(m, counted.slot, places, found, pricing) for m in members],
        "evidence": _evidence(found, evidence, suite, root),
        "prices": [_price(row) for row in prices] if pricing else [],
        "code": {
            "asker": evidence.receipt.parts["asker"]["name"],
            "scoring": found.scoring_code,
            "scoring_here": scoring_code(evidence.receipt.parts["asker"]["name"]),
            "publishing": document.publishing_code,
            "score_key": found.score_key,
        },
    }


def _cell(document: ReleaseDocument, cell: str) -> EvidenceCell:
    """The cell by its name; suites by nickname, too."""
    contender, _, suite = cell.partition(".")
    names = {n: e.suite.id for e in document.suites for n in (e.suite.id, *e.suite.nicknames)}
    cells = {f"{c.contender}.{c.suite}": c for c in document.cells}
    wanted = f"{contender}.{names.get(suite, suite)}"
    if wanted not in cells:
        raise UsageError(f"{cell!r} is no cell of release {document.name}; {nearest(wanted, cells)}")
    return cells[wanted]


def _part(score: Score, evidence: Evidence, part: str | None) -> tuple[dict[str, MeasureRecord], Iterable[Row]]:
    """The measures of the whole cell or of one slice, and its rows."""
    if part is None:
        return score.metrics, evidence.rows
    slices = {f"{s.by}={_word(s.value)}": s for s in score.slices}
    if part not in slices:
        raise UsageError(f"--slice: {part!r} is no slice of {score.contender}.{score.suite}; {nearest(part, slices)}")
    found = slices[part]
    return found.metrics, [r for r in evidence.rows if r.item.slices.get(found.by) == found.value]


class _Places:
    """Where each attempt of a cell begins in its raw log."""

    def __init__(self, evidence: Evidence, root: EvidenceRoot) -> None:
        self.file = evidence.receipt.raw
        self.byte: dict[tuple[str, int, int, int], int] = {}
        if self.file is not None:
            for offset, row in attempts_at(root.at(self.file), evidence.receipt.cell_key):
                self.byte[row.item, row.permutation, row.repeat, row.attempt] = offset


class _Pricing:
    """What an attempt cost, and by which row of the table."""

    def __init__(self, prices: list[PriceRow], evidence: Evidence) -> None:
        self._prices = prices
        self._tier = ordered_tier(evidence.receipt.parts["contender"].get("settings", {}))

    def __call__(self, attempt: Attempt, usage: Usage | None) -> dict[str, Any]:
        at = dt.datetime.fromisoformat(attempt.timing.sent_at)
        usd, why = attempt_cost_usd(self._prices, usage, at, self._tier)
        tier = usage.tier if usage is not None and usage.tier is not None else self._tier
        row = row_at(self._prices, at, usage.input_tokens if usage is not None else None, tier)
        return {
            "cost_usd": None if usd is None else usd_digits(usd),
            "cost_note": why,
            "usage": None if usage is None else usage.model_dump(mode="json", exclude_none=True),
            "price": None if row is None else self._prices.index(row),
        }


def _row(
    member: Member, slot: str, places: dict[str, _Places], cell: EvidenceCell, pricing: _Pricing | None
) -> dict[str, Any]:
    row = member.row
    output = row.output(slot)
    shown: dict[str, Any] = {
        "item": row.item.id,
        "permutation": row.item.permutation,
        "repeat": row.repeat,
        "group": row.item.group,
        "outcome": row.decision.outcome,
        "reason": row.decision.reason,
        "answer": None if output is None else output.value,
        "gold": row.item.gold.get(slot),
        "confidence": None if output is None else output.confidence,
        "counts": member.counts,
        "value": member.value,
        "attempts": _attempts(row, places[cell.receipt], pricing),
    }
    if member.beside is not None and cell.compared is not None:
        shown["compared_with"] = _attempts(member.beside, places[cell.compared], None)
    return shown


def _attempts(row: Row, places: _Places, pricing: _Pricing | None) -> list[dict[str, Any]]:
    shown = []
    for attempt, usage in zip(row.attempts, row.decision.usage, strict=False):
        at = places.byte[attempt.item, attempt.permutation, attempt.repeat, attempt.attempt]
        shown.append(
            {
                "attempt": attempt.attempt,
                "file": places.file,
                "byte": at,
                "sent_at": attempt.timing.sent_at,
                "outcome": attempt.outcome,
                "request": attempt.request,
                "taken_over_from": attempt.origin,
                **(pricing(attempt, usage) if pricing else {}),
            }
        )
    return shown


def _evidence(
    cell: EvidenceCell, evidence: Evidence, suite: SuiteEntry, root: EvidenceRoot
) -> dict[str, dict[str, str | None]]:
    receipt = evidence.receipt
    raw = receipt.raw and receipt.raw_sha256 and root.expected(receipt.raw, receipt.raw_sha256)
    found = {
        "run": {"name": cell.run},
        "receipt": {"file": cell.receipt, "sha256": cell.receipt_sha256},
        "raw log": {"file": receipt.raw, "sha256": raw},
        "items": {"file": cell.items, "sha256": cell.items_sha256},
        "question": {"sha256": receipt.parts["question"], "prompt_version": str(suite.prompt_version)},
    }
    return found | ({"compared with": {"file": cell.compared}} if cell.compared else {})


def _price(row: PriceRow) -> dict[str, Any]:
    return {**row.model_dump(mode="json", exclude_defaults=True), "window": window_text(row) or "always"}


def _published(release: str, cell: EvidenceCell, metric: str, part: str | None, results: Path) -> Any:
    """The number as the cells file says it; None where it does not."""
    path = results / f"{release}.cells.json"
    try:
        cells = json.loads(path.read_bytes())["cells"]
        there = next(c for c in cells if (c["contender"], c["suite"]) == (cell.contender, cell.suite))
        if part is not None:
            there = next(s for s in there["slices"] if f"{s['by']}={_word(s['value'])}" == part)
        return there["metrics"][metric]["value"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, StopIteration):
        raise DamagedFile(
            f"{path}: is damaged, or does not have this number; `dmb verify {release}` says more"
        ) from None


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
