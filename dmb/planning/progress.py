"""How far a run has come: from what its files say, at an instant that is given. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from dmb.contracts.attempt import OUTCOMES
from dmb.contracts.receipt import Receipt
from dmb.engine.stops import EVERY_LANE, lane_mark
from dmb.planning.tally import Tally
from dmb.store.runs import OWNER_GONE

#: A rate is that of the last so many seconds.
RATE_S = 30.0

#: The time left goes by a longer stretch: under a limit per minute, rows come in bursts with half a minute in between.
PACE_S = 120.0

State = Literal["waiting", "preparing", "asking", "complete", "dnf", "stopped", "skipped", "failed", "unfinished"]

#: Cells in these states still have rows to come.
OPEN: frozenset[State] = frozenset({"waiting", "preparing", "asking"})


@dataclass(frozen=True, slots=True)
class CellPlan:
    """What a run's plan says of one cell.

    ``retries``: (failed, malformed), as the protocol and the suite have them. ``skip``: why it will not be asked.
    ``billed``: whether a stop for want of money holds for it, whosever money it was.
    """

    key: str
    contender: str
    suite: str
    lane: str
    n_expected: int
    retries: tuple[int, int]
    skip: str | None = None
    billed: bool = True
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Spend:
    """US dollars of the release, all its runs together, against its caps; None is unknown, ``problem`` says why."""

    committed_usd: Decimal | None = None
    reserved_usd: Decimal | None = None
    unsettled_usd: Decimal | None = None
    run_usd: Decimal | None = None
    soft_usd: Decimal | None = None
    hard_usd: Decimal | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the files of a run say, its logs apart.

    ``host``: where its process is, if not here, and ``heard_at`` when it last said that it lives, by its own clock.
    ``gone``: that process has ended without closing it. ``receipts`` and ``begun`` go by cell key; a receipt may be
    another run's that finished the cell meanwhile. ``stops``: marks by name, with their texts.
    """

    run: str
    release: str | None
    status: str
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    host: str | None
    gone: bool
    receipts: Mapping[str, Receipt]
    begun: frozenset[str]
    stops: Mapping[str, str]
    spend: Spend = Spend()
    heard_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class CellNow:
    """One cell. ``rate`` in rows a second and ``left_s`` are None where they cannot be told."""

    contender: str
    suite: str
    lane: str
    state: State
    reason: str | None
    n_expected: int
    n_done: int
    n_taken_over: int
    outcomes: Mapping[str, int]
    n_unreadable: int
    rate: float | None
    left_s: float | None

    @property
    def name(self) -> str:
        """As it is called wherever a person reads it."""
        return f"{self.contender} x {self.suite}"

    @property
    def n_not_valid(self) -> int:
        """Finished rows that are no valid decision; those never asked do not count."""
        return sum(n for o, n in self.outcomes.items() if o not in ("valid", "skipped"))


@dataclass(frozen=True, slots=True)
class LaneNow:
    """Rows to come in one lane. ``stopped``: why it asks no more."""

    id: str
    n_left: int
    rate: float | None
    left_s: float | None
    stopped: str | None


@dataclass(frozen=True, slots=True)
class RunNow:
    """A run at an instant.

    ``host`` and ``heard_at``: as in the facts. ``left_s`` is that of the slowest lane that can be told;
    ``left_unknown``: the lanes that cannot.
    """

    run: str
    release: str | None
    status: str
    host: str | None
    at: dt.datetime
    elapsed_s: float | None
    cells: tuple[CellNow, ...]
    lanes: tuple[LaneNow, ...]
    spend: Spend
    rate: float | None
    left_s: float | None
    left_unknown: tuple[str, ...]
    ended: bool
    simulated: bool
    heard_at: dt.datetime | None = None

    @property
    def n_expected(self) -> int:
        """Rows to be answered; those of skipped cells are not."""
        return sum(c.n_expected for c in self.cells if c.state != "skipped")

    @property
    def n_done(self) -> int:
        """Rows that are finished, those taken over included."""
        return sum(c.n_done for c in self.cells if c.state != "skipped")

    @property
    def n_left(self) -> int:
        """Rows that are still to come."""
        return sum(lane.n_left for lane in self.lanes)


def run_now(facts: RunFacts, plans: Sequence[CellPlan], tallies: Mapping[str, Tally], now: dt.datetime) -> RunNow:
    """How far the run has come at ``now``. ``tallies`` by cell key; a cell without one has logged nothing."""
    ended = facts.status != "running" or facts.gone
    cells, lanes = [], []
    for tally in tallies.values():
        tally.forget(now.timestamp() - PACE_S)
    for plan in plans:
        cells.append(_cell_now(facts, plan, tallies.get(plan.key) or Tally(plan.retries), ended, now.timestamp()))
    for lane in dict.fromkeys(p.lane for p in plans):
        of_lane = [(p, c) for p, c in zip(plans, cells, strict=True) if p.lane == lane]
        lanes.append(_lane_now(facts, lane, of_lane, tallies, ended, now.timestamp()))
    busy = [lane for lane in lanes if lane.n_left]
    known = [lane.left_s for lane in busy if lane.left_s is not None]
    rates = [lane.rate for lane in lanes if lane.rate is not None]
    until = facts.ended_at if ended and facts.ended_at is not None else now
    return RunNow(
        run=facts.run,
        release=facts.release,
        status="gone" if facts.gone and facts.status == "running" else facts.status,
        host=facts.host,
        at=now,
        elapsed_s=None if facts.started_at is None else max(0.0, (until - facts.started_at).total_seconds()),
        cells=tuple(cells),
        lanes=tuple(lanes),
        spend=facts.spend,
        rate=sum(rates) if rates else None,
        left_s=max(known, default=None),
        left_unknown=tuple(lane.id for lane in busy if lane.left_s is None),
        ended=ended,
        simulated=any(p.simulated for p in plans),
        heard_at=facts.heard_at,
    )


