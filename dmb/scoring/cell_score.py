"""One cell's score file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dmb import metrics
from dmb.canonical import sha256_hex
from dmb.collector import uncollected
from dmb.contracts.attempt import OUTCOMES
from dmb.contracts.cell import ReliabilityBin, Score, SliceRecord
from dmb.contracts.price import PriceRow
from dmb.contracts.suite import SuiteFile
from dmb.metrics import Measure
from dmb.price_tiers import ordered_tier
from dmb.pricing import usd_digits
from dmb.scoring import confidence, measures
from dmb.scoring.answers import answer_columns
from dmb.scoring.costs import cached_share, costs, used_tokens
from dmb.scoring.evidence import Evidence, Row, open_evidence
from dmb.scoring.negotiation import negotiation_spend
from dmb.scoring.places import place_records
from dmb.scoring.records import record, rounded
from dmb.scoring.thresholds import threshold_records
from dmb.scoring.timing import timing_record
from dmb.scoring.trend import N_OPTIONS, accuracy_trend
from dmb.store.evidence_root import HERE, EvidenceRoot
from dmb.store.frozen_items import gold_shares, load_items
from dmb.store.layout import items_path


@uncollected
def score_cell(
    receipt: Path,
    suite: SuiteFile,
    prices: Sequence[PriceRow],
    reference: Path | None,
    score_key: str,
    root: EvidenceRoot = HERE,
    other_prices: Sequence[PriceRow] | None = None,
) -> Score:
    """Everything about one cell. ``reference``: receipt of the cell that this one is compared with; paths below ``root``.

    ``other_prices``: rows of the other table, where it differs from the one that counts.
    """
    evidence = open_evidence(receipt, suite.slots, root)
    compared = open_evidence(reference, suite.slots, root) if reference is not None else None
    return score_evidence(evidence, suite, prices, compared, score_key, root, other_prices)


def score_evidence(
    evidence: Evidence,
    suite: SuiteFile,
    prices: Sequence[PriceRow],
    compared: Evidence | None,
    score_key: str,
    root: EvidenceRoot = HERE,
    other_prices: Sequence[PriceRow] | None = None,
) -> Score:
    """The same of evidence that is open."""
    rec = evidence.receipt
    choices = [s for s in suite.slots if s.kind == "choice"]
    prefix = len(suite.slots) > 1
    named: dict[str, Measure] = {}
    for slot in choices:
        found = _slot_measures(evidence, compared, suite, slot.id)
        named |= {f"{slot.id}.{k}" if prefix else k: v for k, v in found.items()}
    named |= measures.outcome_rates(evidence.rows)
    named |= measures.latencies(evidence.rows)
    tier = ordered_tier(rec.parts["contender"].get("settings", {}))
    cost = costs(evidence.rows, prices, tier)
    named |= {"cost_usd_per_1000": cost.per_1000, "cost_unknown_rate": cost.unknown_rate}
    named["cached_share"] = cached_share(evidence.rows)
    slot = choices[0].id
    outputs = [o for r in evidence.first_rows if (o := r.output(slot)) is not None]
    sure = confidence.sure_of(evidence.first_rows, slot)
    bins = metrics.reliability(sure.confidence, sure.correct)
    outcomes = Counter(r.decision.outcome for r in evidence.rows)
    counted = {(r.item.id, r.item.permutation) for r in answerable(evidence.first_rows, suite)}
    return Score(
        score_key=score_key,
        cell_key=rec.cell_key,
        receipt=str(evidence.path),
        receipt_number=rec.number,
        receipt_sha256=sha256_hex(root.at(evidence.path).read_bytes()),
        contender=rec.contender,
        suite=rec.suite,
        status=rec.status,
        stop_reason=rec.stop_reason,
        source_run=rec.run,
        simulated=rec.simulated,
        n_expected=rec.n_expected,
        n_groups=len({r.item.group for r in evidence.rows}),
        repeats=evidence.repeats,
        outcomes={o: outcomes[o] for o in OUTCOMES},
        n_attempts=sum(len(r.attempts) for r in evidence.rows),
        confidence_kinds=tuple(sorted({o.confidence_kind for o in outputs if o.confidence_kind is not None})),
        served_models=tuple(
            sorted({r.decision.served_model for r in evidence.rows if r.decision.served_model is not None})
        ),
        metrics={k: record(v) for k, v in named.items()},
        slices=tuple(_slices(evidence, suite, slot)),
        reliability=tuple(_bin(b) for b in bins),
        predictions=metrics.prediction_histogram([str(o.value) for o in outputs])
        if suite.metrics.stable_labels and outputs
        else {},
        places=place_records(evidence, slot),
        thresholds=threshold_records(sure),
        prior=_prior(evidence, suite, slot, root),
        usage=used_tokens(evidence.rows),
        cost=cost.record,
        cost_usd=None if cost.total_usd is None else usd_digits(cost.total_usd),
        cost_note=cost.note,
        cost_other=None if other_prices is None else costs(evidence.rows, other_prices, tier).record,
        negotiation=negotiation_spend(rec, prices, tier, root),
        timing=timing_record(evidence.rows),
        answers=tuple(answer_columns(evidence, s.id, counted) for s in choices),
    )


def _slot_measures(evidence: Evidence, compared: Evidence | None, suite: SuiteFile, slot: str) -> dict[str, Measure]:
    rows: Sequence[Row] = evidence.first_rows
    judged = answerable(rows, suite)
    named = measures.accuracy(judged, slot) | measures.accuracy_band(judged, slot)
    named["macro_f1"] = measures.macro_f1(evidence, suite, slot)
    sure = confidence.sure_of(rows, slot)
    named |= confidence.calibration(sure) | confidence.beside_calibration(sure) | confidence.options_loss(rows, slot)
    named["disagreement_rate"] = measures.disagreement(evidence.rows, slot, evidence.repeats)
    if suite.metrics.compare_with is not None:
        named |= measures.order_effects(evidence, compared, slot)
    if suite.metrics.honesty:
        named |= measures.honesty(rows, slot)
    if N_OPTIONS in suite.metrics.by:
        named["accuracy_per_doubling"] = accuracy_trend(rows, slot).slope
    return named


def answerable(rows: Sequence[Row], suite: SuiteFile) -> Sequence[Row]:
    """Where most items have no right answer, accuracy is a question to the others alone."""
    return [r for r in rows if r.item.slices.get("kind") == "control"] if suite.metrics.honesty else rows


def _slices(evidence: Evidence, suite: SuiteFile, slot: str) -> list[SliceRecord]:
    out = []
    fitted = dict(accuracy_trend(evidence.first_rows, slot).line) if N_OPTIONS in suite.metrics.by else {}
    for by in suite.metrics.by:
        values = {r.item.slices[by] for r in evidence.first_rows if by in r.item.slices}
        for value in sorted(values, key=lambda v: (str(type(v)), v)):
            rows = [r for r in evidence.rows if r.item.slices.get(by) == value]
            first = [r for r in rows if r.repeat == 0]
            named = measures.accuracy(first, slot) | confidence.calibration(confidence.sure_of(first, slot))
            named |= measures.latencies(rows)
            named["unsupported_rate"] = measures.outcome_rates(rows)["unsupported_rate"]
            if by == N_OPTIONS and value in fitted:
                named["accuracy_trend"] = fitted[value]
            out.append(
                SliceRecord(by=by, value=value, n_expected=len(rows), metrics={k: record(v) for k, v in named.items()})
            )
    return out


def _prior(evidence: Evidence, suite: SuiteFile, slot: str, root: EvidenceRoot) -> dict[str, Any] | None:
    """Where a class prior was used: its source suite, top option, share, and the digest of the file it is from."""
    digest = evidence.receipt.parts["learns"].get("prior")
    if digest is None or suite.baseline.prior is None:
        return None
    shares = gold_shares(load_items(root.at(items_path(suite.baseline.prior, digest)), digest), slot)
    option, share = next(iter(shares.items()))
    return {"suite": suite.baseline.prior, "option": option, "value": rounded(share), "file_sha256": digest}


def _bin(b: metrics.Bin) -> ReliabilityBin:
    return ReliabilityBin(
        low=b.low,
        high=b.high,
        n=b.n,
        mean_confidence=rounded(b.mean_confidence) or 0.0,
        accuracy=rounded(b.accuracy) or 0.0,
    )
