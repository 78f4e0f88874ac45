"""``results/<release>.cells.json``: every number of a release for a machine."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dmb.contracts.attempt import OUTCOMES
from dmb.contracts.cell import MeasureRecord, Score, TimingRecord
from dmb.pricing import usd_digits
from dmb.publish.tables.charges import gap
from dmb.publish.tables.entries import SPEND, total_spend
from dmb.store.files import pretty_json

if TYPE_CHECKING:
    from dmb.contracts.release import RunFacts
    from dmb.publish.release import Release

#: More than any number here is worth, and few enough that the last bits of a sum do not show.
DIGITS = 12


def cells_json(release: Release) -> str:
    """Cells in the release's order, suite by suite; keys sorted; one newline at the end."""
    document = {
        "release": release.name,
        "release_key": release.key,
        "simulated": release.simulated,
        "spend_usd": {kind: _usd(amount) for kind, amount in total_spend(release).items()},
        "runs": [_run(run) for run in release.runs],
        "cells": [_cell(score) for score in release.cells.values()],
        "comparisons": release.comparisons.model_dump(mode="json"),
    }
    return pretty_json(document).decode("utf-8")


def _run(run: RunFacts) -> dict[str, Any]:
    return {
        "run": run.id,
        "started_at": run.started_at,
        "machine": dataclasses.asdict(run.machine),
        "budget_usd": {cap: run.budget_usd.get(cap) for cap in ("soft", "hard")},
        "spend_usd": {kind: run.spend_usd.get(kind) for kind in SPEND},
    }


def _cell(score: Score) -> dict[str, Any]:
    return {
        "contender": score.contender,
        "suite": score.suite,
        "status": score.status,
        "stop_reason": score.stop_reason,
        "source_run": score.source_run,
        "cell_key": score.cell_key,
        "simulated": score.simulated,
        "n_expected": score.n_expected,
        "n_groups": score.n_groups,
        "repeats": score.repeats,
        "outcomes": {outcome: score.outcomes.get(outcome, 0) for outcome in OUTCOMES},
        "metrics": _metrics(score.metrics),
        "cost_usd": score.cost_usd,
        "cost_note": score.cost_note,
        "cost": None if score.cost is None else score.cost.model_dump(mode="json") | {"gap": _gap(score)},
        "cost_other": None if score.cost_other is None else score.cost_other.model_dump(mode="json"),
        "negotiation": [spend.model_dump(mode="json") for spend in score.negotiation],
        "timing": None if score.timing is None else _timing(score.timing),
        "places": [place.model_dump(mode="json") for place in score.places],
        "thresholds": [threshold.model_dump(mode="json") for threshold in score.thresholds],
        "slices": [{"by": part.by, "value": part.value, "metrics": _metrics(part.metrics)} for part in score.slices],
    }


def _timing(timing: TimingRecord) -> dict[str, Any]:
    measured = {name: value for name, value in timing if isinstance(value, MeasureRecord)}
    return {"n_attempts": timing.n_attempts, "n_timed": timing.n_timed, **_metrics(measured)}


def _usd(amount: Decimal | None) -> str | None:
    return None if amount is None else usd_digits(amount)


def _gap(score: Score) -> float | None:
    """How far the charge lies from the table's figure, as a share of the latter; null where there is none to say."""
    found = gap([score])
    return float(f"{found:.{DIGITS}g}") if found is not None and found.is_finite() else None


def _metrics(metrics: dict[str, MeasureRecord]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "value": rounded(record.value),
            "low": rounded(record.low),
            "high": rounded(record.high),
            "n": record.n,
            "num": rounded(record.num),
            "den": rounded(record.den),
            "note": record.note,
        }
        for name, record in metrics.items()
    }


def rounded(value: float | int | str | None) -> float | int | str | None:
    """A float to twelve significant digits and never minus zero; anything else as it is."""
    return float(f"{value:.{DIGITS}g}") + 0.0 if isinstance(value, float) else value
