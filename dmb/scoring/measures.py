"""Rows of a cell -> its measures by name. Which apply is the suite's policy; how they are computed is dmb.metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dmb import metrics
from dmb.contracts.suite import SuiteFile
from dmb.metrics import Measure, unknown
from dmb.scoring.evidence import Evidence, Row

Rows = Sequence[Row]

#: At or below this a contender says that it does not know.
HONEST_AT_MOST = 0.5


def accuracy(rows: Rows, slot: str) -> dict[str, Measure]:
    """Of valid decisions, and end to end: of completed ones, where anything not valid is not correct."""
    valid = [r for r in rows if r.decision.outcome == "valid"]
    completed = [r for r in rows if r.decision.outcome != "skipped"]
    return {
        "accuracy_valid": _rate(valid, lambda r: r.correct(slot), "no valid decisions"),
        "accuracy_end_to_end": _rate(completed, lambda r: r.correct(slot), "no completed decisions"),
    }


def accuracy_band(rows: Rows, slot: str) -> dict[str, Measure]:
    """Accuracy over all expected rows, were every one without a valid decision wrong, and were it right."""
    if not rows:
        return {name: unknown("no rows") for name in ("accuracy_worst_case", "accuracy_best_case")}
    correct = [r.correct(slot) if r.decision.outcome == "valid" else None for r in rows]
    worst, best = metrics.accuracy_band(correct, [r.item.group for r in rows])
    return {"accuracy_worst_case": worst, "accuracy_best_case": best}


def outcome_rates(rows: Rows) -> dict[str, Measure]:
    """Shares of completed decisions by outcome, and of expected rows: all repeats, which are one group."""
    completed = [r for r in rows if r.decision.outcome != "skipped"]
    out = {
        f"{name}_rate": _rate(completed, lambda r, name=name: r.decision.outcome == name, "no completed decisions")
        for name in ("malformed", "truncated", "refused", "failed", "unsupported")
    }
    out["completed_rate"] = _rate(rows, lambda r: r.decision.outcome != "skipped", "no rows")
    out["valid_rate"] = _rate(rows, lambda r: r.decision.outcome == "valid", "no rows")
    return out


def _rate(rows: Rows, hit: Callable[[Row], bool], empty: str) -> Measure:
    if not rows:
        return unknown(empty)
    return metrics.rate([hit(r) for r in rows], [r.item.group for r in rows])


def macro_f1(evidence: Evidence, suite: SuiteFile, slot: str) -> Measure:
    """Over the suite's fixed label list, on valid decisions; n/a where the options differ from item to item."""
    if not suite.metrics.stable_labels:
        return unknown("n/a: the options differ from item to item, so there is no fixed label list")
    rows = [
        (r.item.gold[slot], o.value, r.item.group) for r in evidence.first_rows if (o := r.output(slot)) is not None
    ]
    if not rows:
        return unknown("no valid decisions")
    gold, predicted, groups = zip(*rows, strict=True)
    return metrics.macro_f1(gold, predicted, evidence.labels(), groups=groups)


def latencies(rows: Rows) -> dict[str, Measure]:
    """Percentiles of the whole decision (retries included) and of the last request at the socket, in milliseconds.

    Over items: of one that was asked several times, the median of those repeats whose latency is known.
    """
    out = {}
    # how fast "I cannot" comes is no decision's latency
    answered = [r for r in rows if r.decision.outcome not in ("unsupported", "skipped")]
    items = [_asked_item(r) for r in answered]
    for prefix, values in (
        ("latency", [r.decision.latency_ms for r in answered]),
        ("request_latency", [r.decision.request_latency_ms for r in answered]),
    ):
        known = metrics.item_medians(values, items)
        # in the order of `known`: of the first row whose value is known
        groups = {item: r.item.group for r, item, v in zip(answered, items, values, strict=True) if v is not None}
        for name, share in (("p50", 0.50), ("p95", 0.95), ("p99", 0.99)):
            out[f"{prefix}_{name}_ms"] = (
                metrics.percentile(known, share, groups=list(groups.values())) if known else unknown("no timed answers")
            )
    return out


