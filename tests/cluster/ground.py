"""A small project whose cells go to a cluster: two paid providers, three of their models, two suites, and a baseline.

Another baseline stays where the workflow is started.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dmb.contracts.price import PricesFile
from dmb.contracts.scenario import Scenario
from dmb.inputs import parse_toml
from dmb.simulate import Simulator
from tests.dag import warm
from tests.dag.tiny import Tiny

RELEASE = "cells-simulated"
SUITES = ("alpha", "beta")

#: Contender -> the lane it is asked in.
PAID = {"jev": "typesafe", "gpt-5-4-nano": "openai", "gpt-5-4-mini": "openai"}
BASELINE = "keyword"
STAYS = "random"
CELLS = (len(PAID) + 2) * len(SUITES)
SUBMITTED = (len(PAID) + 1) * len(SUITES)

SEED = 11

#: Nobody waits for what is seen at once.
QUICK = {
    "slurm": ("--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "1"),
    "cluster-generic": ("--seconds-between-status-checks", "1"),
}

CONFIG = """\
all: [cells]
releases:
  cells:
    title: Cells on a cluster
    suites: [{suites}]
    contenders: [{contenders}]
    nonce: "{nonce}"
protocol: {{ version: 3, backoff_s: 0.05, cell_deadline_s: {deadline_s} }}
budget: {{ soft_usd: {cap}, hard_usd: {cap} }}
"""


class Ground:
    """One project folder."""

    def __init__(self, root: Path) -> None:
        self.tiny, self.root = Tiny(root), root

    @classmethod
    def make(cls, root: Path, n_items: int) -> Ground:
        """A new one."""
        Tiny.make(root)
        for suite in SUITES:
            colours = ["red", "blue", "green"] * n_items
            rows = [
                {"id": f"{suite}-{i}", "text": f"{suite} {i}: paint it {c}", "label": c}
                for i, c in zip(range(n_items), colours, strict=False)
            ]
            (root / f"data/{suite}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
        ground = cls(root)
        ground.tiny.edit("data/contenders.toml", f"[{STAYS}]\n", f"[{STAYS}]\nlocal = true\n")
        ground.configure()
        return ground

    def copy(self, root: Path) -> Ground:
        """The same project elsewhere, with its items, and without runs and results."""
        copy = Ground(self.tiny.copy(root).root)
        for name in ("runs", "results"):
            subprocess.run(["rm", "-rf", str(root / name)], check=True)
        return copy

    def build_items(self) -> None:
        """So that no start has to."""
        self.configure(contenders=(BASELINE,))
        self.tiny.snakemake("selected", "--config", "release=cells")

    def configure(
        self,
        contenders: tuple[str, ...] = (*PAID, BASELINE, STAYS),
        suites: tuple[str, ...] = SUITES,
        nonce: str = "one",
        cap: str = "5",
        deadline_s: int = 600,
    ) -> None:
        """What is asked, for how much and how long."""
        words = {"suites": ", ".join(suites), "contenders": ", ".join(contenders)}
        (self.root / "config.yaml").write_text(CONFIG.format(nonce=nonce, cap=cap, deadline_s=deadline_s, **words))

    @contextmanager
    def simulator(self, **scenario: Any) -> Iterator[Simulator]:
        """A server that has counted nothing yet."""
        prices = PricesFile.model_validate(
            parse_toml((self.root / "data/prices.toml").read_text(), "prices.toml")
        ).price
        with Simulator(Scenario(name="cluster", **scenario), seed=SEED, prices=prices) as simulator:
            yield simulator

    def run(
        self, run: str, simulator: Simulator, executor: str | None, env: Mapping[str, str], *words: str
    ) -> subprocess.CompletedProcess[str]:
        """`dmb run`, here or on a cluster, by processes that begin with their libraries loaded."""
        return subprocess.run(
            self._command(warm.python(), run, executor, words),
            cwd=self.root,
            env=self._environment(simulator, env),
            capture_output=True,
            text=True,
            check=False,
        )

    def start(
        self, run: str, simulator: Simulator, executor: str, env: Mapping[str, str], *words: str
    ) -> subprocess.Popen[bytes]:
        """The same in real processes throughout, which can be killed."""
        with (self.root / "starts.log").open("ab") as log:
            return subprocess.Popen(
                self._command(sys.executable, run, executor, words),
                cwd=self.root,
                env=self._environment(simulator, env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def said(self) -> str:
        """The end of what the starts have said."""
        return (self.root / "starts.log").read_text(errors="replace")[-6000:]

    @staticmethod
    def _command(python: str, run: str, executor: str | None, words: tuple[str, ...]) -> list[str]:
        where = ["--executor", executor] if executor else []
        more = [*QUICK.get(executor or "", ()), *words]
        return [python, "-m", "dmb", "run", "--id", run, "--release", RELEASE, *where, "--", *more]

    @staticmethod
    def _environment(simulator: Simulator, env: Mapping[str, str]) -> dict[str, str]:
        return Tiny.environment({"DMB_SIMULATOR": simulator.address, "PATH": os.environ["PATH"], **env})