def _cell_now(facts: RunFacts, plan: CellPlan, tally: Tally, ended: bool, now: float) -> CellNow:
    receipt = facts.receipts.get(plan.key)
    state, reason = _state(facts, plan, tally, ended)
    n_done, n_taken_over, outcomes = tally.n_done, tally.n_taken_over, dict(tally.outcomes)
    if receipt is not None:
        # the receipt has counted every row; the log may not have been read at all
        outcomes = {o: n for o, n in receipt.outcomes.items() if n}
        n_done, n_taken_over = receipt.n_expected - outcomes.get("skipped", 0), receipt.n_imported
    asked = [tally] if state == "asking" else []
    return CellNow(
        contender=plan.contender,
        suite=plan.suite,
        lane=plan.lane,
        state=state,
        reason=reason,
        n_expected=plan.n_expected,
        n_done=n_done,
        n_taken_over=n_taken_over,
        outcomes=outcomes,
        n_unreadable=tally.n_unreadable,
        rate=_rate(asked, RATE_S, now),
        left_s=_left(plan.n_expected - n_done, _rate(asked, PACE_S, now)) if asked else None,
    )


def _state(facts: RunFacts, plan: CellPlan, tally: Tally, ended: bool) -> tuple[State, str | None]:
    receipt = facts.receipts.get(plan.key)
    if receipt is not None:
        other = None if receipt.run == facts.run else f"by run {receipt.run}"
        return receipt.status, receipt.stop_reason or other
    if (failed := facts.stops.get(f"failed.{plan.key[:16]}")) is not None:
        return "failed", failed
    if plan.skip is not None:
        return "skipped", plan.skip
    if ended:
        return "unfinished", None
    stop = _lane_stop(facts, plan)
    if tally.first_sent is not None:
        return "asking", stop and f"stopping: {stop}"
    return ("preparing" if tally.n_done or plan.key in facts.begun else "waiting"), stop and f"lane stopped: {stop}"


def _lane_stop(facts: RunFacts, plan: CellPlan) -> str | None:
    names = [lane_mark(plan.lane), OWNER_GONE, *([EVERY_LANE] if plan.billed else [])]
    return next((facts.stops[name] for name in names if name in facts.stops), None)


def _lane_now(
    facts: RunFacts,
    lane: str,
    of_lane: Sequence[tuple[CellPlan, CellNow]],
    tallies: Mapping[str, Tally],
    ended: bool,
    now: float,
) -> LaneNow:
    stopped = next((s for p, _ in of_lane if (s := _lane_stop(facts, p)) is not None), None)
    n_left = sum(c.n_expected - c.n_done for _, c in of_lane if c.state in OPEN)
    if stopped is not None or ended:
        n_left = 0
    asked = [] if ended else [t for p, _ in of_lane if (t := tallies.get(p.key)) is not None]
    return LaneNow(
        id=lane,
        n_left=n_left,
        rate=_rate(asked, RATE_S, now),
        left_s=_left(n_left, _rate(asked, PACE_S, now)),
        stopped=stopped,
    )


def _rate(tallies: Sequence[Tally], over_s: float, now: float) -> float | None:
    """Rows a second over the last seconds, or since the first attempt; None without a row in them."""
    n = sum(t.done_since(now - over_s, now) for t in tallies)
    first = min((t.first_sent for t in tallies if t.first_sent is not None), default=None)
    return n / max(1.0, min(over_s, now - first)) if n and first is not None else None


def _left(n: int, rate: float | None) -> float | None:
    if n <= 0:
        return 0.0
    return None if rate is None else n / rate


def _utc(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def as_json(run: RunNow, exit_code: int | None) -> dict[str, Any]:
    """The same as plain data: instants in UTC, money as decimal strings, what cannot be told as null."""
    return {
        "at": _utc(run.at),
        "run": run.run,
        "release": run.release,
        "status": run.status,
        "ended": run.ended,
        "simulated": run.simulated,
        "host": run.host,
        "heard_at": _utc(run.heard_at) if run.heard_at is not None else None,
        "exit_code": exit_code,
        "elapsed_s": _rounded(run.elapsed_s),
        "n_expected": run.n_expected,
        "n_done": run.n_done,
        "rows_per_s": _rounded(run.rate),
        "left_s": _rounded(run.left_s),
        "left_unknown": list(run.left_unknown),
        "spend": {f: _text(getattr(run.spend, f)) for f in Spend.__slots__},
        "lanes": [
            {
                "id": lane.id,
                "n_left": lane.n_left,
                "rows_per_s": _rounded(lane.rate),
                "left_s": _rounded(lane.left_s),
                "stopped": lane.stopped,
            }
            for lane in run.lanes
        ],
        "cells": [
            {
                "contender": c.contender,
                "suite": c.suite,
                "lane": c.lane,
                "state": c.state,
                "reason": c.reason,
                "n_expected": c.n_expected,
                "n_done": c.n_done,
                "n_taken_over": c.n_taken_over,
                "outcomes": {o: c.outcomes.get(o, 0) for o in OUTCOMES},
                "rows_per_s": _rounded(c.rate),
                "left_s": _rounded(c.left_s),
            }
            for c in run.cells
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _text(value: Decimal | str | None) -> str | None:
    return format(value, "f") if isinstance(value, Decimal) else value
