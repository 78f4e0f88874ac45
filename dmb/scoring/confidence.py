"""Rows of a cell -> measures of their confidences, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dmb import metrics
from dmb.metrics import Measure, unknown
from dmb.metrics.measure import join_notes
from dmb.scoring.evidence import Row

Rows = Sequence[Row]

#: Error rates of which it is told how many rows can be kept, in per cent.
RISKS = (1, 5, 10)
_NOTHING = "no valid decisions with a confidence"
#: What is over the same rows as ECE.
BESIDE = (
    "ece_floor",
    "ece_debiased",
    "ece_smooth",
    "brier_reliability",
    "brier_resolution",
    "brier_uncertainty",
    "log_loss",
    "log_loss_clipped_rate",
    "aurc",
    *(f"coverage_at_risk_{percent}" for percent in RISKS),
)


def confidences(rows: Rows, slot: str) -> tuple[list[float], list[bool]]:
    """(confidence, correct) of the rows that have both."""
    found = _sure(rows, slot)
    return [c for _, c in found], [r.correct(slot) for r, _ in found]


def calibration(rows: Rows, slot: str) -> dict[str, Measure]:
    """ECE and Brier score over valid decisions with a confidence."""
    confidence, correct = confidences(rows, slot)
    if not confidence:
        return {"ece": unknown(_NOTHING), "brier": unknown(_NOTHING)}
    return {"ece": metrics.ece(confidence, correct), "brier": metrics.brier(confidence, correct)}


def beside_calibration(rows: Rows, slot: str) -> dict[str, Measure]:
    """What ECE and Brier score are to be read with, log loss, and what is gained by keeping the surest rows."""
    found = _sure(rows, slot)
    if not found:
        return {name: unknown(_NOTHING) for name in BESIDE} | _options_loss(rows, slot)
    confidence, correct = confidences(rows, slot)
    parts = metrics.brier_parts(confidence, correct)
    loss, clipped = metrics.log_loss(metrics.given_to_outcome(confidence, correct))
    return {
        "ece_floor": metrics.ece_floor(confidence, [r.item.group for r, _ in found]),
        "ece_debiased": metrics.debiased_ece(confidence, correct),
        "ece_smooth": metrics.smooth_ece(confidence, correct),
        "brier_reliability": parts.reliability,
        "brier_resolution": parts.resolution,
        "brier_uncertainty": parts.uncertainty,
        "log_loss": loss,
        "log_loss_clipped_rate": clipped,
        **_options_loss(rows, slot),
        "aurc": metrics.aurc(confidence, correct),
        **{f"coverage_at_risk_{p}": metrics.coverage_at_risk(confidence, correct, p / 100) for p in RISKS},
    }


def _sure(rows: Rows, slot: str) -> list[tuple[Row, float]]:
    return [(r, o.confidence) for r in rows if (o := r.output(slot)) is not None and o.confidence is not None]


def _options_loss(rows: Rows, slot: str) -> dict[str, Measure]:
    """Log loss over all options, of the replies that have a probability for each, where some option is right."""
    names = ("log_loss_options", "log_loss_options_clipped_rate")
    valid = [r for r in rows if r.output(slot) is not None and r.item.gold.get(slot) is not None]
    given = [p for r in valid if (p := r.gold_probability(slot)) is not None]
    if not given:
        return dict.fromkeys(names, unknown("n/a: no reply has a probability for each option" if valid else _NOTHING))
    loss, clipped = metrics.log_loss(given)
    silent = len(valid) - len(given)
    note = f"{silent} of {len(valid)} replies have no probability for each option" if silent else None
    return dict(zip(names, (replace(loss, note=join_notes(note, loss.note)), clipped), strict=True))
