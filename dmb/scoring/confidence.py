"""Rows of a cell -> measures of their confidences, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

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


class Sure(NamedTuple):
    """Of the valid decisions with a confidence, in the order of the rows: that, whether it was right, and its group."""

    confidence: list[float]
    correct: list[bool]
    groups: list[str]


def sure_of(rows: Rows, slot: str) -> Sure:
    """The columns that everything about confidences is made of."""
    found = [(r, o.confidence) for r in rows if (o := r.output(slot)) is not None and o.confidence is not None]
    return Sure([c for _, c in found], [r.correct(slot) for r, _ in found], [r.item.group for r, _ in found])


def calibration(sure: Sure) -> dict[str, Measure]:
    """ECE and Brier score over valid decisions with a confidence."""
    confidence, correct, _ = sure
    if not confidence:
        return {"ece": unknown(_NOTHING), "brier": unknown(_NOTHING)}
    return {"ece": metrics.ece(confidence, correct), "brier": metrics.brier(confidence, correct)}


def beside_calibration(sure: Sure) -> dict[str, Measure]:
    """What ECE and Brier score are to be read with, log loss, and what is gained by keeping the surest rows."""
    confidence, correct, groups = sure
    if not confidence:
        return {name: unknown(_NOTHING) for name in BESIDE}
    parts = metrics.brier_parts(confidence, correct)
    loss, clipped = metrics.log_loss(metrics.given_to_outcome(confidence, correct))
    return {
        "ece_floor": metrics.ece_floor(confidence, groups),
        "ece_debiased": metrics.debiased_ece(confidence, correct),
        "ece_smooth": metrics.smooth_ece(confidence, correct),
        "brier_reliability": parts.reliability,
        "brier_resolution": parts.resolution,
        "brier_uncertainty": parts.uncertainty,
        "log_loss": loss,
        "log_loss_clipped_rate": clipped,
        "aurc": metrics.aurc(confidence, correct),
        **{f"coverage_at_risk_{p}": metrics.coverage_at_risk(confidence, correct, p / 100) for p in RISKS},
    }


def options_loss(rows: Rows, slot: str) -> dict[str, Measure]:
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
