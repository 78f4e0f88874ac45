"""Evidence and cells file -> rows of the frames, as plain Python values; what is unknown is None."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from dmb.canonical import canonical_json
from dmb.contracts.item import Gold
from dmb.contracts.price import PriceRow
from dmb.contracts.release import ReleaseDocument
from dmb.contracts.suite import SuiteFile
from dmb.engine.judge import judge_row
from dmb.price_tiers import ordered_tier
from dmb.pricing import sum_usd
from dmb.prompting import shown_options
from dmb.scoring.costs import Priced, price_attempt
from dmb.scoring.evidence import Evidence, Row

#: Kept as they are written into the cells file.
_AS_WRITTEN = (
    *("contender", "suite", "status", "stop_reason", "source_run", "cell_key", "simulated"),
    *("n_expected", "n_groups", "repeats", "cost_note"),
)


def cell_rows(cells: Sequence[dict[str, Any]], document: ReleaseDocument) -> Iterator[dict[str, Any]]:
    """One row a cell, from the ``cells`` of a cells file."""
    entries = {c.id: c.entry for c in document.contenders}
    for cell in cells:
        entry, cost = entries[cell["contender"]], cell["cost"] or {}
        yield {
            **{name: cell[name] for name in _AS_WRITTEN},
            "label": entry.display.label,
            "lab": entry.display.lab or None,
            "tier": entry.display.tier,
            "provider": entry.provider,
            "model": entry.model,
            **{f"n_{outcome}": n for outcome, n in cell["outcomes"].items()},
            "cost_usd": _usd(cell["cost_usd"]),
            "charged_usd": _usd(cost.get("charged_usd")),
        }


def metric_rows(cells: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One row for each metric of a cell and of its slices."""
    for cell in cells:
        who = {"contender": cell["contender"], "suite": cell["suite"]}
        for part in ({"by": None, "value": None, "metrics": cell["metrics"]}, *cell["slices"]):
            where = {"slice_by": part["by"], "slice_value": None if part["by"] is None else _text(part["value"])}
            for name, record in part["metrics"].items():
                fields = {field: record[field] for field in ("value", "low", "high", "n", "note")}
                numbers = {field: None if record[field] is None else float(record[field]) for field in ("num", "den")}
                yield {**who, **where, "metric": name, **fields, **numbers}


def decision_rows(evidence: Evidence, suite: SuiteFile, prices: Sequence[PriceRow]) -> Iterator[dict[str, Any]]:
    """One row for each expected row of a cell and slot. What items say of themselves is under ``slice_<field>``."""
    for row in evidence.rows:
        costs = [priced.usd for priced in _priced(evidence, row, prices)]
        known = {
            **_who(evidence, row),
            "group": row.item.group,
            "stratum": row.item.stratum,
            # as accuracy is scored: where most items cannot be known, over the others alone
            "counted": not suite.metrics.honesty or row.item.slices.get("kind") == "control",
            "outcome": row.decision.outcome,
            "reason": row.decision.reason,
            "n_options": len(shown_options(row.item, evidence.items.option_sets)) or None,
            "n_attempts": row.decision.n_attempts,
            "latency_ms": row.decision.latency_ms,
            "request_latency_ms": row.decision.request_latency_ms,
            "cost_usd": None if None in costs or not costs else sum_usd(usd for usd in costs if usd is not None),
            "served_model": row.decision.served_model,
            "simulated": row.decision.simulated,
            **{f"slice_{name}": value for name, value in row.item.slices.items()},
        }
        for slot in suite.slots:
            output = row.output(slot.id)
            yield {
                **known,
                "slot": slot.id,
                "gold": _text(row.item.gold.get(slot.id)),
                "value": None if output is None else _text(output.value),
                "position": None if output is None else output.position,
                "correct": None if output is None else row.correct(slot.id),
                "confidence": None if output is None else output.confidence,
                "confidence_kind": None if output is None else output.confidence_kind,
                "native_confidence": None if output is None else output.native_confidence,
            }


def attempt_rows(evidence: Evidence, suite: SuiteFile, prices: Sequence[PriceRow]) -> Iterator[dict[str, Any]]:
    """One row an attempt. Neither what was sent nor what came back: those hold texts of others."""
    for row in evidence.rows:
        shown = shown_options(row.item, evidence.items.option_sets)
        for attempt, priced in zip(row.attempts, _priced(evidence, row, prices), strict=True):
            verdict = judge_row(attempt, shown, suite.slots)
            usage = verdict.usage
            tokens = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")
            times = attempt.timing.model_dump(exclude={"sent_at"})
            failure = verdict.failure or attempt.failure
            yield {
                **_who(evidence, row),
                "attempt": attempt.attempt,
                "cause": attempt.cause,
                "outcome": verdict.outcome,
                "reason": verdict.reason,
                "sent_at": dt.datetime.fromisoformat(attempt.timing.sent_at),
                "sent": attempt.sent,
                "status": attempt.status,
                "failure": None if failure is None else failure.kind,
                **times,
                **{name: None if usage is None else _count(getattr(usage, name)) for name in tokens},
                "cost_usd": priced.usd,
                "cost_unknown": priced.why,
                "charged_usd": priced.charged_usd,
                "served_model": verdict.served_model,
                "asker": attempt.asker,
                "asker_version": attempt.asker_version,
                "request": attempt.request,
                "simulated": attempt.simulated,
                "asked_in": attempt.origin or evidence.receipt.run,
            }


def _who(evidence: Evidence, row: Row) -> dict[str, Any]:
    return {
        "contender": evidence.receipt.contender,
        "suite": evidence.receipt.suite,
        "item": row.item.id,
        "permutation": row.item.permutation,
        "repeat": row.repeat,
        "source_run": evidence.receipt.run,
    }


def _priced(evidence: Evidence, row: Row, prices: Sequence[PriceRow]) -> list[Priced]:
    tier = ordered_tier(evidence.receipt.parts["contender"].get("settings", {}))
    return [price_attempt(a, u, prices, tier) for a, u in zip(row.attempts, row.decision.usage, strict=True)]


def _count(tokens: int | None) -> int | None:
    """What no column of whole numbers holds is no count of tokens either."""
    return tokens if tokens is not None and abs(tokens) < 1 << 63 else None


def _usd(amount: str | None) -> Decimal | None:
    return None if amount is None else Decimal(amount)


def _text(value: Gold | int) -> str | None:
    """An id as it is; a flag, a number or a list as JSON writes it."""
    return value if value is None or isinstance(value, str) else canonical_json(value)
