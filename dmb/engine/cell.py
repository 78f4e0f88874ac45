"""One cell, asked: earlier rows taken over, the rest asked in a lane, and a receipt for every ending but a crash."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from dmb.contracts.attempt import OUTCOMES, Attempt
from dmb.contracts.decision import Decision
from dmb.contracts.receipt import CellStatus, Receipt
from dmb.contracts.slot import Slot
from dmb.engine.clock import REAL, Clock
from dmb.engine.contact import Contact, open_contact, serve_log
from dmb.engine.decide import decide, is_finished
from dmb.engine.earlier import Earlier, logged_attempts
from dmb.engine.item import ask_item
from dmb.engine.judge import Verdict, judge_row
from dmb.engine.negotiate import AUTO, negotiations
from dmb.engine.questions import Questions
from dmb.engine.spool import DecisionSpool
from dmb.engine.stopped import EveryLaneStopped, LaneStopped, Stopped
from dmb.engine.stops import RUN_STOPPED, Stops
from dmb.engine.threads import in_threads
from dmb.errors import DmbError
from dmb.store.attempts import AttemptLog, read_attempts
from dmb.store.files import file_sha256, pretty_json, write_whole
from dmb.store.layout import cell_dir, decisions_file, raw_log, taken_over_file
from dmb.store.locks import CellLock, check_host
from dmb.store.plan_file import planned_job
from dmb.store.receipts import LANE_STOPPED, write_receipt
from dmb.store.run_state import has_ended
from dmb.store.runs import mark
from dmb.turns import Turns

#: So many items that fail one after the other, retries included, are no accident of the items.
FAILURES_THAT_STOP = 10


def ask_cell(run: str, cell_key: str, out: Path, clock: Clock = REAL) -> None:
    """Ask the cell that ``run`` planned under ``cell_key`` and write its receipt to ``out``; waits go by ``clock``.

    Raises ``DmbError``: the run has ended, another process asks this cell, items are damaged, a credential that the
    plan saw is gone. A failure leaves a mark in the run, never a receipt.
    """
    try:
        _ask_cell(run, cell_key, out, clock)
    except (DmbError, OSError) as e:
        mark(run, f"failed.{cell_key[:16]}", str(e))
        raise


def _ask_cell(run: str, cell_key: str, out: Path, clock: Clock) -> None:
    full, cell, plan = planned_job(run, cell_key)
    if has_ended(run):
        raise DmbError(f"run {run} has ended: nothing may be asked under it; start again")
    with CellLock(cell_dir(cell["contender"], cell["suite"], full), run) as lock:
        if out.exists():
            return  # an orphan of an earlier start finished it since the plan was made; its receipt stands
        if cell["skip"] is None and cell["provider"].get("billed", True):
            check_host(run)
        began = clock.elapsed_s()
        work = _Cell(run, full, cell, plan, clock, lock.lost)
        status, reason = work.ask()
        write_receipt(out, work.receipt(status, reason, round(clock.elapsed_s() - began, 3)))


def _place(row: Attempt) -> tuple[Any, ...]:
    """What names one attempt among those of its cell."""
    return (row.item, row.permutation, row.repeat, row.attempt, row.origin)


class _Cell:
    """The state of one cell while it is asked."""

    def __init__(
        self,
        run: str,
        key: str,
        plan: dict[str, Any],
        release: dict[str, Any],
        clock: Clock,
        lost: Callable[[], bool] = lambda: False,
    ) -> None:
        """``lost``: whether the cell's lock was given to somebody else."""
        self.lost = lost
        self.run, self.key, self.plan, self.release, self.clock = run, key, plan, release, clock
        self.contender, self.suite = plan["contender"], plan["suite"]
        self.ids = {"cell": key, "contender": self.contender, "suite": self.suite}
        self.slots = tuple(Slot.model_validate(s) for s in plan["slots"])
        self.protocol = plan["protocol"]
        self.retries = (self.protocol["retry_failed"], plan["policy"]["retry_malformed"])
        self.raw = raw_log(run, self.contender, self.suite)
        self.stops = Stops(run, plan["lane"]["id"], plan["provider"].get("billed", True))
        self.began = clock.elapsed_s()
        self.stop_reason: str | None = None
        self.n_attempts = self.n_imported = self.n_failed_in_a_row = 0
        self.asked = bytearray()
        #: Runs that asked a row of this cell: their probes say how.
        self.askers: set[str] = set()
        self.simulated = False
        self.outcomes: dict[str, int] = {}
        self._lock = threading.Lock()

    # -- what is to be asked

    def ask(self) -> tuple[CellStatus, str | None]:
        if self.plan["skip"] is not None:
            return "skipped", self.plan["skip"]
        if (reason := self.stops.lane_reason()) is not None:
            return "skipped", f"{LANE_STOPPED}: {reason}"
        decisions = decisions_file(self.run, self.contender, self.suite)
        with Questions(self.plan, self.slots) as questions, closing(DecisionSpool(decisions, len(questions))) as spool:
            self.asked = bytearray(len(questions))
            earlier = logged_attempts(self.contender, self.suite, self.key, self.run)
            todo = self._take_over(questions, earlier, spool)
            with AttemptLog(self.raw) as log:
                if todo:
                    self._ask_all(questions, todo, earlier, log, spool)
                if self._is_over():
                    # it may have been stopped during the last request, which nothing followed that would have looked
                    self.stop_reason = RUN_STOPPED
                else:
                    self._log_earlier(earlier, log)
            spool.finish(lambda n: self._decide(questions, n, earlier.rows(questions.key(n))))
            self.outcomes = dict(spool.outcomes)
        if self.stop_reason is None:
            return "complete", None
        if self.stop_reason == "deadline":
            return "dnf", "deadline"
        if self.stop_reason == RUN_STOPPED:
            # the run is over: the receipt's path belongs to the next one
            raise DmbError(f"run {self.run} was stopped while {self.contender} x {self.suite} was asked; start again")
        return "stopped", self.stop_reason

    def _take_over(self, questions: Questions, earlier: Earlier, spool: DecisionSpool) -> Sequence[int]:
        """Put the decisions of items that earlier rows finish; return the questions that are left."""
        if not earlier:
            return range(len(questions))
        todo = []
        taken_over: Counter[str] = Counter()
        for row in chain.from_iterable(map(earlier.seen, earlier)):
            self._count(row)
        for n in range(len(questions)):
            key = questions.key(n)
            seen = earlier.seen(key)
            if any(row.origin is None for row in seen):
                self.asked[n] = 1
            if not is_finished(seen, *self.retries):
                todo.append(n)
                continue
            spool.put(n, self._decide(questions, n, earlier.rows(key)))
            if all(row.origin is not None for row in seen):
                taken_over[seen[-1].outcome] += 1
        self.n_imported = taken_over.total()
        note = {"cell": self.key, "outcomes": taken_over}
        write_whole(taken_over_file(self.run, self.contender, self.suite), pretty_json(note))
        return todo

    def _log_earlier(self, earlier: Earlier, log: AttemptLog) -> None:
        """Rows of earlier runs go into this log when the cell ends, and it is whole by itself then.

        Not before: were each of many runs that are killed to begin with a copy, the copies would soon outgrow the rows.
        """
        if not earlier:
            return
        # a job that is started again in the same run finds its own rows, and such as it had copied before
        copied = {_place(row) for row in read_attempts(self.raw, self.key) if row.origin is not None}
        for key in earlier:
            for row in earlier.rows(key):
                if row.origin is not None and _place(row) not in copied:
                    log.append(row)

    def _decide(self, questions: Questions, n: int, rows: Sequence[Attempt]) -> Decision:
        task = questions[n]
        return decide(task.key, task.shown, rows, self.ids, self.slots)

    # -- asking

    def _ask_all(
        self,
        questions: Questions,
        todo: Sequence[int],
        earlier: Earlier,
        log: AttemptLog,
        spool: DecisionSpool,
    ) -> None:
        turns = Turns()
        with open_contact(self.run, self.plan, self.release, self._may_not, self.clock, turns) as contact:
            self.askers.add(self.run)
            try:
                contact.agree()
            except Stopped as e:
                self._stop(e)
            left = iter(todo)

            def work() -> None:
                """Take questions until there are none left or the cell stops."""
                finished = False
                try:
                    while (n := self._next(left)) is not None:
                        with turns:
                            self._one(contact, questions, n, earlier, log, spool)
                    finished = True
                finally:
                    if not finished:
                        # the other threads end after the item in hand; the error itself goes to the caller
                        self._stop(Stopped("execution: an error"))

            in_threads(work, contact.asker.concurrency)

    def _next(self, left: Any) -> int | None:
        with self._lock:
            return None if self.stop_reason is not None else next(left, None)

    def _one(
        self,
        contact: Contact,
        questions: Questions,
        n: int,
        earlier: Earlier,
        log: AttemptLog,
        spool: DecisionSpool,
    ) -> None:
        task = questions[n]
        before = earlier.rows(task.key)
        rows = list(before)
        verdicts = [judge_row(row, task.shown, self.slots) for row in before]

        def record(row: Attempt, verdict: Verdict) -> None:
            log.append(row)
            rows.append(row)
            verdicts.append(verdict)
            self._count(row)
            self.asked[n] = 1

        try:
            last = ask_item(contact.asker, task, self.ids, contact.rules, record, self.plan["simulated"], before)
        except Stopped as e:
            self._stop(e)
        else:
            self._look_out_for_a_dead_end(last, contact)
        if rows:
            spool.put(n, decide(task.key, task.shown, rows, self.ids, self.slots, verdicts))

    def _count(self, row: Attempt) -> None:
        with self._lock:
            self.n_attempts += 1
            self.simulated = self.simulated or row.simulated
            self.askers.add(row.origin or self.run)

    def _look_out_for_a_dead_end(self, last: Attempt, contact: Contact) -> None:
        """Stop the cell when nobody answers any more: what follows would only be written down as failed."""
        with self._lock:
            self.n_failed_in_a_row = self.n_failed_in_a_row + 1 if last.outcome == "failed" else 0
            failing = self.n_failed_in_a_row
        served = contact.served
        if last.outcome == "failed" and served is not None and (code := served.ended_with()) is not None:
            log = serve_log(self.run, self.plan)
            self._stop(Stopped(f"execution: the served model ended with code {code}; its output: {log}"))
        elif failing >= FAILURES_THAT_STOP:
            self._stop(Stopped(f"execution: {failing} failures in a row, the last one {last.reason}"))

    def _is_over(self) -> bool:
        return RUN_STOPPED in (self.stop_reason, self.stops.reason()) or self.lost()

    def _may_not(self) -> str | None:
        if (reason := self.stops.reason()) is not None:
            return reason
        if self.lost():
            return RUN_STOPPED
        if self.clock.elapsed_s() - self.began > self.protocol["cell_deadline_s"]:
            return "deadline"
        return self.stop_reason

    def _stop(self, stop: Stopped) -> None:
        reason = str(stop)
        with self._lock:
            if self.stop_reason is None:
                self.stop_reason = reason
        if isinstance(stop, LaneStopped):
            self.stops.stop_lane(reason)
        elif isinstance(stop, EveryLaneStopped):
            self.stops.stop_every_lane(reason)

    # -- what is written

    def _is_negotiated(self) -> bool:
        return self.plan["entry"].get("settings", {}).get("structured") == AUTO

    def receipt(self, status: CellStatus, reason: str | None, wall_s: float) -> Receipt:
        asked = self.raw.exists() and status != "skipped"
        expected = self.plan["n_expected"]
        none = dict.fromkeys(OUTCOMES, 0)
        return Receipt(
            cell_key=self.key,
            number=self.plan["number"],
            contender=self.contender,
            suite=self.suite,
            run=self.run,
            status=status,
            stop_reason=reason,
            items=self.plan["items"]["sha256"],
            n_expected=expected,
            n_asked=sum(self.asked),
            n_imported=self.n_imported,
            n_attempts=self.n_attempts,
            outcomes=none | (self.outcomes if asked else {"skipped": expected}),
            raw=str(self.raw) if asked else None,
            raw_sha256=file_sha256(self.raw) if asked else None,
            simulated=self.simulated,
            wall_s=wall_s,
            negotiation=negotiations(self.askers, self.contender, self.run) if self._is_negotiated() else (),
            parts=self.plan["parts"],
        )
