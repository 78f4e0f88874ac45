"""What a release would ask, score and publish, why, and at most how much it would cost."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from dmb.contracts.contender import Contender, Provider
from dmb.contracts.price import PriceRow
from dmb.contracts.slot import Slot
from dmb.engine.contact import most_output_tokens
from dmb.engine.decide import Key
from dmb.engine.questions import Questions
from dmb.planning.contender_tables import sayable_settings
from dmb.planning.plan import PlannedCell, PlannedRelease, Planner, finished_rows
from dmb.planning.project import Project
from dmb.planning.sealed import changes_since, next_name, offers
from dmb.price_tiers import ordered_tier
from dmb.pricing import worst_case_usd
from dmb.wires import WIRES


def audit_release(project: Project, planned: PlannedRelease, now: dt.datetime) -> dict[str, Any]:
    """The audit as plain data.

    ``ask``: cells that would be asked, with the part of the key that changed; ``skip``: cells that get a receipt which
    says why they are not asked; ``unknown``: suites whose items are not known before a download; ``score``, ``publish``;
    ``restorable``: sealed releases whose archives hold the answers of cells that would be asked.
    ``max_cost_usd`` is a decimal string, "0" where nobody bills, null where it cannot be bounded.
    """
    # a report that carries the right key is not rebuilt, whatever of its making was lost
    cells = planned.cells if planned.unknown or planned.publishes or planned.key is None else ()
    asked = [c for c in cells if c.asks]
    return {
        "release": planned.name,
        "ask": [_ask(project, c, now) for c in asked if c.skip is None],
        "skip": [{"contender": c.contender, "suite": c.suite, "reason": c.skip} for c in asked if c.skip is not None],
        "unknown": [
            {"suite": s, "contenders": list(planned.spec.contenders), "mend": m} for s, m in planned.unknown.items()
        ],
        "score": [{"contender": c.contender, "suite": c.suite} for c in cells if c.scores],
        "publish": bool(planned.unknown) or planned.publishes,
        "restorable": [
            {
                "release": offer.release,
                "archive": str(offer.archive),
                "cells": [{"contender": c.contender, "suite": c.suite} for c in offer.cells],
            }
            for offer in offers(asked)
        ],
    }


def audit_sealed(planner: Planner, name: str) -> dict[str, Any]:
    """The audit of a sealed release, which is never built again: ``changed`` says what would come out otherwise now."""
    changed = changes_since(planner, name)
    return {"release": name, "sealed": True, "changed": changed, "next": next_name(name) if changed else None}


def _ask(project: Project, cell: PlannedCell, now: dt.datetime) -> dict[str, Any]:
    finished = finished_rows(cell)
    cost = _bound(project.price_rows(cell.contender), cell, finished, now)
    return {
        "contender": cell.contender,
        "suite": cell.suite,
        "calls": cell.n_expected - len(finished),
        "max_cost_usd": None if cost is None else format(cost.normalize(), "f"),
        "changed": list(cell.changed),
    }


def _bound(prices: Sequence[PriceRow], cell: PlannedCell, finished: set[Key], now: dt.datetime) -> Decimal | None:
    """The most that the cell can cost: what the ledger would reserve for every question left, each with all its retries.

    None where the items are not built yet, or no price holds. Probes come on top where an entry is to be negotiated.
    """
    if prices and all(r.unbilled for r in prices):
        return Decimal(0)
    if not (Path(cell.job["items"]["path"]).exists() and Path(cell.job["texts"]).exists()):
        return None
    entry, provider = Contender.model_validate(cell.job["entry"]), Provider.model_validate(cell.job["provider"])
    wire = WIRES[entry.wire or ""]
    settings, most = sayable_settings(wire, entry), most_output_tokens(entry)
    slots = [Slot.model_validate(s) for s in cell.job["slots"]]
    attempts = 1 + cell.job["protocol"]["retry_failed"] + cell.job["policy"]["retry_malformed"]
    total = Decimal(0)
    with Questions(cell.job, slots) as questions:
        for task in questions:
            call = wire.call(task.request, entry.model, settings, provider.dialect)
            if task.key in finished or call.unsupported is not None:
                continue
            worst = worst_case_usd(prices, len(call.body.encode("utf-8")), most, now, ordered_tier(entry.settings))
            if worst is None:
                return None
            total += worst * attempts
    return total
