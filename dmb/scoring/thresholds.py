"""What accepting answers from a confidence on would keep, and how much of that would be wrong."""

from __future__ import annotations

from dmb import metrics
from dmb.contracts.cell import ThresholdRecord
from dmb.scoring.confidence import Sure
from dmb.scoring.records import record, rounded

#: Confidences from which to accept that are looked at whatever the answers are.
FIXED = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
#: Shares of errors that somebody may tolerate, for which cut-offs are chosen.
TARGETS = (0.01, 0.05, 0.10)
#: Groups are dealt out to folds by this seed, so that the folds are the same for ever.
FOLD_SEED = 0


def threshold_records(sure: Sure) -> tuple[ThresholdRecord, ...]:
    """The fixed ones, then a cut-off for each target, over valid decisions with a confidence; empty without any.

    The cut-offs need two groups: one to be chosen on and one to be judged on.
    """
    confidence, correct, groups = sure
    if not confidence:
        return ()
    records = [_fixed(at, confidence, correct, groups) for at in FIXED]
    if len(set(groups)) > 1:
        folds = metrics.group_folds(groups, seed=FOLD_SEED)
        records += [
            ThresholdRecord(
                target=row.target_error,
                cutoff=rounded(row.threshold),
                fold_cutoffs=tuple(rounded(cut) for cut in row.fold_thresholds),
                kept=record(row.kept),
                error=record(row.error),
            )
            for row in metrics.threshold_table(confidence, correct, folds, groups, target_errors=TARGETS)
        ]
    return tuple(records)


def _fixed(at: float, confidence: list[float], correct: list[bool], groups: list[str]) -> ThresholdRecord:
    kept = [c >= at for c in confidence]
    wrong = [(not k, g) for c, k, g in zip(confidence, correct, groups, strict=True) if c >= at]
    error = metrics.rate([w for w, _ in wrong], [g for _, g in wrong]) if wrong else metrics.unknown("nothing is kept")
    return ThresholdRecord(at=at, kept=record(metrics.rate(kept, groups)), error=record(error))