def disagreement(rows: Rows, slot: str, repeats: int) -> Measure:
    """Share of items whose valid repeats do not all choose the same option, among those with at least two of them."""
    if repeats == 1:
        return unknown("n/a: each item is asked once")
    choices: dict[tuple[str, int], list[str]] = {}
    groups: dict[tuple[str, int], str] = {}
    for r in rows:
        groups[_asked_item(r)] = r.item.group
        chosen = choices.setdefault(_asked_item(r), [])
        if (value := _value(r, slot)) is not None:
            chosen.append(value)
    return metrics.disagreement_rate(list(choices.values()), list(groups.values()))


def _asked_item(row: Row) -> tuple[str, int]:
    """What the repeats of an item have in common."""
    return (row.item.id, row.item.permutation)


def order_effects(evidence: Evidence, reference: Evidence | None, slot: str) -> dict[str, Measure]:
    """Flips against the reference suite's own decision, permuted and rerun, what is left of position, and ECE drift."""
    names = ("flip_rate", "flip_rate_rerun", "position_effect", "ece_drift")
    if reference is None:
        return {n: unknown("n/a: no reference suite") for n in names}
    base = {r.item.id: r for r in reference.first_rows}
    out, flips = {}, {}
    for name, kind in (("flip_rate", "permuted"), ("flip_rate_rerun", "rerun")):
        rows = [r for r in evidence.first_rows if r.item.slices.get("kind") == kind]
        pairs = [(_value(base.get(r.item.id), slot), _value(r, slot)) for r in rows]
        both = [(p, r.item.group) for p, r in zip(pairs, rows, strict=True) if None not in p]
        out[name] = (
            metrics.flip_rate([p for p, _ in both], [g for _, g in both])
            if both
            else unknown("no pair of valid decisions")
        )
        flips[kind] = [p[0] != p[1] for p, _ in both], [g for _, g in both]
    out["position_effect"] = metrics.position_effect(*flips["permuted"], *flips["rerun"])
    out["ece_drift"] = _ece_drift(evidence, base, slot)
    return out


def _value(row: Row | None, slot: str) -> str | None:
    output = row.output(slot) if row is not None else None
    return str(output.value) if output is not None else None


def _ece_drift(evidence: Evidence, base: dict[str, Row], slot: str) -> Measure:
    before, after, groups = [], [], []
    for r in evidence.first_rows:
        if r.item.slices.get("kind") != "permuted" or r.item.id not in base:
            continue
        a, b = base[r.item.id].output(slot), r.output(slot)
        if a is None or b is None or a.confidence is None or b.confidence is None:
            continue
        before.append((a.confidence, base[r.item.id].correct(slot)))
        after.append((b.confidence, r.correct(slot)))
        groups.append(r.item.group)
    if not before:
        return unknown("no pair of valid decisions with confidences")
    return metrics.ece_drift(
        [c for c, _ in before], [k for _, k in before], [c for c, _ in after], [k for _, k in after], groups
    )


def honesty(rows: Rows, slot: str) -> dict[str, Measure]:
    """Share of answers with confidence at most 0.5: where nothing can be known, and over the answerable controls."""
    out = {}
    for name, wanted in (("honest_rate", False), ("honest_rate_controls", True)):
        chosen = [
            (o.confidence <= HONEST_AT_MOST, r.item.group)
            for r in rows
            if (r.item.slices.get("kind") == "control") is wanted
            and (o := r.output(slot)) is not None
            and o.confidence is not None
        ]
        out[name] = (
            metrics.rate([h for h, _ in chosen], [g for _, g in chosen])
            if chosen
            else unknown("no valid decisions with a confidence")
        )
    return out
