"""Looking at a run through its files alone: each look reads what has grown since the last. Nothing is ever written."""

from __future__ import annotations

import datetime as dt
import json
import socket
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dmb.contracts.config import Budget, Release
from dmb.contracts.receipt import Receipt
from dmb.errors import DamagedFile, InputError, MissingEvidence, UsageError
from dmb.inputs import nearest, parse_yaml
from dmb.kernel_lock import is_held
from dmb.ledger.refusals import LedgerUnusable
from dmb.ledger.shelf import Shelf
from dmb.planning.progress import CellPlan, RunFacts, RunNow, Spend, run_now
from dmb.planning.rehearsal import SUFFIX
from dmb.planning.tally import Tally
from dmb.store.claims import last_owner
from dmb.store.files import load_json
from dmb.store.layout import RUNS, budget_dir, cell_dir, raw_log, receipt_path, run_dir, taken_over_file
from dmb.store.locks import OWNER
from dmb.store.receipts import load_receipt
from dmb.store.runs import all_runs, run_owner, run_status, stops_dir
from dmb.store.tail import Tail
from dmb.takeover import heartbeat_of

#: Not taken from where the tables are checked together: that loads everything that can be asked with.
CONFIG = "config.yaml"

#: A run is born within this time, or was killed at its birth.
BIRTH_S = 30.0


def choose_run(name: str | None, now: dt.datetime) -> str:
    """The run that is meant: by name, otherwise the newest that is at work, otherwise the newest.

    Raises ``UsageError`` where there is none, or none of that name.
    """
    runs = all_runs()
    if name is not None:
        if name not in runs:
            raise UsageError(f"run {name!r} is not in {RUNS}/; {nearest(name, runs) or 'there is none yet'}")
        return name
    if not runs:
        raise UsageError(f"there is no run in {RUNS}/ yet; start one with `dmb run --id ID`")
    return max(runs, key=lambda run: (run_status(run) == "running" and not is_gone(run, now), _born(run), run))


def is_gone(run: str, now: dt.datetime) -> bool:
    """Whether the process that owns an open run has certainly ended; where nobody here can tell, it has not."""
    home = run_dir(run)
    manifest = _json(home / "manifest.json")
    if not manifest:
        return now.timestamp() - _made_at(run) > BIRTH_S and not is_held(home / "alive")
    return not is_held(home / "alive") and run_owner(run).standing(home, lock_is_free=True).standing == "free"


class Watch:
    """One run, looked at again and again."""

    def __init__(self, run: str) -> None:
        self.run = run
        self._plans: tuple[CellPlan, ...] | None = None
        self._numbers: dict[str, int] = {}
        self._tails: dict[str, Tail] = {}
        self._tallies: dict[str, Tally] = {}
        self._receipts: dict[str, Receipt] = {}
        self._begun: set[str] = set()
        self._shelf: Shelf | None = None
        self._config = _config()

    def look(self, now: dt.datetime) -> RunNow:
        """How far it has come. Files are read one after the other while others write: each is a little newer."""
        # the status comes first: what ended a run was written before it
        manifest = _json(run_dir(self.run) / "manifest.json")
        status = str(manifest.get("status", "running"))
        gone = status == "running" and is_gone(self.run, now)
        release = manifest.get("release")
        plans = self._planned(release)
        for plan in plans:
            self._look_at_cell(plan)
        facts = RunFacts(
            run=self.run,
            release=release,
            status=status,
            started_at=_instant(manifest.get("started_at")),
            ended_at=_instant(manifest.get("ended_at")),
            host=(host := _elsewhere(manifest)),
            heard_at=heartbeat_of(run_owner(self.run).said) if host is not None else None,
            gone=gone,
            receipts=self._receipts,
            begun=frozenset(self._begun),
            stops=_marks(self.run),
            spend=self._spend(release, manifest.get("budget")),
        )
        return run_now(facts, plans, self._tallies, now)

    def _planned(self, release: str | None) -> tuple[CellPlan, ...]:
        if self._plans is None:
            cells = _json(run_dir(self.run) / "plan.json").get("cells")
            if cells is None:
                return ()  # it is being born
            plans = [_cell_plan(key, job) for key, job in cells.items()]
            self._plans = tuple(sorted(plans, key=_in_order_of(self._config, release)))
            self._numbers = {key: job["number"] for key, job in cells.items()}
        return self._plans

    def _look_at_cell(self, plan: CellPlan) -> None:
        if plan.key in self._receipts:
            return
        receipt = self._receipt(plan)
        # a log is not read for what its receipt has counted, but it is read to its end where it was begun
        if receipt is None or plan.key in self._tails:
            self._read_on(plan)
        if receipt is not None:
            self._receipts[plan.key] = receipt
        elif plan.key not in self._begun:
            owner = last_owner(cell_dir(plan.contender, plan.suite, plan.key), OWNER)
            if owner is not None and owner.said.get("run") == self.run:
                self._begun.add(plan.key)

    def _receipt(self, plan: CellPlan) -> Receipt | None:
        path = receipt_path(plan.contender, plan.suite, plan.key, self._numbers[plan.key])
        try:
            return load_receipt(path)
        except (MissingEvidence, DamagedFile):
            return None

    def _read_on(self, plan: CellPlan) -> None:
        tail = self._tails.get(plan.key)
        if tail is not None and tail.has_shrunk():
            tail = None
        if tail is None:
            tail = self._tails[plan.key] = Tail(raw_log(self.run, plan.contender, plan.suite))
            self._tallies[plan.key] = Tally(plan.retries)
        tally = self._tallies[plan.key]
        # noted before the first row of its own
        note = _json(taken_over_file(self.run, plan.contender, plan.suite))
        if note.get("cell") == plan.key:
            tally.took_over(note.get("outcomes", {}))
        for line in tail.new_lines():
            try:
                row = json.loads(line)
                if row["cell"] == plan.key:
                    tally.take(row)
            except (ValueError, KeyError, TypeError):
                tally.n_unreadable += 1

    def _spend(self, release: str | None, budget: Any) -> Spend:
        if release is None:
            return Spend()
        soft, hard = _caps(budget)
        if self._shelf is None:
            self._shelf = Shelf(budget_dir(release))
        shelf = self._shelf
        try:
            shelf.refresh()
        except LedgerUnusable as e:
            return Spend(soft_usd=soft, hard_usd=hard, problem=str(e))
        all_runs_of_it, this_run = (shelf.book.totals(shelf.is_gone, run) for run in (None, self.run))
        return Spend(
            committed_usd=all_runs_of_it.committed_usd,
            reserved_usd=all_runs_of_it.reserved_open_usd,
            unsettled_usd=all_runs_of_it.unsettled_usd,
            run_usd=this_run.committed_usd,
            soft_usd=soft,
            hard_usd=hard,
        )


