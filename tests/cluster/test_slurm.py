"""Cells as jobs of a real Slurm: the same results as here, caps that hold over nodes, and misfortunes that cost nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dmb.contracts.scenario import Scenario
from dmb.planning.dispatch import CELLS_A_LANE
from dmb.simulate import Simulator
from tests.cluster.ground import CELLS, PAID, RELEASE, STAYS, SUBMITTED, SUITES, Ground
from tests.cluster.slurm import Slurm, until
from tests.kills.evidence import asked_for_nothing, decisions, lines, newest_receipts, own_rows, requests_by_lane

SLOTS = 4

#: US dollars. Four requests to the dearer model are reserved at 0.0029, and cost a fifteenth of it.
CAP = "0.0036"

#: Stated by people who ask where a number comes from; nothing that was answered or decided.
TIMES_AND_PLACES = ("latency", "timing", "source_run", "runs", "wall_s", "host", "generated")


@dataclass(frozen=True)
class Outcome:
    """What came of one `dmb run`."""

    ground: Ground
    done: subprocess.CompletedProcess[str]
    counts: dict[str, Any]

    @property
    def said(self) -> str:
        return (self.done.stdout + self.done.stderr)[-5000:]


#: Situation -> (executor, what is asked for how much, what the server does, words for snakemake, exit code)
SITUATIONS: dict[str, tuple[str | None, dict[str, Any], dict[str, Any], tuple[str, ...], int]] = {
    "here": (None, {}, {}, (), 0),
    "slurm": ("slurm", {}, {}, (), 0),
    "cluster-generic": ("cluster-generic", {}, {}, (), 0),
    # a limit of somebody's own replaces those of a profile, and none of DMB's
    "budget": (
        "slurm",
        {"contenders": ("jev", "gpt-5-4-nano"), "cap": CAP},
        {"delay_ms": 3000},
        ("--resources", "mine=1"),
        4,
    ),
    "authentication": ("slurm", {"contenders": ("jev",), "suites": ("alpha",)}, {"fault": ({"do": "bad_key"},)}, (), 5),
    "deadline": (
        "slurm",
        {"contenders": ("jev",), "suites": ("alpha",), "deadline_s": 1},
        {"delay_ms": 700},
        (),
        6,
    ),
}

FAULTS = (
    {"do": "overloaded", "share": 0.1, "first": 1},
    {"do": "refusal", "share": 0.05},
    {"do": "unknown_choice", "share": 0.1},
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """A project with its items built, which nothing was asked in."""
    ground = Ground.make(tmp_path_factory.mktemp("cluster") / "base", n_items=12)
    ground.build_items()
    return ground


@pytest.fixture(scope="module")
def outcomes(slurm: Slurm, base: Ground, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """All of them at once: each waits for the cluster most of the time."""
    folder = tmp_path_factory.mktemp("situations")

    def one(name: str) -> Outcome:
        executor, asked, scenario, words, _ = SITUATIONS[name]
        ground = base.copy(folder / name)
        ground.configure(**asked)
        with (
            ground.simulator(**{"delay_ms": 30, "fault": FAULTS, **scenario}) as simulator,
            ThreadPoolExecutor(1) as aside,
        ):
            if name == "budget":
                aside.submit(_wait_for_both_lanes, simulator)
            done = ground.run(f"run-{name}", simulator, executor, slurm.env, *words)
            return Outcome(ground, done, simulator.counts())

    with ThreadPoolExecutor(len(SITUATIONS)) as pool:
        return dict(zip(SITUATIONS, pool.map(one, SITUATIONS), strict=True))


def _wait_for_both_lanes(simulator: Simulator) -> None:
    """Nobody uses the money up before the other has begun."""
    until(lambda: len(simulator.counts()["peak_in_flight"]) == 2)
    simulator.use(QUICK)


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_exit_code_is_that_of_a_run_here(outcomes: dict[str, Outcome], name: str) -> None:
    outcome = outcomes[name]
    assert outcome.done.returncode == SITUATIONS[name][-1], outcome.said
    manifest = json.loads((outcome.ground.root / f"runs/run-{name}/manifest.json").read_text())
    assert manifest["status"] == ("complete" if outcome.done.returncode == 0 else "stopped")
    assert manifest["jobs"] == ("here" if SITUATIONS[name][0] is None else "elsewhere")


def without(document: Any, names: tuple[str, ...]) -> Any:
    """A JSON document without the entries whose name holds one of these words."""
    if isinstance(document, dict):
        return {k: without(v, names) for k, v in document.items() if not any(n in k for n in names)}
    return [without(v, names) for v in document] if isinstance(document, list) else document


@pytest.mark.parametrize("name", ["slurm", "cluster-generic"])
def test_cells_and_decisions_are_those_of_a_run_here(outcomes: dict[str, Outcome], name: str) -> None:
    here, there = outcomes["here"].ground.root, outcomes[name].ground.root
    found = [
        without(json.loads((root / f"results/{RELEASE}.cells.json").read_text()), TIMES_AND_PLACES)
        for root in (here, there)
    ]
    assert len(found[0]["cells"]) == CELLS and found[0] == found[1]
    decided = [decisions(root, newest_receipts(root)) for root in (here, there)]
    assert len(decided[0]) == CELLS * 12 and decided[0] == decided[1]
    assert {d["outcome"] for d in decided[0].values()} >= {"valid", "refused", "malformed"}
    receipts = [
        {k: without(r, ("wall_s", "run", "raw", "negotiation")) for k, r in newest_receipts(root).items()}
        for root in (here, there)
    ]
    assert receipts[0] == receipts[1]


@pytest.mark.parametrize("name", ["slurm", "cluster-generic", "budget"])
def test_no_provider_has_more_in_flight_than_its_lane_and_each_lane_is_used(
    outcomes: dict[str, Outcome], name: str
) -> None:
    peak = outcomes[name].counts["peak_in_flight"]
    assert set(peak) == set(PAID.values()) and max(peak.values()) <= SLOTS
    if name != "budget":
        assert requests_by_lane(outcomes[name].counts) == requests_by_lane(outcomes["here"].counts)
        assert peak == dict.fromkeys(peak, SLOTS)


@pytest.mark.parametrize("name", ["here", "slurm", "cluster-generic", "budget"])
def test_no_more_cells_of_a_lane_are_under_way_than_keep_it_busy(outcomes: dict[str, Outcome], name: str) -> None:
    spans: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for row in own_rows(outcomes[name].ground.root):
        if row["contender"] in PAID:
            cell, sent_at = (row["contender"], row["suite"]), row["timing"]["sent_at"]
            spans.setdefault(PAID[row["contender"]], []).append((sent_at, cell))
    for lane, asked in spans.items():
        asked.sort()
        last = {cell: at for at, cell in asked}
        under_way: set[Any] = set()
        for at, cell in asked:
            under_way = {c for c in under_way if last[c] >= at} | {cell}
            assert len(under_way) <= CELLS_A_LANE, lane


def test_every_asking_job_is_submitted_and_no_other_and_nodes_share_them(
    outcomes: dict[str, Outcome], slurm: Slurm
) -> None:
    said = outcomes["slurm"].done.stdout + outcomes["slurm"].done.stderr
    assert said.count("has been submitted with SLURM jobid") == SUBMITTED == said.count("\nrule ask:")
    assert said.count("localrule ask_here:") == len(SUITES) == said.count(f"wildcards: contender={STAYS}, suite=") // 2
    assert said.count("localrule score:") == CELLS and said.count("localrule publish:") == 1
    assert {node for _, node in slurm.jobs("COMPLETED").values()} == {"n1", "n2", "n3"}


def test_the_cap_holds_over_nodes(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["budget"]
    cap, charged, n_spenders = Fraction(CAP), Fraction(0), 0
    for path in (outcome.ground.root / f"runs/_budget/{RELEASE}").glob("*.*.*.jsonl"):
        held = {}
        for row in lines(path):
            if row["op"] == "reserve":
                held[row["n"]] = Fraction(row["usd"])
            else:
                charged += Fraction(row.get("charged_usd", 0))
                del held[row["n"]]
        charged += sum(held.values())
        n_spenders += 1
    assert Fraction(outcome.counts["billed_usd"]) <= charged <= cap
    receipts = newest_receipts(outcome.ground.root)
    assert len(receipts) == 2 * len(SUITES) and n_spenders > 1
    stopped = {k: r for k, r in receipts.items() if r["status"] != "complete"}
    assert stopped and all("budget" in r["stop_reason"] for r in stopped.values())


def test_a_report_of_snakemake_is_made_from_a_run_on_a_cluster(outcomes: dict[str, Outcome]) -> None:
    ground = outcomes["slurm"].ground
    (ground.root / "config.yaml").touch()
    with ground.simulator(delay_ms=30, fault=FAULTS) as simulator:
        jobs = ground.tiny.snakemake(
            f"results/{RELEASE}.md", "--report", "report.zip", env={"DMB_SIMULATOR": simulator.address}
        )
    assert "Missing metadata" not in jobs.output
    assert (ground.root / "report.zip").stat().st_size > 100_000


# -- misfortunes

SLOW, SLOWER = Scenario(name="slow", delay_ms=2000), Scenario(name="slower", delay_ms=6000)
QUICK = Scenario(name="quick", delay_ms=100)


def begun(slurm: Slurm, ground: Ground, run: str) -> dict[str, tuple[Path, str]]:
    """Job that is at work -> (its log of attempts, which holds some, node)."""
    found = {}
    for job, (_, node) in slurm.jobs("RUNNING").items():
        for path in ground.root.glob(f".snakemake/slurm_logs/rule_ask/*/{job}.log"):
            contender, suite, *_ = path.parent.name.split("_")
            raw = ground.root / f"runs/{run}/raw/{contender}.{suite}.attempts.jsonl"
            if lines(raw):
                found[job] = (raw, node)
    return found


@pytest.mark.parametrize("turn", [1, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 3, 4))])
def test_a_cancelled_job_a_lost_node_and_a_killed_start_cost_nothing(
    slurm: Slurm, base: Ground, tmp_path: Path, turn: int
) -> None:
    ground = base.copy(tmp_path / "project")
    ground.configure(contenders=("jev", "gpt-5-4-nano"))
    n_cells, n_rows = 4, 4 * 12
    slurm.until_quiet()
    with ground.simulator() as simulator:
        # one job is cancelled, and the node of another breaks down
        simulator.use(SLOW)
        first = ground.start("first", simulator, "slurm", slurm.env)
        until(lambda: len({node for _, node in begun(slurm, ground, "first").values()}) > 1)
        jobs = begun(slurm, ground, "first")
        cancelled = min(jobs, key=lambda job: len(lines(jobs[job][0])))
        lost = next(node for _, node in jobs.values() if node != jobs[cancelled][1])
        slurm.cancel(cancelled)
        slurm.lose(lost)
        simulator.use(QUICK)
        assert first.wait(120) == 3, ground.said()
        slurm.revive(lost)
        # Slurm has started what was on the node again, under the same run; what was cancelled has no receipt
        assert len(newest_receipts(ground.root)) == n_cells - 1, ground.said()
        # whoever submitted is killed, with all that it had started on this host
        simulator.use(SLOWER)
        second, n = ground.start("second", simulator, "cluster-generic", slurm.env), simulator.counts()["requests"]
        until(lambda: simulator.counts()["requests"] >= n + 2)
        os.killpg(second.pid, signal.SIGKILL)
        second.wait()
        # the same again tells what is left of it to stop, waits, and finishes
        third = ground.start("third", simulator, "cluster-generic", slurm.env)
        until(lambda: (ground.root / "runs/second/stops/run").exists())
        simulator.use(QUICK)
        assert third.wait(120) == 0, ground.said()
        counts = simulator.counts()
    slurm.until_quiet()
    status = {
        r: json.loads((ground.root / f"runs/{r}/manifest.json").read_text())["status"] for r in ("first", "second")
    }
    assert status == {"first": "interrupted", "second": "interrupted"}
    assert "Resuming incomplete job" not in ground.said()
    receipts = newest_receipts(ground.root)
    assert {r["run"] for r in receipts.values()} == {"first", "third"}
    assert len(receipts) == n_cells and {r["status"] for r in receipts.values()} == {"complete"}
    rows = own_rows(ground.root)
    assert asked_for_nothing(rows) == [] and len(rows) == n_rows == counts["distinct"]
    # what was asked twice was in flight when its process was killed: three times, four slots each
    assert n_rows <= counts["requests"] <= n_rows + 3 * SLOTS
