"""One cell, asked: earlier rows taken over, the rest asked in a lane, and a receipt for every ending but a crash."""

from __future__ import annotations

import datetime as dt
import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from dmb.baselines.question import Knowledge
from dmb.canonical import json_line, sha256_hex
from dmb.contracts.attempt import OUTCOMES, Attempt
from dmb.contracts.cell import CellStatus, Receipt
from dmb.contracts.contender import Contender, Provider
from dmb.contracts.suite import Slot
from dmb.engine.askers import Asker, BaselineAsker, WireAsker
from dmb.engine.decide import Key, by_item, decide, is_finished
from dmb.engine.earlier import logged_attempts
from dmb.engine.lane import Rules, Stopped, ask_item
from dmb.engine.serve import ServedModel
from dmb.engine.task import Task
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.prompting import render, shown_options
from dmb.sampling import SUBSET_SEED
from dmb.store.attempts import AttemptLog, read_attempts
from dmb.store.files import load_json, write_whole
from dmb.store.frozen_items import FrozenItems, gold_shares, load_items, load_texts, load_train
from dmb.store.layout import cell_dir, decisions_file, raw_log, run_dir
from dmb.store.locks import CellLock
from dmb.store.receipts import LANE_STOPPED, write_receipt
from dmb.store.runs import mark, run_status, stops_dir

#: So many items that fail one after the other, retries included, are no accident of the items.
FAILURES_THAT_STOP = 10


def ask_cell(run: str, cell_key: str, out: Path) -> None:
    """Ask the cell that ``run`` planned under ``cell_key`` and write its receipt to ``out``.

    Raises ``DmbError``: the run has ended, another process asks this cell, items are damaged, a credential that the
    plan saw is gone. A failure leaves a mark in the run, never a receipt.
    """
    try:
        _ask_cell(run, cell_key, out)
    except DmbError as e:
        mark(run, f"failed.{cell_key[:16]}", str(e))
        raise


def _ask_cell(run: str, cell_key: str, out: Path) -> None:
    plan = load_json(run_dir(run) / "plan.json")["cells"]
    full = next((k for k in plan if k.startswith(cell_key)), None)
    if full is None:
        raise MissingEvidence(f"run {run} did not plan cell {cell_key}; start again")
    if run_status(run) != "running":
        raise DmbError(f"run {run} has ended: nothing may be asked under it; start again")
    cell = plan[full]
    with CellLock(cell_dir(cell["contender"], cell["suite"], full), run):
        if out.exists():
            return  # an orphan of an earlier start finished it since the plan was made; its receipt stands
        began = time.monotonic()
        work = _Cell(run, full, cell)
        status, reason = work.ask()
        write_receipt(out, work.receipt(status, reason, round(time.monotonic() - began, 3)))


def _place(row: Attempt) -> tuple[Any, ...]:
    """What names one attempt among those of its cell."""
    return (row.item, row.permutation, row.repeat, row.attempt, row.origin)


