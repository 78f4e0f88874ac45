"""Opening and closing a run: what its manifest says beyond the store's own fields."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import dmb
from dmb.canonical import digest, sha256_hex
from dmb.contracts.decision import LATENCY_SCOPES
from dmb.contracts.receipt import RunStatus
from dmb.planning.keys import installed_version
from dmb.planning.plan import PlannedCell
from dmb.planning.project import CONTENDERS, PRICES, Project
from dmb.planning.spending import committed_of, spend_of
from dmb.prompting import CONFIDENCE_DEFINITION
from dmb.store.attempts import whole_lines
from dmb.store.files import load_json
from dmb.store.frozen_items import gold_shares, load_items
from dmb.store.layout import decisions_file, probes_dir, run_dir
from dmb.store.runs import JOBS_HERE, begin_run, end_run, set_manifest

#: Whose versions a reader may want to know; those that compute an answer are in the cell keys as well.
_LIBRARIES = ("snakemake", "httpx", "pydantic", "numpy", "scipy", "scikit-learn", "sparrow-decider")

#: What is recorded where an entry does not set it.
_SETTINGS = ("temperature", "reasoning", "max_output_tokens")


def open_run(project: Project, release: str, run: str | None, cells: Iterable[PlannedCell], here: bool) -> str:
    """Create the run for these cells and return its id. Its number continues the release's runs.

    ``here``: whether its jobs are processes of this one.
    """
    cells = list(cells)
    plan = {
        "release": release,
        "budget": project.config.budget.model_dump(mode="json"),
        "cells": {c.key: c.job | {"credential_present": c.skip != "no-credential"} for c in cells},
    }
    snapshots = {Path(f).name: Path(f).read_bytes() for f in (PRICES, CONTENDERS)}
    facts = {"jobs": JOBS_HERE if here else "elsewhere"}
    return begin_run(run, release, plan, snapshots, facts | _facts(project, release, cells, snapshots))


def _facts(project: Project, release: str, cells: list[PlannedCell], snapshots: dict[str, bytes]) -> dict[str, Any]:
    suites = sorted({c.suite for c in cells})
    contenders = sorted({c.contender for c in cells})
    return {
        "release": release,
        "protocol_version": project.config.protocol.version,
        "protocol": project.config.protocol.model_dump(mode="json"),
        "dmb_version": dmb.__version__,
        "python_version": platform.python_version(),
        "machine": {"cpu_count": os.cpu_count(), "platform": platform.platform()},
        "libraries": {n: installed_version(n) for n in _LIBRARIES},
        "contenders": {c: project.contenders[c].model_dump(mode="json", exclude_defaults=True) for c in contenders},
        "settings": {
            c: {s: project.contenders[c].settings.get(s, _unset(project, c)) for s in _SETTINGS} for c in contenders
        },
        "askers": {c.contender: c.job["parts"]["asker"] for c in cells},
        "items": {s: next(c.job["items"]["sha256"] for c in cells if c.suite == s) for s in suites},
        "questions": {s: next(c.job["parts"]["question"] for c in cells if c.suite == s) for s in suites},
        "confidence_definition": digest(CONFIDENCE_DEFINITION),
        "latency_scopes": list(LATENCY_SCOPES),
        "prompt_versions": {s: project.suites[s].prompt_version for s in suites},
        "scorer_versions": {s: project.suites[s].scorer_version for s in suites},
        "expected": {f"{c.contender}.{c.suite}": c.n_expected for c in cells},
        "prices_sha256": sha256_hex(snapshots[Path(PRICES).name]),
        "budget": project.config.budget.model_dump(mode="json"),
        "deviations": [],
    }


def _unset(project: Project, contender: str) -> str:
    return "not-applicable" if project.contenders[contender].baseline is not None else "provider-default"


def close_run(run: str) -> RunStatus:
    """End the run from its evidence; priors and served models are added now, since they are known only now."""
    plan = load_json(run_dir(run) / "plan.json")
    cells = plan["cells"].values()
    facts = {"priors": _priors(cells), "served_models": _served_models(run, cells), "negotiated": _negotiated(run)}
    spend = {"spend_usd": spend_of(run, plan), "release_committed_usd": committed_of(plan["release"])}
    set_manifest(run, **facts, **spend)
    return end_run(run)


def failure_lines(run: str, most: int = 5) -> list[str]:
    """For the user, once a run has ended: what failed in it, a line each; what is more than ``most`` is counted."""
    failures = list(load_json(run_dir(run) / "manifest.json").get("failures", {}).values())
    rest = len(failures) - most
    return failures[:most] + ([f"and {rest} more, in {run_dir(run)}/manifest.json"] if rest > 0 else [])


def _negotiated(run: str) -> dict[str, Any]:
    """Contender -> the settings that its probes found, and what it would not take."""
    found = {path.stem: load_json(path) for path in sorted(probes_dir(run).glob("*.json"))}
    return {
        c: {"settings": f["settings"], "given_up": f["given_up"], "n_probes": len(f["probes"])}
        for c, f in found.items()
    }


def spend_warning(run: str) -> str | None:
    """For the user, once a run has ended: the soft cap is passed, or nobody can say what was spent. None otherwise."""
    manifest = load_json(run_dir(run) / "manifest.json")
    release, budget, committed = manifest["release"], manifest["budget"], manifest["release_committed_usd"]
    if committed is None:
        return f"release {release}: its ledger cannot be read, so nobody can say what was spent"
    if Decimal(committed) <= Decimal(budget["soft_usd"]):
        return None
    return (
        f"release {release}: {committed} USD are spent or reserved, more than the soft cap of {budget['soft_usd']}; "
        f"nothing is sent beyond {budget['hard_usd']}"
    )


def _priors(cells: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    priors = {}
    for cell in cells:
        prior = cell["prior"]
        if prior is None or not Path(prior["path"]).exists():
            continue
        shares = gold_shares(load_items(Path(prior["path"]), prior["sha256"]), cell["slots"][0]["id"])
        option, value = next(iter(shares.items()))
        priors[cell["suite"]] = {
            "suite": cell["suite"],
            "source_suite": prior["suite"],
            "option": option,
            "value": value,
            "file_sha256": prior["sha256"],
        }
    return [priors[s] for s in sorted(priors)]


def _served_models(run: str, cells: Iterable[dict[str, Any]]) -> dict[str, list[str]]:
    """Contender -> names that its replies gave; a contender whose replies give none is left out."""
    served: dict[str, set[str]] = {}
    for cell in cells:
        for line in whole_lines(decisions_file(run, cell["contender"], cell["suite"])):
            if (name := json.loads(line).get("served_model")) is not None:
                served.setdefault(cell["contender"], set()).add(name)
    return {c: sorted(names) for c, names in sorted(served.items())}
