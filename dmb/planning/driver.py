"""What the Snakefile asks for: targets, inputs of rules, and the opening and closing of the run.

Made once, in the main process, which plans, hashes and decides. The process of a single job has `joined.py` in its place.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dmb.canonical import sha256_hex
from dmb.errors import DamagedFile, DmbError, UsageError
from dmb.inputs import nearest
from dmb.ledger.ledger import Ledger
from dmb.ledger.refusals import LedgerUnusable
from dmb.planning.ask_inputs import ask_inputs, ask_mem_mb, ask_runtime, ask_threads
from dmb.planning.dispatch import ASK, ASK_HERE, Lanes, check_resources, check_settings, forget_earlier_submissions
from dmb.planning.freeze import write_lock
from dmb.planning.lifecycle import close_run, failure_lines, open_run, spend_warning
from dmb.planning.plan import PlannedCell, PlannedRelease, Planner, Selection, embedded_key, finished_rows
from dmb.planning.project import Project, load_project
from dmb.planning.rehearsal import SUFFIX
from dmb.planning.saying import say
from dmb.planning.sealed import check_sealed, draft_of, offers, refuse_sealed, sealed_releases
from dmb.planning.spending import refuse_lost_ledgers
from dmb.sources import mirror_directory, raw_path
from dmb.store.files import load_json
from dmb.store.frozen_items import load_texts
from dmb.store.layout import RESULTS, SCRATCH, budget_dir, run_dir
from dmb.store.locks import hold_start_lock
from dmb.store.run_state import RUN_VARIABLE, run_status
from dmb.store.runs import all_runs, check_run_id, left_open, sweep

#: How `dmb run` hands its options on: a JSON object of texts.
OPTIONS_VARIABLE = "DMB_OPTIONS"

_OPTIONS = ("run", "release", "suites", "contenders", "limit", "retry")


class Driver:
    """``options``: what stands behind ``--config``. ``dry``: a dry run changes nothing on disk."""

    def __init__(self, options: Mapping[str, Any], dry: bool) -> None:
        self._dry = dry
        self._run: str | None = None
        self._lock: object = None
        self._publishes: list[str] = []
        self._planned: dict[str, PlannedRelease] = {}
        self._cells: dict[tuple[str, str, str], PlannedCell] = {}
        self._by_receipt: dict[Path, PlannedCell] = {}
        # declared as a variable that jobs need: it is there, and empty until a run is open
        os.environ[RUN_VARIABLE] = ""
        self._read_options({**options, **json.loads(os.environ.pop(OPTIONS_VARIABLE, "{}"))})
        self.project: Project = load_project()
        self.lanes = Lanes({self.project.lane(p).id for p in self.project.providers}, lambda w: self._cell(w).job)
        mirror_directory()  # a mirror that is no folder is refused before anything is begun
        if not dry:
            for line in (*(f"run {r}: its process is gone; marked interrupted" for r in sweep()), *left_open()):
                say(line)
            self._sweep_ledgers()
        self._planner = Planner(self.project)
        self._lay_marks()

    def _sweep_ledgers(self) -> None:
        """What runs that have ended left open in a ledger stays charged, and is marked so."""
        ended = [run for run in all_runs() if run_status(run) != "running"]
        for folder in sorted(budget_dir("any").parent.glob("*/")):
            budget = self.project.config.budget
            try:
                with Ledger(folder, budget.hard_usd, budget.soft_usd) as ledger:
                    n = ledger.sweep(ended)
            except LedgerUnusable as e:
                # whoever wants to spend from it meets this again, and stops; nobody else is concerned
                say(str(e))
                continue
            if n:
                say(f"{folder}: {n} attempts of ended runs were never settled; they stay charged at their reservation")

    def _read_options(self, options: Mapping[str, Any]) -> None:
        if unknown := sorted(set(options) - set(_OPTIONS)):
            raise UsageError(f"--config: unknown option {unknown[0]!r}; {nearest(unknown[0], _OPTIONS)}")
        self._run_id = _word(options, "run")
        if self._run_id is not None:
            check_run_id(self._run_id)
        self._release = _word(options, "release")
        self._selection = Selection(
            suites=_words(options.get("suites")),
            contenders=_words(options.get("contenders")),
            limit=_whole(options.get("limit")),
            retry=str(options.get("retry", "")).lower() == "true",
        )

    # -- targets

    def results(self) -> list[str]:
        """What bare ``snakemake`` builds."""
        return [str(RESULTS / f"{r}.md") for r in self.project.config.all]

    def release_names(self) -> list[str]:
        """All releases in config.yaml, and their simulated twins."""
        return [name + end for name in sorted(self.project.config.releases) for end in ("", SUFFIX)]

    def release_pattern(self) -> str:
        """Matches these and the names of sealed releases."""
        return "|".join(map(re.escape, (*self.release_names(), *sealed_releases())))

    def sources(self) -> list[str]:
        """Every pinned third-party file."""
        return [str(raw_path(Path(), s, source)) for s, source in self.project.sources.items()]

    def selected(self, _wildcards: Any) -> list[str]:
        """Scores of the part of a release that ``dmb run`` asked for."""
        if self._release is None:
            raise UsageError("selected: needs --config release=NAME; use `dmb run`")
        planned = self._plan(self._release, self._selection)
        _refuse_unknown(planned)
        return [str(c.score) for c in planned.cells]

    # -- the plan

    def _plan(self, name: str, selection: Selection) -> PlannedRelease:
        if name not in self._planned:
            planned = self._planner.release(name, selection)
            self._mend_items(planned)
            for offer in offers(planned.cells):
                say(str(offer))
            self._planned[name] = planned
            for c in planned.cells:
                self._cells[c.contender, c.suite, c.key[:16]] = self._by_receipt[c.receipt] = c
            self.lanes.cap(c.job for c in planned.cells if c.asks)
        return self._planned[name]

    def _mend_items(self, planned: PlannedRelease) -> None:
        """Items whose bytes differ while their inputs do not are damaged: they are rebuilt."""
        wanted = {c.job["items"]["path"]: c.job["items"]["sha256"] for c in planned.cells if c.asks or c.scores}
        wanted |= {t["path"]: t["sha256"] for c in planned.cells if c.asks for t in [c.job["train"]] if t}
        for path, sha in wanted.items():
            if Path(path).exists() and sha256_hex(Path(path).read_bytes()) != sha:
                say(
                    f"{path}: damaged (its bytes differ from its digest); "
                    + ("a real run rebuilds it" if self._dry else "it is rebuilt")
                )
                if not self._dry:
                    Path(path).unlink()
        for path in {c.job["texts"] for c in planned.cells if c.asks and c.skip is None}:
            self._mend_texts(Path(path))

    def _mend_texts(self, path: Path) -> None:
        try:
            if path.exists() and not self._dry:
                load_texts(path)
        except DamagedFile as e:
            say(f"{e}; it is rebuilt")
            path.unlink()

    def _release_plan(self, name: str) -> PlannedRelease:
        return self._plan(name, Selection(retry=self._selection.retry))

    def _cell(self, w: Any) -> PlannedCell:
        key = (w.contender, w.suite, w.cell)
        if key not in self._cells:
            for name in self.project.config.releases:
                self._release_plan(name)
        if key not in self._cells:
            raise DmbError(f"no release in config.yaml has cell {w.contender}.{w.suite}/{w.cell}")
        return self._cells[key]

    # -- inputs of rules

    def items_inputs(self, w: Any) -> list[str]:
        """Sources that a suite's builder reads, its upstream's included."""
        spec = self.project.suites[w.suite].items
        own = [str(raw_path(Path(), s, self.project.sources[s])) for s in spec.sources]
        upstream = self.items_inputs(_Suite(spec.suite)) if spec.suite else []
        return own + upstream

    def ask_inputs(self, w: Any) -> list[str]:
        """What a cell's questions are made of; nothing once its receipt is there."""
        return ask_inputs(self._cell(w).job, w)

    def ask_threads(self, w: Any) -> int:
        """Cells that compute where they are asked take two cores."""
        return ask_threads(self._cell(w).job)

    def ask_mem_mb(self, w: Any) -> int:
        """Memory that a cluster is asked for."""
        return ask_mem_mb(self._cell(w).job)

    def ask_runtime(self, w: Any) -> int:
        """Minutes that a cluster is asked for."""
        return ask_runtime(self._cell(w).job)

    def ask_lanes(self) -> dict[str, Any]:
        """What a cell takes up of its lane."""
        return self.lanes.shares()

    def asked_here(self) -> str:
        """Matches contenders that are asked on the submitting host."""
        return "|".join(re.escape(n) for n, c in self.project.contenders.items() if c.local) or "(?!)"

    def score_inputs(self, w: Any) -> list[str]:
        """The frozen items that judge a cell, and those of the cell it is compared with; nothing once its score is there."""
        c = self._cell(w)
        if c.score.exists():
            return []
        judged_by = [c] if c.compared is None else [c, self._by_receipt[c.compared]]
        prior = c.job["prior"]
        return [j.job["items"]["path"] for j in judged_by] + ([prior["path"]] if prior else [])

    def score_reference(self, w: Any) -> list[str]:
        """Receipt of the cell that this one is compared with."""
        c = self._cell(w)
        if c.compared is None or c.score.exists():
            return []
        return [str(c.compared)]

    def release_scores(self, w: Any) -> list[str]:
        """Scores that a release is published from. Refuses a release whose items cannot be known yet.

        A sealed one is published from nothing any more, and is refused where its inputs have changed since.
        """
        if draft_of(w.release) is not None:
            check_sealed(self._planner, w.release)
            return []
        planned = self._release_plan(w.release)
        _refuse_unknown(planned)
        return [str(c.score) for c in planned.cells]

    def release_key(self, w: Any) -> str:
        """The key that the published files must carry."""
        if draft_of(w.release) is not None:
            return embedded_key(RESULTS / f"{w.release}.md") or ""
        return self._release_plan(w.release).key or ""

    def _lay_marks(self) -> None:
        """Every release has its mark before the workflow looks at the folder: it looks once, and believes what it saw."""
        SCRATCH.mkdir(parents=True, exist_ok=True)
        for name in (*self.release_names(), *sealed_releases()):
            mark = SCRATCH / f"{name}.stale"
            if not mark.exists():
                mark.write_text(f"{time.time_ns()}\n", encoding="ascii")
                os.utime(mark, (0, 0))

    def stale_mark(self, w: Any) -> str:
        """An ordinary input of publishing: newer than the report exactly when the report carries another key."""
        mark = SCRATCH / f"{w.release}.stale"
        want, have = self.release_key(w), embedded_key(RESULTS / f"{w.release}.md")
        mark.parent.mkdir(parents=True, exist_ok=True)
        if not mark.exists() or have != want:
            # never the same bytes twice: an equal recorded checksum would veto the rebuild
            mark.write_text(f"{time.time_ns()}\n", encoding="ascii")
        if have in (None, want):
            os.utime(mark, (0, 0))
        return str(mark)

    # -- the run

    def look_over(self, workflow: Any) -> None:
        """What a start must find in order before it opens a run. Raises ``DmbError``."""
        given, at_once = workflow.resource_settings, workflow.scheduling_settings.max_jobs_per_timespan
        limits = {"--cores": given.cores, "--local-cores": given.local_cores}
        limits["--max-jobs-per-timespan"] = at_once.max_jobs if at_once is not None else None
        check_settings(workflow.rerun_triggers, limits)
        check_resources(workflow.dag.needrun_jobs())

    def submit_anew(self, workflow: Any) -> None:
        """What an earlier start has submitted is waited for by nobody. Not before this one is alone in the folder."""
        forget_earlier_submissions(workflow.persistence, workflow.dag.needrun_jobs())

    def start(self, jobs: Iterable[Any], touch: bool, here: bool) -> None:
        """Open the run when something is to be asked. Before anything is deleted or asked, refuse what must not be.

        ``here``: whether the jobs will be processes of this one, and not a cluster's.
        """
        self._lock = hold_start_lock()
        jobs = list(jobs)
        self._publishes = [j.wildcards.release for j in jobs if j.rule.name == "publish"]
        refuse_sealed(self._publishes)
        ask = [j for j in jobs if j.rule.name in (ASK, ASK_HERE)]
        for path in (o for j in ask for o in j.output if Path(o).exists()):
            if (c := self._by_receipt.get(Path(path))) is not None and c.asks:
                # such as by a process of a killed start on another host; the workflow would delete the receipt
                raise DmbError(f"{path}: the cell was answered by somebody else since the plan was made; start again")
            raise DmbError(
                f"{path} exists: the cell is answered, and forcing does not ask it again; a nonce in its release does"
            )
        self._refreeze()
        if touch:
            # nothing is made, so there is nothing to open at the end
            self._publishes = []
        if not ask or touch:
            return
        cells = [self._cells[j.wildcards.contender, j.wildcards.suite, j.wildcards.cell] for j in ask]
        pairs = [(c.contender, c.suite) for c in cells]
        if twice := next((p for p, n in Counter(pairs).items() if n > 1), None):
            raise DmbError(
                f"{twice[0]} x {twice[1]} would be asked under two keys in one run; build the releases one after the other"
            )
        calls = sum(c.n_expected - len(finished_rows(c)) for c in cells if c.skip is None)
        wanted = {c.key for c in cells}
        release = next(n for n, p in self._planned.items() if any(c.key in wanted for c in p.cells))
        refuse_lost_ledgers(
            {c.job["release"] for c in cells if c.skip is None and c.job["provider"].get("billed", True)}
        )
        self._run = open_run(self.project, release, self._run_id, cells, here)
        os.environ[RUN_VARIABLE] = self._run
        skipped = sum(c.skip is not None for c in cells)
        say(
            f"run {self._run}: {len(cells) - skipped} cells to ask, at most {calls} questions; {skipped} cells skipped with their reason"
        )

    def _refreeze(self) -> None:
        entries = {s: f.lock_entry() for p in self._planned.values() for s, f in p.refreeze.items()}
        if entries:
            write_lock(entries)
            say(f"data/items.lock.json: items of {', '.join(sorted(entries))} are frozen anew; commit it")

    def end(self, success: bool) -> None:
        """Close the run from its evidence, however the workflow ended; say what a stopped cell needs, and what to open."""
        self._close_run()
        if success:
            for release in self._publishes:
                say(f"published {RESULTS / release}.md; open {RESULTS / release}.html")

    def _close_run(self) -> None:
        if self._run is None:
            return
        status = close_run(self._run)
        say(f"run {self._run}: {status}")
        # the workflow has long scrolled past the step that failed
        for line in failure_lines(self._run):
            say(line)
        if (warning := spend_warning(self._run)) is not None:
            say(warning)
        cells = load_json(run_dir(self._run) / "cells.json")
        if any(c["status"] in ("stopped", "dnf") for c in cells):
            say("some cells stopped before their end; `dmb run --id NEW --retry` asks the rest")


class _Suite:
    """Stands for wildcards that hold a suite."""

    def __init__(self, suite: str) -> None:
        self.suite = suite


def _refuse_unknown(planned: PlannedRelease) -> None:
    if planned.unknown:
        raise DmbError(f"release {planned.name}: " + " · ".join(planned.unknown.values()))


def _word(options: Mapping[str, Any], name: str) -> str | None:
    value = options.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"--config: {name} is read as {value!r}, which is no text; use `dmb run`, or another word")
    return value


def _words(value: Any) -> tuple[str, ...]:
    return tuple(w for w in str(value or "").split(",") if w)


def _whole(value: Any) -> int | None:
    if value is None:
        return None
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise UsageError(f"--limit: {value!r} is no whole number above 0")
    return number
