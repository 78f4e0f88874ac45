"""Which rows a measure is over, and which of them its numerator counts: what ``dmb explain`` lists.

The numbers themselves are made by ``dmb/scoring``; a test holds that these rows add up to its numerators and denominators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dmb.contracts.suite import SuiteFile
from dmb.scoring.cell_score import answerable
from dmb.scoring.confidence import BESIDE
from dmb.scoring.evidence import Evidence, Row
from dmb.scoring.measures import HONEST_AT_MOST


@dataclass(frozen=True, slots=True)
class Member:
    """One row of a measure. ``counts``: whether the numerator has it, None where there is no such thing.

    ``value``: what it brings in, in words. ``beside``: the row of the reference suite that it is compared with.
    """

    row: Row
    counts: bool | None = None
    value: str = ""
    beside: Row | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """What can be counted: a cell's rows (of one slice, where one is asked for), and those of the reference suite."""

    all: tuple[Row, ...]
    suite: SuiteFile
    slot: str
    reference: Evidence | None

    @property
    def first(self) -> list[Row]:
        """The first repeat of each item."""
        return [r for r in self.all if r.repeat == 0]

    @property
    def answerable(self) -> Sequence[Row]:
        """Those of them that have a right answer."""
        return answerable(self.first, self.suite)


_Of = Callable[[Rows], list[Member]]


def _valid(rows: Rows) -> list[Member]:
    return [Member(r, r.correct(rows.slot)) for r in rows.answerable if r.decision.outcome == "valid"]


def _end_to_end(rows: Rows) -> list[Member]:
    return [Member(r, r.correct(rows.slot)) for r in rows.answerable if r.decision.outcome != "skipped"]


def _worst_case(rows: Rows) -> list[Member]:
    return [Member(r, r.correct(rows.slot)) for r in rows.answerable]


def _best_case(rows: Rows) -> list[Member]:
    return [Member(r, r.decision.outcome != "valid" or r.correct(rows.slot)) for r in rows.answerable]


def _outcome(name: str) -> _Of:
    return lambda rows: [Member(r, r.decision.outcome == name) for r in rows.all if r.decision.outcome != "skipped"]


def _of_expected(hit: Callable[[Row], bool]) -> _Of:
    return lambda rows: [Member(r, hit(r)) for r in rows.all]


def _predicted(rows: Rows) -> list[Member]:
    return [Member(r, value=f"gold {r.item.gold[rows.slot]}") for r in rows.first if r.output(rows.slot) is not None]


def _with_confidence(rows: Rows) -> list[Member]:
    return [
        Member(r, value="correct" if r.correct(rows.slot) else "wrong")
        for r in rows.first
        if (o := r.output(rows.slot)) is not None and o.confidence is not None
    ]


def _timed(rows: Rows) -> list[Member]:
    answered = [r for r in rows.all if r.decision.outcome not in ("unsupported", "skipped")]
    return [Member(r, value=f"{r.decision.latency_ms} ms") for r in answered if r.decision.latency_ms is not None]


def _request_timed(rows: Rows) -> list[Member]:
    answered = [r for r in rows.all if r.decision.outcome not in ("unsupported", "skipped")]
    known = [r for r in answered if r.decision.request_latency_ms is not None]
    return [Member(r, value=f"{r.decision.request_latency_ms} ms") for r in known]


def _completed(rows: Rows) -> list[Member]:
    return [Member(r) for r in rows.all if r.decision.outcome != "skipped"]


def _pairs(kind: str) -> _Of:
    def of(rows: Rows) -> list[Member]:
        base = {r.item.id: r for r in (rows.reference.first_rows if rows.reference else ())}
        found = []
        for r in rows.first:
            other = base.get(r.item.id)
            if r.item.slices.get("kind") != kind or other is None:
                continue
            a, b = other.output(rows.slot), r.output(rows.slot)
            if a is not None and b is not None:
                found.append(Member(r, str(a.value) != str(b.value), f"{a.value} there, {b.value} here", other))
        return found

    return of


def _honest(control: bool) -> _Of:
    return lambda rows: [
        Member(r, o.confidence <= HONEST_AT_MOST)
        for r in rows.first
        if (r.item.slices.get("kind") == "control") is control
        and (o := r.output(rows.slot)) is not None
        and o.confidence is not None
    ]


#: Measure -> its rows. A measure that is not here is over the first repeat of all rows.
_MEMBERS: dict[str, _Of] = {
    "accuracy_valid": _valid,
    "accuracy_end_to_end": _end_to_end,
    "accuracy_worst_case": _worst_case,
    "accuracy_best_case": _best_case,
    **{f"{name}_rate": _outcome(name) for name in ("malformed", "truncated", "refused", "failed", "unsupported")},
    "completed_rate": _of_expected(lambda r: r.decision.outcome != "skipped"),
    "valid_rate": _of_expected(lambda r: r.decision.outcome == "valid"),
    "macro_f1": _predicted,
    **dict.fromkeys(("ece", "brier", *BESIDE), _with_confidence),
    **{f"latency_{p}_ms": _timed for p in ("p50", "p95", "p99")},
    **{f"request_latency_{p}_ms": _request_timed for p in ("p50", "p95", "p99")},
    "cost_usd_per_1000": _completed,
    "cost_unknown_rate": _completed,
    "cached_share": _completed,
    "flip_rate": _pairs("permuted"),
    "flip_rate_rerun": _pairs("rerun"),
    "ece_drift": _pairs("permuted"),
    "honest_rate": _honest(False),
    "honest_rate_controls": _honest(True),
}


def members_of(measure: str, rows: Rows) -> list[Member]:
    """The rows that a measure (without its slot's prefix) is over, in the frozen order."""
    return _MEMBERS.get(measure, lambda rows: [Member(r) for r in rows.first])(rows)
