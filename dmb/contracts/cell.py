"""What a cell comes to: measures, slices, costs, and the score that holds them."""

from __future__ import annotations

from typing import Any

from dmb.contracts.answers import AnswerColumns
from dmb.contracts.frozen import FrozenLate, Sha256
from dmb.contracts.receipt import CellStatus


class MeasureRecord(FrozenLate):
    """A number as it is published: value, interval, and what it was made of. A null value has a note."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    num: float | int | str | None = None
    den: float | int | str | None = None
    n_groups: int | None = None
    note: str | None = None


class SliceRecord(FrozenLate):
    """The same metrics over the rows where ``by`` has ``value``."""

    by: str
    value: str | int | bool
    n_expected: int
    metrics: dict[str, MeasureRecord]


class ReliabilityBin(FrozenLate):
    """Confidence in (low, high]; the first bin holds 0 too."""

    low: float
    high: float
    n: int
    mean_confidence: float
    accuracy: float


class PlaceRecord(FrozenLate):
    """One part of the list of options: how often a choice falls there, beside how often the right option stands there.

    ``part`` of ``n_parts`` counts from 0, the top of the list; with lists of ``n_parts`` options it is a single place.
    ``gold`` and ``options``: shares of the right options, and of all options, that stand there. ``excess``: ``chosen``
    minus ``gold``, paired; above 0 the contender prefers this part.
    """

    part: int
    n_parts: int
    chosen: MeasureRecord
    gold: float
    options: float
    excess: MeasureRecord


class ThresholdRecord(FrozenLate):
    """What accepting answers from a confidence on keeps, and how many of the kept are wrong.

    Either ``at``, a confidence that was fixed beforehand; or ``target``, a tolerated share of errors: then ``cutoff`` is
    the smallest confidence that meets it on all rows, ``fold_cutoffs`` are those chosen without each fold, and ``kept``
    and ``error`` say what these did on the folds on which they were not chosen. A cut-off is None where none meets it.
    """

    at: float | None = None
    target: float | None = None
    cutoff: float | None = None
    fold_cutoffs: tuple[float | None, ...] = ()
    kept: MeasureRecord
    error: MeasureRecord


class CostRecord(FrozenLate):
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


class NegotiationSpend(FrozenLate):
    """A run's probes of a contender, and what they cost apart from what is scored.

    All cells of that run and contender rest on the same probes, so it is never to be added up over suites. No ``cost``:
    ``note`` says why. No counts: nothing is known of the probes.
    """

    run: str
    settings: dict[str, Any] | None
    given_up: tuple[str, ...]
    n_probes: int | None
    n_attempts: int | None
    cost: CostRecord | None = None
    note: str | None = None


class TimingRecord(FrozenLate):
    """How the times of a cell were taken, over its attempts that were sent over a wire; medians are in milliseconds.

    ``lagged``: the asking process was kept from running for more than 10 ms, or 10 % of the request, so that those times
    say more about the asking machine. Connection set-up (TCP, then TLS) and client wait are no part of a request's time.
    """

    n_attempts: int
    n_timed: int
    lagged: MeasureRecord
    new_connections: MeasureRecord
    connect_ms: MeasureRecord
    tls_ms: MeasureRecord
    first_byte_ms: MeasureRecord
    client_wait_ms: MeasureRecord


class Score(FrozenLate):
    """``score.<n>.<scorekey>.json``: one cell's numbers, each recomputable from the receipt's raw log.

    ``cost_other``: the same attempts by the other price table: that of the run for a draft, today's for merged runs; None
    where the two do not differ. ``repeats``: how often each item was asked. ``timing``: None where nothing was sent over a wire. ``answers``: one for
    each choice slot. ``places`` and ``thresholds``: of the first of them, empty where there is nothing to read them off.
    """

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
    repeats: int = 1
    outcomes: dict[str, int]
    n_attempts: int
    confidence_kinds: tuple[str, ...]
    served_models: tuple[str, ...]
    metrics: dict[str, MeasureRecord]
    slices: tuple[SliceRecord, ...] = ()
    reliability: tuple[ReliabilityBin, ...] = ()
    predictions: dict[str, int] = {}
    places: tuple[PlaceRecord, ...] = ()
    thresholds: tuple[ThresholdRecord, ...] = ()
    prior: dict[str, Any] | None = None
    usage: dict[str, int | None] = {}
    cost: CostRecord | None = None
    cost_usd: str | None = None
    cost_note: str | None = None
    cost_other: CostRecord | None = None
    negotiation: tuple[NegotiationSpend, ...] = ()
    timing: TimingRecord | None = None
    answers: tuple[AnswerColumns, ...] = ()
