"""What the Snakefile asks for in the process of one job, on a cluster's node or in a subprocess of the workflow's.

Such a process parses the Snakefile anew, once a job. It looks into the plan that its run was born with and nowhere else:
no table, no items and no code is read, nothing is hashed and nothing is written. What it imports is paid by every job, so
only modules without libraries are named here.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from dmb.errors import DmbError, MissingEvidence
from dmb.planning.ask_inputs import ask_inputs, ask_mem_mb, ask_runtime, ask_threads
from dmb.store.plan_file import planned_job
from dmb.store.run_state import RUN_VARIABLE, has_ended, run_status


class JoinedDriver:
    """Stands for the ``Driver`` of the process that planned. Raises ``DmbError`` where its run has ended.

    It answers for cells that are asked: everything else stays where the workflow was started.
    """

    def __init__(self) -> None:
        # declared as a variable that jobs need: where an executor did not hand it on, that is said for this cell
        self._run = os.environ.setdefault(RUN_VARIABLE, "") or None
        # a job that failed later would take the next run's receipt with it
        if self._run is not None and has_ended(self._run):
            raise DmbError(f"run {self._run} has ended ({run_status(self._run)}): nothing may be asked under it")
        self._job = cache(self._look_up)

    def _look_up(self, contender: str, suite: str, cell: str) -> dict[str, Any]:
        if self._run is None:
            raise DmbError(
                f"{RUN_VARIABLE} is not set here, so nobody can say which run this job belongs to: docs/cluster.md"
            )
        job = planned_job(self._run, cell).cell
        if (job["contender"], job["suite"]) != (contender, suite):
            raise MissingEvidence(f"run {self._run} did not plan {contender} x {suite} under {cell}; start again")
        return job

    def ask_inputs(self, w: Any) -> list[str]:
        """What a cell's questions are made of; nothing once its receipt is there."""
        return ask_inputs(self._job(w.contender, w.suite, w.cell), w)

    def ask_threads(self, w: Any) -> int:
        """As many as in the process that planned."""
        return ask_threads(self._job(w.contender, w.suite, w.cell))

    def ask_mem_mb(self, w: Any) -> int:
        """The same."""
        return ask_mem_mb(self._job(w.contender, w.suite, w.cell))

    def ask_runtime(self, w: Any) -> int:
        """The same."""
        return ask_runtime(self._job(w.contender, w.suite, w.cell))

    def ask_lanes(self) -> dict[str, Any]:
        """When a cell begins was decided where the workflow was started."""
        return {}

    def asked_here(self) -> str:
        """What a cluster was given is asked there, whatever its entry says by now."""
        return "(?!)"

    # -- what the other rules want to know while they are parsed, and is decided elsewhere

    def results(self) -> list[str]:
        """Nothing is published here."""
        return []

    def sources(self) -> list[str]:
        """Nothing is fetched here."""
        return []

    def release_pattern(self) -> str:
        """Names of releases were checked where the workflow was started."""
        return "[a-z0-9.-]+"

    def not_here(self, _wildcards: Any) -> list[str]:
        """In the place of every function that makes a plan. Raises ``DmbError``."""
        raise DmbError("this step is carried out where the workflow was started, and by no job of a cluster")

    items_inputs = score_inputs = score_reference = not_here
    release_scores = release_key = stale_mark = selected = not_here

    def start(self, *_: Any) -> None:
        """Only the process that planned opens the run."""

    def end(self, success: bool) -> None:
        """And closes it."""