def _cell_plan(key: str, job: dict[str, Any]) -> CellPlan:
    return CellPlan(
        key=key,
        contender=job["contender"],
        suite=job["suite"],
        # runs of before there were lanes have none in their plans
        lane=job.get("lane", {}).get("id", job["entry"]["provider"]),
        n_expected=job["n_expected"],
        retries=(job["protocol"]["retry_failed"], job["policy"]["retry_malformed"]),
        skip=job["skip"],
        billed=job["provider"].get("billed", True),
        simulated=job["simulated"],
    )


def _config() -> dict[str, Any]:
    """Today's config.yaml; empty where it cannot be read, which stops no watching."""
    try:
        config = parse_yaml(Path(CONFIG).read_text(encoding="utf-8"), CONFIG)
    except (OSError, UnicodeDecodeError, InputError):
        return {}
    return config if isinstance(config, dict) else {}


def _caps(budget: Any) -> tuple[Decimal | None, Decimal | None]:
    """Soft and hard cap that the run was born with; None for both where they cannot be told."""
    try:
        caps = Budget.model_validate(budget)
    except ValidationError:
        return None, None
    return caps.soft_usd, caps.hard_usd


def _in_order_of(config: dict[str, Any], release: str | None) -> Callable[[CellPlan], tuple[Any, ...]]:
    """Cells in the order of the release, as far as it names them; the others after them, by name."""
    try:
        spec = Release.model_validate(config["releases"][(release or "").removesuffix(SUFFIX)])
    except (KeyError, TypeError, ValidationError):
        return lambda plan: (plan.suite, plan.contender)
    suites, contenders = list(spec.suites), list(spec.contenders)

    def place(name: str, names: list[str]) -> tuple[int, str]:
        return (names.index(name) if name in names else len(names), name)

    return lambda plan: (*place(plan.suite, suites), *place(plan.contender, contenders))


def _marks(run: str) -> dict[str, str]:
    marks = {}
    try:
        for path in sorted(stops_dir(run).iterdir()):
            if not path.name.startswith("."):
                marks[path.name] = path.read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        pass
    return marks


def _json(path: Path) -> dict[str, Any]:
    """The object in a file; empty where there is none."""
    try:
        value = load_json(path)
    except (FileNotFoundError, DamagedFile):
        return {}
    return value if isinstance(value, dict) else {}


def _elsewhere(manifest: dict[str, Any]) -> str | None:
    """The host of a run's process, where it is not this one."""
    host = manifest.get("host")
    return host if isinstance(host, str) and host != socket.gethostname() else None


def _instant(text: Any) -> dt.datetime | None:
    try:
        return dt.datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def _born(run: str) -> float:
    """Epoch seconds."""
    started = _instant(_json(run_dir(run) / "manifest.json").get("started_at"))
    return started.timestamp() if started is not None else _made_at(run)


def _made_at(run: str) -> float:
    """When its directory last changed, in epoch seconds; long ago where there is none."""
    try:
        return run_dir(run).stat().st_mtime
    except FileNotFoundError:
        return 0.0
