"""A small release of contenders behind wires, asked of a simulator through the whole workflow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from dmb.contracts.attempt import OUTCOMES
from dmb.contracts.scenario import FaultRule, Scenario
from dmb.simulate import Simulator
from tests.dag.tiny import SUITE, Tiny
from tests.simulate.asking import PRICES

#: Questions of the one suite: more than the failures in a row that stop a cell, and than a lane has in flight beside.
N = 24

TWIN = "tiny-simulated"


def project(root: Path, contenders: list[str], **config: Mapping[str, Any]) -> Tiny:
    """A project whose release `tiny` has these contenders and one suite of N questions."""
    t = Tiny.make(root)
    for name in ("alpha", "beta", "order"):
        (t.root / f"data/suites/{name}.toml").unlink()
    (t.root / "data/suites/many.toml").write_text(
        SUITE.format(id="many", train="").replace(', "data/many.train.jsonl"', "")
    )
    labels = [{"id": c, "text": f"the colour {c}"} for c in ("red", "blue", "green")]
    rows = [{"id": f"m{i}", "text": f"paint number {i:02}", "label": labels[i % 3]["id"]} for i in range(N)]
    (t.root / "data/many.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (t.root / "data/many.labels.json").write_text(json.dumps(labels))
    release = {"title": "Tiny", "suites": ["many"], "contenders": contenders}
    protocol = {"backoff_s": 0.02, **config.pop("protocol", {})}
    text = json.dumps({"all": ["tiny"], "releases": {"tiny": release}, "protocol": protocol, **config})
    (t.root / "config.yaml").write_text(text)
    return t


@contextmanager
def simulated(*rules: FaultRule, **scenario: Any) -> Iterator[Simulator]:
    """A simulator of any model, with these faults."""
    with Simulator(Scenario(name="scripted", fault=rules, **scenario), seed=5, prices=PRICES) as simulator:
        yield simulator


class Run:
    """A run that has ended, read from its files."""

    def __init__(self, t: Tiny, name: str) -> None:
        self.home = t.root / "runs" / name
        self.manifest = json.loads((self.home / "manifest.json").read_text())
        self.cells = {c["contender"]: c for c in json.loads((self.home / "cells.json").read_text())}
        self.receipts = {n: json.loads((t.root / c["receipt"]).read_text()) for n, c in self.cells.items()}

    def status(self, contender: str) -> tuple[str, str | None]:
        """Status, and the first words of the stop reason."""
        r = self.receipts[contender]
        return r["status"], (r["stop_reason"] or "").partition(":")[0] or None

    def outcomes(self, contender: str) -> dict[str, int]:
        """Those that there are."""
        return {o: n for o, n in self.receipts[contender]["outcomes"].items() if n}

    @property
    def spent(self) -> dict[str, Decimal]:
        """US dollars by kind."""
        return {kind: Decimal(amount) for kind, amount in self.manifest["spend_usd"].items()}

    @property
    def committed(self) -> Decimal:
        """US dollars of the release."""
        return Decimal(self.manifest["release_committed_usd"])


def check_accounts(t: Tiny, run: Run, release: str = TWIN) -> None:
    """Every expected row has an outcome, and manifest, receipts and report say the same."""
    assert run.manifest["expected"] == {f"{name}.many": N for name in run.cells}
    report = (t.root / f"results/{release}.md").read_text()
    coverage = report.partition("\n### Coverage\n")[2].partition("\n#")[0]
    rows = [[cell.strip(" ◇") for cell in line.strip("|").split("|")] for line in coverage.splitlines()]
    labels = {name: entry["display"]["label"] for name, entry in run.manifest["contenders"].items()}
    for name, receipt in run.receipts.items():
        assert sum(receipt["outcomes"].values()) == receipt["n_expected"] == N
        assert set(receipt["outcomes"]) == set(OUTCOMES)
        completed, valid = N - receipt["outcomes"]["skipped"], receipt["outcomes"]["valid"]
        (row,) = [row for row in rows if row[:2] == ["`many`", labels[name]]]
        assert [row[2], row[3].replace("\\", "")] == [receipt["status"], receipt["stop_reason"] or "–"]
        assert row[4:] == [
            f"`{receipt['run']}`",
            f"{completed} / {N}",
            f"{valid} / {N}",
            str(receipt["n_attempts"]),
            str(receipt["n_imported"]),
        ]
    published = json.loads((t.root / f"results/{release}.cells.json").read_text())["cells"]
    assert {c["contender"]: c["outcomes"] for c in published} == {n: r["outcomes"] for n, r in run.receipts.items()}
    assert {c["contender"]: c["status"] for c in published} == {n: r["status"] for n, r in run.receipts.items()}


def billed(simulator: Simulator) -> Decimal:
    """The server's own bill in US dollars."""
    return Decimal(simulator.counts()["billed_usd"])


def asked_of(simulator: Simulator, provider: str) -> int:
    """Requests that reached one provider."""
    return sum(b["requests"] for b in simulator.counts()["by"] if b["provider"] == provider)
