"""How accuracy changes as lists of options grow."""

from __future__ import annotations

from collections.abc import Sequence

from dmb import metrics
from dmb.metrics import Trend, unknown
from dmb.scoring.evidence import Row

#: The slice that holds the number of options.
N_OPTIONS = "n_options"


def accuracy_trend(rows: Sequence[Row], slot: str) -> Trend:
    """Of valid decisions, over log2 of the number of options. Sizes that cannot be asked are left out."""
    valid = [(int(r.item.slices[N_OPTIONS]), r) for r in rows if r.decision.outcome == "valid"]
    if not valid:
        return Trend(unknown("no valid decisions"))
    return metrics.log2_trend(
        [n for n, _ in valid], [r.correct(slot) for _, r in valid], [r.item.group for _, r in valid]
    )
