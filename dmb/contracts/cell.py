"""Cells, receipts, scores, manifests: the evidence's index."""

from __future__ import annotations

from typing import Any, Literal

from dmb.contracts.frozen import Frozen, Sha256

CellStatus = Literal["complete", "dnf", "stopped", "skipped"]
RunStatus = Literal["running", "complete", "stopped", "failed", "interrupted"]


class Receipt(Frozen):
    """What a paid job declares to the workflow. It is written once and never edited."""

    cell_key: Sha256
    number: int
    contender: str
    suite: str
    run: str
    status: CellStatus
    stop_reason: str | None = None
    items: Sha256
    n_expected: int
    n_asked: int
    n_imported: int
    n_attempts: int
    outcomes: dict[str, int]
    raw: str | None = None
    raw_sha256: Sha256 | None = None
    simulated: bool = False
    wall_s: float
    parts: dict[str, Any]


class MeasureRecord(Frozen):
    """A number as it is published: value, interval, and what it was made of. A null value has a note."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    num: float | int | str | None = None
    den: float | int | str | None = None
    n_groups: int | None = None
    note: str | None = None


class SliceRecord(Frozen):
    """The same metrics over the rows where ``by`` has ``value``."""

    by: str
    value: str | int | bool
    n_expected: int
    metrics: dict[str, MeasureRecord]


class ReliabilityBin(Frozen):
    """Confidence in (low, high]; the first bin holds 0 too."""

    low: float
    high: float
    n: int
    mean_confidence: float
    accuracy: float


class CostRecord(Frozen):
    """What a cell's attempts cost: US dollars as decimal strings, each sum with the number of attempts that it is over.

    ``priced``: those whose cost by the table is known; ``charged``: those whose charge the provider reports;
    ``compared``: those of which both are known. ``unknown`` and ``tiers`` count attempts by reason and by tier.
    """

    n_attempts: int
    n_priced: int
    priced_usd: str
    unknown: dict[str, int] = {}
    tiers: dict[str, int] = {}
    n_charged: int = 0
    charged_usd: str | None = None
    n_compared: int = 0
    compared_priced_usd: str | None = None
    compared_charged_usd: str | None = None


class Score(Frozen):
    """``score.<n>.<scorekey>.json``: one cell's numbers, each recomputable from the receipt's raw log."""

    score_key: Sha256
    cell_key: Sha256
    receipt: str
    receipt_number: int
    receipt_sha256: Sha256
    contender: str
    suite: str
    status: CellStatus
    stop_reason: str | None
    source_run: str
    simulated: bool
    n_expected: int
    n_groups: int
    outcomes: dict[str, int]
    n_attempts: int
    confidence_kinds: tuple[str, ...]
    served_models: tuple[str, ...]
    metrics: dict[str, MeasureRecord]
    slices: tuple[SliceRecord, ...] = ()
    reliability: tuple[ReliabilityBin, ...] = ()
    predictions: dict[str, int] = {}
    prior: dict[str, Any] | None = None
    usage: dict[str, int | None] = {}
    cost: CostRecord | None = None
    cost_usd: str | None = None
    cost_note: str | None = None
