"""Runs to merge: a tiny project whose baselines are really asked, in this process, as often as a test likes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dmb.cli.jobs import items
from dmb.engine.cell import ask_cell
from dmb.engine.clock import REAL, Clock
from dmb.merge.opened import OpenedRun, open_run
from dmb.planning import lifecycle
from dmb.planning.plan import Planner, Selection
from dmb.planning.project import load_project
from dmb.store.files import file_sha256, load_json, pretty_json
from dmb.store.layout import items_path, receipt_path, run_dir, texts_path
from tests.dag.tiny import Tiny

#: Answers that take longer than any deadline.
LATE = Clock(
    now=REAL.now,
    elapsed_s=(lambda ticks: lambda: float(next(ticks)))(itertools.count(0, 5000)),
    sleep=lambda s: None,
)


@dataclass
class Ground:
    """A scratch project and the runs made in it. Each run asks afresh, under a nonce of its own."""

    tiny: Tiny
    nonces: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def run(
        self,
        id: str,
        contenders: str = "",
        suites: str = "",
        *,
        limit: int | None = None,
        clock: Clock = REAL,
        close: bool = True,
    ) -> None:
        """Ask these cells of the release ``tiny`` (all without a name) under this id, and close the run."""
        self._fresh()
        project = load_project()
        chosen = Selection(tuple(suites.split()), tuple(contenders.split()), limit)
        cells = Planner(project, {}).release("tiny", chosen).cells
        for cell in cells:
            frozen = cell.job["items"]
            if not Path(frozen["path"]).exists():
                items(cell.suite, frozen["sha256"][:12], frozen["path"], str(texts_path(cell.suite, frozen["sha256"])))
        lifecycle.open_run(project, "tiny", id, cells, True)
        for cell in cells:
            ask_cell(id, cell.key[:16], cell.receipt, clock)
        if close:
            lifecycle.close_run(id)

    def opened(self, id: str) -> OpenedRun:
        """The run as merging sees it."""
        return open_run(id)

    def edit(self, file: str, old: str, new: str) -> None:
        """Change the project between two runs."""
        self.tiny.edit(file, old, new)

    def _fresh(self) -> None:
        path = self.tiny.root / "config.yaml"
        text = re.sub(r"\n    nonce: .*", "", path.read_text())
        path.write_text(
            text.replace("title: A tiny release", f"title: A tiny release\n    nonce: n{next(self.nonces)}")
        )


def rewrite(path: Path, old: str, new: str) -> None:
    """Change a text that must be in a file, once."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def items_file(suite: str, run: OpenedRun) -> Path:
    """The identity file that a run's cells of a suite were asked from."""
    return items_path(suite, run.manifest["items"][suite])


def receipt_of(run: str, cell: str) -> Path:
    """The receipt that a run planned for ``contender.suite``."""
    plan = load_json(run_dir(run) / "plan.json")["cells"]
    key, job = next((k, j) for k, j in plan.items() if f"{j['contender']}.{j['suite']}" == cell)
    return receipt_path(job["contender"], job["suite"], key, job["number"])


def raw_of(run: str, cell: str) -> Path:
    """Its log."""
    return run_dir(run) / "raw" / f"{cell}.attempts.jsonl"


def admit(run: str, cell: str) -> None:
    """Let the receipt name the log as it is now: what remains wrong is in the rows."""
    path = receipt_of(run, cell)
    path.write_bytes(pretty_json(load_json(path) | {"raw_sha256": file_sha256(raw_of(run, cell))}))
