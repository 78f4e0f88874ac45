"""`dmb run` in each of its endings, against a simulator: exit code, manifest, coverage, and what the server counted."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import httpx

from dmb.contracts.scenario import FaultRule
from dmb.store.attempts import read_attempts
from tests.dag.changes import tree
from tests.dag.situations import TWIN, N, Run, asked_of, billed, check_accounts, project, simulated
from tests.planted import SECRET, traces, traces_below

#: One of each wire, and their providers.
EVERY_WIRE = {
    "jev": "typesafe",
    "gpt-6-luna-decisions": "openai-decisions",
    "gpt-5-4-nano": "openai",
    "gpt-6-luna": "openai",
    "claude-haiku-4-5": "anthropic",
    "gemini-3-6-flash": "google",
}


def test_fair_every_wire_is_answered_and_the_ledger_is_the_bill(tmp_path: Path):
    t = project(tmp_path / "fair", [*EVERY_WIRE])
    with simulated() as s:
        env = {"DMB_SIMULATOR": s.address}
        done = t.dmb("run", "--id", "fair", "--release", TWIN, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
        run = Run(t, "fair")
        assert run.manifest["status"] == "complete"
        assert {run.status(c) for c in EVERY_WIRE} == {("complete", None)}
        assert all(run.outcomes(c) == {"valid": N} for c in EVERY_WIRE)
        check_accounts(t, run)
        assert s.counts()["requests"] == s.counts()["answered"] == N * len(EVERY_WIRE)
        for provider in EVERY_WIRE.values():
            assert asked_of(s, provider) == N * list(EVERY_WIRE.values()).count(provider)
        assert run.spent == {"scored": billed(s), "negotiation": 0, "unsettled": 0}
        assert run.committed == billed(s) > 0
        assert {r["simulated"] for r in run.receipts.values()} == {True}

        # the id is taken: nothing is asked, and nothing is touched
        before = tree(t, ".")
        again = t.dmb("run", "--id", "fair", "--release", TWIN, "--retry", env=env)
        assert again.returncode == 2 and "runs/fair exists" in again.stderr
        assert len(again.stderr.splitlines()) == 1 and again.stdout == ""
        assert tree(t, ".") == before
        assert s.counts()["requests"] == N * len(EVERY_WIRE)


def test_execution_a_server_that_dies_stops_the_cell_and_a_retry_asks_what_is_missing(tmp_path: Path):
    t = project(tmp_path / "dying", ["jev"])
    with simulated(FaultRule(do="close", from_request=8)) as s:
        env = {"DMB_SIMULATOR": s.address}
        done = t.dmb("run", "--id", "dying", "--release", TWIN, env=env)
        assert done.returncode == 3, done.stderr[-3000:]
        run = Run(t, "dying")
        assert run.manifest["status"] == "stopped"
        assert run.status("jev") == ("stopped", "execution")
        assert "10 failures in a row, the last one transport" in run.receipts["jev"]["stop_reason"]
        outcomes = run.outcomes("jev")
        # ten in a row, and at most three more that were in flight
        assert outcomes["valid"] == 7 and 10 <= outcomes["failed"] <= 13
        check_accounts(t, run)
        # those three may have been stopped while they waited for their retry
        assert 7 + 2 * 10 <= s.counts()["requests"] == run.receipts["jev"]["n_attempts"] <= 7 + 2 * outcomes["failed"]
        assert run.spent["scored"] == billed(s) and run.spent["unsettled"] > 0
        assert run.committed == run.spent["scored"] + run.spent["unsettled"]

        # healed; what was answered stands, and each question that was not is asked once
        httpx.put(f"{s.address}/_simulate/scenario", content=b'name = "healed"', trust_env=False).raise_for_status()
        before = s.counts()["requests"]
        done = t.dmb("run", "--id", "healed", "--release", TWIN, "--retry", "--suites", "many", env=env)
        assert done.returncode == 0, done.stderr[-3000:]
        healed = Run(t, "healed")
        assert set(healed.cells) == {"jev"} and healed.manifest["parents"] == ["dying"]
        receipt = healed.receipts["jev"]
        assert (receipt["n_imported"], receipt["n_asked"]) == (7, N - 7) == (7, s.counts()["requests"] - before)
        assert healed.outcomes("jev") == {"valid": N}
        assert healed.spent["unsettled"] == 0 and healed.committed == run.spent["unsettled"] + billed(s)
        assert "17 rows asked, 7 rows taken over" in done.stdout


def test_budget_the_cap_holds_for_the_bill_and_baselines_go_on(tmp_path: Path):
    cap = Decimal("0.006")
    t = project(
        tmp_path / "capped",
        ["jev", "gpt-5-4-nano", "claude-haiku-4-5", "random"],
        budget={"soft_usd": "0.000001", "hard_usd": str(cap)},
    )
    with simulated() as s:
        done = t.dmb("run", "--id", "capped", "--release", TWIN, env={"DMB_SIMULATOR": s.address})
        assert done.returncode == 4, done.stderr[-3000:]
        run = Run(t, "capped")
        assert run.manifest["status"] == "stopped" and run.status("random") == ("complete", None)
        endings = {run.status(c) for c in ("jev", "gpt-5-4-nano", "claude-haiku-4-5")}
        assert ("stopped", "budget") in endings
        assert endings <= {("stopped", "budget"), ("skipped", "lane stopped"), ("complete", None)}
        check_accounts(t, run)
        assert 0 < billed(s) == run.spent["scored"] == run.committed <= cap
        assert s.counts()["requests"] == sum(
            r["outcomes"]["valid"] for name, r in run.receipts.items() if name != "random"
        )
        spent = f"{run.manifest['release_committed_usd']} USD are spent or reserved, more than the soft cap of 0.000001"
        assert spent in done.stderr
        # what is left would not have paid for one more attempt
        stopped = [r["stop_reason"] for r in run.receipts.values() if r["status"] == "stopped"]
        assert all("raise budget.hard_usd in config.yaml" in reason for reason in stopped)


def test_authentication_stops_the_providers_lane_and_no_other_and_the_key_is_nowhere(tmp_path: Path):
    """With keys of one's own: a provider that repeats the key in its error, and another that takes it."""
    t = project(tmp_path / "keyed", ["gpt-5-4-nano", "gpt-6-luna-decisions", "jev"])
    # one cell after the other, so that the second of the lane finds it stopped
    t.edit("profiles/default/config.yaml", "cores: 4", "cores: 1")
    lane = ("gpt-5-4-nano", "gpt-6-luna-decisions")
    rules = [FaultRule(do="echo_key", provider=p) for p in ("openai", "openai-decisions")]
    with simulated(*rules) as s:
        for name, address in (
            ("openai", "https://api.openai.com"),
            ("openai-decisions", "https://api.openai.com"),
            ("typesafe", "https://api.typesafe.ai"),
        ):
            t.edit(
                "data/providers.toml", f'[{name}]\naddress = "{address}"', f'[{name}]\naddress = "{s.address}/{name}"'
            )
        env = {"OPENAI_API_KEY": f"{SECRET}\n", "TYPESAFE_API_KEY": f"{SECRET}-2"}
        done = t.dmb("run", "--id", "keyed", "--release", "tiny", env=env)
        assert done.returncode == 5, done.stderr[-3000:]
        run = Run(t, "keyed")
        assert run.manifest["status"] == "stopped"
        assert {run.status(c) for c in lane} == {("stopped", "authentication"), ("skipped", "lane stopped")}
        assert run.status("jev") == ("complete", None)
        (refused,) = [c for c in lane if run.status(c)[0] == "stopped"]
        n = run.outcomes(refused)["failed"]
        assert 1 <= n <= 4 and run.outcomes(refused) == {"failed": n, "skipped": N - n}
        assert [run.outcomes(c) for c in lane if c != refused] == [{"skipped": N}]
        check_accounts(t, run, "tiny")
        assert s.counts()["requests"] == N + n
        assert run.spent == {"scored": billed(s), "negotiation": 0, "unsettled": 0}
        assert {p.name for p in (run.home / "stops").iterdir()} == {"provider.openai"}
        rows = list(read_attempts(run.home / f"raw/{refused}.many.attempts.jsonl"))
        assert [r.n_scrubbed for r in rows] == [1] * n and all("[credential]" in r.reply for r in rows)
    assert any((t.root / ".snakemake").rglob("*.log"))
    assert traces_below(t.root) == {}
    assert traces((done.stdout + done.stderr).encode()) == []


def test_deadline_what_is_in_flight_is_kept_and_the_rest_is_skipped(tmp_path: Path):
    t = project(tmp_path / "late", ["jev"], protocol={"cell_deadline_s": 1})
    with simulated(delay_ms=500) as s:
        done = t.dmb("run", "--id", "late", "--release", TWIN, env={"DMB_SIMULATOR": s.address})
        assert done.returncode == 6, done.stderr[-3000:]
        run = Run(t, "late")
        assert run.manifest["status"] == "stopped"
        assert run.status("jev") == ("dnf", "deadline")
        outcomes = run.outcomes("jev")
        assert outcomes["skipped"] > 0 and set(outcomes) <= {"valid", "skipped"}
        assert s.counts()["requests"] == s.counts()["answered"] == N - outcomes["skipped"]
        check_accounts(t, run)
        assert run.spent == {"scored": billed(s), "negotiation": 0, "unsettled": 0}
        cells = json.loads((t.root / f"results/{TWIN}.cells.json").read_text())["cells"]
        assert {c["contender"]: c["stop_reason"] for c in cells} == {"jev": "deadline"}