class _Cell:
    """The state of one cell while it is asked."""

    def __init__(self, run: str, key: str, plan: dict[str, Any]) -> None:
        self.run, self.key, self.plan = run, key, plan
        self.contender, self.suite = plan["contender"], plan["suite"]
        self.ids = {"cell": key, "contender": self.contender, "suite": self.suite}
        self.entry = Contender.model_validate(plan["entry"])
        self.provider = Provider.model_validate(plan["provider"])
        self.slots = tuple(Slot.model_validate(s) for s in plan["slots"])
        self.protocol = plan["protocol"]
        self.retries = (self.protocol["retry_failed"], plan["policy"]["retry_malformed"])
        self.raw = raw_log(run, self.contender, self.suite)
        self.rows: list[Attempt] = []
        self.n_imported = 0
        self.n_failed_in_a_row = 0
        self.served: ServedModel | None = None
        self.began = time.monotonic()
        self.stop_reason: str | None = None
        self._lock = threading.Lock()

    # -- what is to be asked

    def ask(self) -> tuple[CellStatus, str | None]:
        if self.plan["skip"] is not None:
            return "skipped", self.plan["skip"]
        if (reason := self._provider_stopped()) is not None:
            return "skipped", f"{LANE_STOPPED}: {reason}"
        tasks = self._tasks()
        earlier = self._earlier_rows()
        done = {k for k, rows in earlier.items() if is_finished(rows, *self.retries)}
        todo = [t for t in tasks if t.key not in done]
        # a job that is started again in the same run finds rows of its own, which are in the log already
        logged = {_place(row) for row in read_attempts(self.raw, self.key)}
        self.n_imported = sum(all(r.origin is not None for r in earlier[k]) for k in done)
        with AttemptLog(self.raw) as log:
            for key in sorted(earlier):
                for row in earlier[key]:
                    if _place(row) not in logged:
                        log.append(row)
                    self.rows.append(row)
            if todo:
                self._ask_all(todo, earlier, log)
        self._write_decisions(tasks)
        if self.stop_reason is None:
            return "complete", None
        if self.stop_reason == "deadline":
            return "dnf", "deadline"
        if self.stop_reason == "run stopped":
            # the run is over: the receipt's path belongs to the next one
            raise DmbError(f"run {self.run} was stopped while {self.contender} x {self.suite} was asked; start again")
        return "stopped", self.stop_reason

    def _tasks(self) -> list[Task]:
        items = self._items()
        path = Path(self.plan["texts"])
        texts = load_texts(path)
        try:
            return [
                Task(
                    it.id,
                    it.permutation,
                    repeat,
                    render(it, items.option_sets, texts, self.plan["instructions"], self.slots),
                    shown,
                )
                for repeat in range(self.plan["repeats"])
                for it in items.items
                for shown in [shown_options(it, items.option_sets)]
            ]
        except KeyError as e:
            raise DamagedFile(
                f"{path}: text {e} is not in it; delete the file and start again: it is rebuilt"
            ) from None

    def _items(self) -> FrozenItems:
        whole = load_items(Path(self.plan["items"]["path"]), self.plan["items"]["sha256"])
        return whole.subset(self.plan["limit"], SUBSET_SEED)

    def _earlier_rows(self) -> dict[Key, list[Attempt]]:
        """What any run logged under this very key; rows of this run itself have no origin."""
        found = logged_attempts(self.contender, self.suite, self.key)
        return {key: [self._as_seen_here(row) for row in rows] for key, rows in found.items()}

    def _as_seen_here(self, row: Attempt) -> Attempt:
        return row.model_copy(update={"origin": None}) if row.origin == self.run else row

    # -- asking

    def _ask_all(self, todo: list[Task], earlier: dict[Key, list[Attempt]], log: AttemptLog) -> None:
        if self.entry.serve is not None:
            self.served = ServedModel(self.entry.serve, self.entry.health, self.entry.env, self._serve_log())
        try:
            asker = self._asker(self.served.address if self.served else self.provider.address)
            try:
                self._lane(asker, todo, earlier, log)
            finally:
                asker.close()
        finally:
            if self.served is not None:
                self.served.close()

    def _serve_log(self) -> Path:
        return run_dir(self.run) / "serve" / f"{self.contender}.{self.suite}.log"

    def _asker(self, address: str | None) -> Asker:
        if self.entry.baseline is not None:
            return BaselineAsker(self.entry.baseline, self._knowledge())
        if self.entry.wire is None or address is None:
            raise DmbError(f"contender {self.contender}: has neither a baseline nor a wire and an address")
        return WireAsker(
            self.entry.wire,
            self.entry.model,
            self.entry.settings,
            self.provider.dialect,
            address,
            self._credential(),
            self.provider.concurrency,
            self.protocol["request_timeout_s"],
        )

    def _credential(self) -> str | None:
        if not self.provider.credential:
            return None
        for name in self.provider.credential:
            if value := os.environ.get(name):
                return value
        raise DmbError(
            f"{' or '.join(self.provider.credential)} was set where run {self.run} was planned and is not set here"
        )

    def _knowledge(self) -> Knowledge:
        prior = None
        if self.plan["prior"] is not None:
            source = self.plan["prior"]
            prior = gold_shares(load_items(Path(source["path"]), source["sha256"]), self.slots[0].id)
        train = None
        if self.plan["train"] is not None:
            train = load_train(Path(self.plan["train"]["path"]), self.plan["train"]["sha256"])
        return Knowledge(settings=self.entry.settings, prior=prior, keywords=self.plan["keywords"], train=train)

    def _lane(self, asker: Asker, todo: list[Task], earlier: dict[Key, list[Attempt]], log: AttemptLog) -> None:
        rules = Rules(
            retry_failed=self.retries[0],
            retry_malformed=self.retries[1],
            backoff_s=self.protocol["backoff_s"],
            sleep=time.sleep,
            now=lambda: dt.datetime.now(dt.UTC),
            may_ask=self._may_not,
        )

        def record(row: Attempt) -> None:
            log.append(row)
            with self._lock:
                self.rows.append(row)

        def one(task: Task) -> None:
            with self._lock:
                if self.stop_reason is not None:
                    return
            try:
                last = ask_item(asker, task, self.ids, rules, record, self.plan["simulated"], earlier.get(task.key, ()))
            except Stopped as e:
                self._stop(str(e))
            else:
                self._look_out_for_a_dead_end(last)

        if asker.concurrency == 1:
            for task in todo:
                one(task)
            return
        with ThreadPoolExecutor(asker.concurrency) as pool:
            # consuming the results raises what a worker raised
            list(pool.map(one, todo))

    def _look_out_for_a_dead_end(self, last: Attempt) -> None:
        """Stop the cell when nobody answers any more: what follows would only be written down as failed."""
        with self._lock:
            self.n_failed_in_a_row = self.n_failed_in_a_row + 1 if last.outcome == "failed" else 0
            failing = self.n_failed_in_a_row
        if last.outcome == "failed" and self.served is not None and (code := self.served.ended_with()) is not None:
            self._stop(f"execution: the served model ended with code {code}; its output: {self._serve_log()}")
        elif failing >= FAILURES_THAT_STOP:
            self._stop(f"execution: {failing} failures in a row, the last one {last.reason}")

    def _may_not(self) -> str | None:
        if (stops_dir(self.run) / "run").exists():
            return "run stopped"
        if (reason := self._provider_stopped()) is not None:
            return reason
        if time.monotonic() - self.began > self.protocol["cell_deadline_s"]:
            return "deadline"
        return self.stop_reason

    def _provider_stopped(self) -> str | None:
        path = stops_dir(self.run) / f"provider.{self.entry.provider}"
        return path.read_text(encoding="utf-8").strip() if path.exists() else None

    def _stop(self, reason: str) -> None:
        with self._lock:
            if self.stop_reason is None:
                self.stop_reason = reason
        if reason in ("authentication", "budget"):
            mark(self.run, f"provider.{self.entry.provider}", reason)

    # -- what is written

    def _write_decisions(self, tasks: list[Task]) -> None:
        groups = by_item(self.rows)
        rows = [decide(t.key, t.shown, groups.get(t.key, ()), self.ids, self.slots) for t in tasks]
        self.outcomes = Counter(d.outcome for d in rows)
        data = "".join(json_line(d.model_dump(mode="json", exclude_none=True)) for d in rows)
        write_whole(decisions_file(self.run, self.contender, self.suite), data.encode("ascii"))

    def receipt(self, status: CellStatus, reason: str | None, wall_s: float) -> Receipt:
        asked = self.raw.exists() and status != "skipped"
        expected = self.plan["n_expected"]
        outcomes = (
            {o: self.outcomes.get(o, 0) for o in OUTCOMES}
            if asked
            else {o: 0 for o in OUTCOMES} | {"skipped": expected}
        )
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
            n_asked=len({(r.item, r.permutation, r.repeat) for r in self.rows if r.origin is None}),
            n_imported=self.n_imported,
            n_attempts=len(self.rows),
            outcomes=outcomes,
            raw=str(self.raw) if asked else None,
            raw_sha256=sha256_hex(self.raw.read_bytes()) if asked else None,
            simulated=any(r.simulated for r in self.rows),
            wall_s=wall_s,
            parts=self.plan["parts"],
        )
