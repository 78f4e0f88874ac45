"""The measures that the report knows, in the order in which it prints them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dmb.publish.numbers import Unit


@dataclass(frozen=True)
class Measure:
    """What a reader needs beside the number. ``confidence`` asks for the kind of confidence to be printed with it."""

    label: str
    unit: Unit
    says: str
    confidence: bool = False


ECE_ALONE = (
    "A low one alone is no merit, since drawing at random and saying 1/n has one; "
    "a high one beside a high accuracy is underconfidence."
)
_OWN_MACHINE = "Of contenders that run on this machine the latency depends on what else it was doing."

MEASURES: dict[str, Measure] = {
    "accuracy_valid": Measure(
        "Accuracy (valid)",
        "percent",
        "Correct among the valid decisions. Whatever is not valid has its own column and is not counted as wrong here.",
    ),
    "accuracy_end_to_end": Measure(
        "Accuracy (end to end)",
        "percent",
        "Correct among the completed rows: one without a valid decision is not correct.",
    ),
    "accuracy_worst_case": Measure(
        "Accuracy (worst case)",
        "percent",
        "Correct among all expected rows: what accuracy would be if every row without a valid decision were wrong.",
    ),
    "accuracy_best_case": Measure(
        "Accuracy (best case)",
        "percent",
        "What accuracy over all expected rows would be if every row without a valid decision were right.",
    ),
    "macro_f1": Measure(
        "Macro-F1", "index", "F1 averaged over the suite's fixed list of labels; a label that is never right counts 0."
    ),
    "completed_rate": Measure("Completed", "percent", "Rows with any outcome but skipped, of those expected."),
    "valid_rate": Measure("Valid", "percent", "Rows with a valid decision, of those expected."),
    "malformed_rate": Measure(
        "Malformed",
        "percent",
        "Replies that break the asked form after the retry that the suite allows, of the completed.",
    ),
    "truncated_rate": Measure("Truncated", "percent", "Replies that the provider cut off, of the completed."),
    "refused_rate": Measure("Refused", "percent", "Items that the model declined to answer, of the completed."),
    "failed_rate": Measure(
        "Failed", "percent", "Rate limits, transport, rejection and authentication after the retry, of the completed."
    ),
    "unsupported_rate": Measure(
        "Unsupported",
        "percent",
        "Items that the contender cannot take at all, such as too many options, of the completed.",
    ),
    "disagreement_rate": Measure(
        "Disagreement between repeats",
        "percent",
        "Items whose valid repeats do not all choose the same option, of those with at least two valid repeats.",
    ),
    "ece": Measure(
        "Expected calibration error",
        "index",
        f"Distance between confidence and accuracy over ten bins of equal width; nearer to 0 is better. {ECE_ALONE}",
        confidence=True,
    ),
    "ece_floor": Measure(
        "ECE noise floor",
        "index",
        "The ECE at or below which a perfectly calibrated contender with the same confidences stays in 95 % of draws.",
        confidence=True,
    ),
    "ece_debiased": Measure(
        "Debiased calibration error",
        "index",
        "Root mean square distance between confidence and accuracy in bins of equal mass, chance taken off.",
        confidence=True,
    ),
    "ece_smooth": Measure(
        "Smooth calibration error",
        "index",
        "Distance between confidence and accuracy without bins, smoothed at the scale of the error itself.",
        confidence=True,
    ),
    "brier": Measure(
        "Brier score",
        "index",
        "Mean squared distance between confidence and correctness. Lower is better.",
        confidence=True,
    ),
    "brier_reliability": Measure(
        "Brier: reliability", "index", "The part of the Brier score that miscalibration costs.", confidence=True
    ),
    "brier_resolution": Measure(
        "Brier: resolution",
        "index",
        "What the Brier score gains because confidences tell right from wrong; below 0 they tell it the wrong way round.",
        confidence=True,
    ),
    "brier_uncertainty": Measure(
        "Brier: uncertainty", "index", "The Brier score of saying the accuracy every time.", confidence=True
    ),
    "log_loss": Measure(
        "Log loss",
        "nats",
        "Of the confidence in being correct; below 0.001 counts as 0.001. Lower is better, 6.9 the worst.",
        confidence=True,
    ),
    "log_loss_clipped_rate": Measure(
        "Log loss: clipped",
        "percent",
        "Rows whose probability was below 0.001, of those in the log loss.",
        confidence=True,
    ),
    "log_loss_options": Measure(
        "Log loss over all options",
        "nats",
        "Of the probability of the right option, where replies have one for each; below 0.001 counts as 0.001.",
        confidence=True,
    ),
    "log_loss_options_clipped_rate": Measure(
        "Log loss over all options: clipped",
        "percent",
        "Rows whose probability was below 0.001, of those in the log loss over all options.",
        confidence=True,
    ),
    "aurc": Measure(
        "Area under risk-coverage",
        "index",
        "Error rate among the surest answers, averaged over how many of them are kept. Lower is better.",
        confidence=True,
    ),
    **{
        f"coverage_at_risk_{percent}": Measure(
            f"Kept at {percent} % error",
            "percent",
            f"The most decisions that a cut-off on confidence accepts with at most {percent} % of them wrong: a best case, "
            "since the cut-off is chosen on the same rows.",
            confidence=True,
        )
        for percent in (1, 5, 10)
    },
    "latency_p50_ms": Measure(
        "Latency p50 (decision)",
        "ms",
        f"Median time of a whole decision, retries and back-off included. {_OWN_MACHINE}",
    ),
    "latency_p95_ms": Measure(
        "Latency p95 (decision)",
        "ms",
        f"95th percentile of whole decisions. ≤ is a one-sided 95 % upper bound. {_OWN_MACHINE}",
    ),
    "latency_p99_ms": Measure(
        "Latency p99 (decision)",
        "ms",
        f"99th percentile of whole decisions. ≤ is a one-sided 95 % upper bound. {_OWN_MACHINE}",
    ),
    "request_latency_p50_ms": Measure(
        "Latency p50 (request)",
        "ms",
        f"Median time of one request at the socket, from sending to the last byte. {_OWN_MACHINE}",
    ),
    "request_latency_p95_ms": Measure(
        "Latency p95 (request)",
        "ms",
        f"95th percentile of single requests at the socket. ≤ is a one-sided 95 % upper bound. {_OWN_MACHINE}",
    ),
    "request_latency_p99_ms": Measure(
        "Latency p99 (request)",
        "ms",
        f"99th percentile of single requests at the socket. ≤ is a one-sided 95 % upper bound. {_OWN_MACHINE}",
    ),
    "cost_usd_per_1000": Measure(
        "Cost per 1,000 decisions",
        "usd",
        "From the usage that providers reported, over every attempt, at list prices. Unknown is never taken as 0.",
    ),
    "cost_unknown_rate": Measure(
        "Attempts of unknown cost", "percent", "Attempts without a known usage or price, of all attempts."
    ),
    "cached_share": Measure(
        "Cached share",
        "percent",
        "Input tokens that were read from a cache, of all input tokens, over the attempts that report both.",
    ),
    "flip_rate": Measure(
        "Flip rate (options permuted)", "percent", "Choices that change when the same options stand in another order."
    ),
    "flip_rate_rerun": Measure(
        "Flip rate (same order again)",
        "percent",
        "Choices that change when the same question is simply asked again: the control.",
    ),
    "position_effect": Measure(
        "Position effect",
        "points",
        "Flips under permutation minus flips on the identical rerun, item by item: what is owed to position.",
    ),
    "accuracy_per_doubling": Measure(
        "Accuracy per doubling",
        "points",
        "Change of the accuracy of valid decisions with each doubling of the number of options, by a straight line.",
    ),
    "ece_drift": Measure(
        "Calibration drift",
        "signed",
        "Expected calibration error under permutation minus that of the same items as first asked.",
        confidence=True,
    ),
    "honest_rate": Measure(
        "Honest rate",
        "percent",
        "Confidence of at most 0.5 where no answer can be known to be right. Higher is better.",
        confidence=True,
    ),
    "honest_rate_controls": Measure(
        "Honest rate on controls",
        "percent",
        "Confidence of at most 0.5 on answerable controls: a contender that is always unsure shows here.",
        confidence=True,
    ),
    "accuracy_controls": Measure(
        "Accuracy on controls", "percent", "Correct among the valid decisions on the answerable controls."
    ),
}


def split(key: str) -> tuple[str, str]:
    """``slot.name`` to its parts; the slot is empty where a suite has only one."""
    slot, _, name = key.rpartition(".")
    return slot, name


def joined(slot: str, name: str) -> str:
    """The key of a measure of one slot."""
    return f"{slot}.{name}" if slot else name


def measure(key: str) -> Measure:
    """The entry of a key. A measure that this version does not know is printed under its own name."""
    slot, name = split(key)
    known = MEASURES.get(name, Measure(name, "number", "A measure without a description in this version."))
    return known if not slot else Measure(f"{slot}: {known.label}", known.unit, known.says, known.confidence)


def in_order(keys: Iterable[str]) -> list[str]:
    """Distinct keys: by slot, then as ``MEASURES`` lists them, unknown ones last by name."""
    rank = {name: place for place, name in enumerate(MEASURES)}
    return sorted(set(keys), key=lambda key: (split(key)[0], rank.get(split(key)[1], len(rank)), key))
