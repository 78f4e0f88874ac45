"""A planned release and the evidence on disk -> the object that is published. Checks that each score has its receipt."""

from __future__ import annotations

from typing import Any

import dmb
from dmb.canonical import sha256_hex
from dmb.contracts.cell import Receipt, Score
from dmb.contracts.price import PricesFile
from dmb.errors import DamagedFile, MissingEvidence
from dmb.planning.plan import PlannedCell, PlannedRelease
from dmb.planning.project import Project
from dmb.planning.spending import spend_told
from dmb.publish.numbers import things
from dmb.publish.release import Attribution, Deviation, Machine, Release, RunFacts
from dmb.store.files import load_json
from dmb.store.layout import run_dir


def assemble_release(project: Project, planned: PlannedRelease) -> Release:
    """Read scores, receipts and manifests of a planned release.

    Raises ``MissingEvidence`` or ``DamagedFile`` where a score or the receipt that it was made from is not there: a
    lost receipt would otherwise let an old score be published.
    """
    if planned.key is None:
        raise MissingEvidence(f"release {planned.name}: " + " · ".join(planned.unknown.values()))
    pairs = [_score_and_receipt(c) for c in planned.cells]
    runs = sorted({s.source_run for s, _ in pairs})
    manifests = {r: load_json(run_dir(r) / "manifest.json") for r in runs if (run_dir(r) / "manifest.json").exists()}
    suites = {c.suite: project.suites[c.suite] for c in planned.cells}
    return Release(
        name=planned.name,
        key=planned.key,
        title=planned.spec.title,
        spec=planned.spec,
        suites=suites,
        contenders={c.contender: project.contenders[c.contender] for c in planned.cells},
        scores=tuple(s for s, _ in pairs),
        receipts={r.cell_key: r for _, r in pairs},
        prices=PricesFile(
            price=tuple(dict.fromkeys(r for c in planned.cells for r in project.price_rows(c.contender)))
        ),
        deviations=_deviations(manifests, planned),
        runs=tuple(_run_facts(r, m) for r, m in manifests.items()),
        attributions=tuple(
            Attribution(a, s.licence, s.attribution, s.changes, s.url)
            for a in sorted({a for suite in suites.values() for a in suite.attribution})
            for s in [project.sources[a]]
        ),
        protocol_version=project.config.protocol.version,
        dmb_version=dmb.__version__,
    )


def _score_and_receipt(cell: PlannedCell) -> tuple[Score, Receipt]:
    if not cell.score.exists():
        raise MissingEvidence(f"{cell.score}: is not here; start again, scores are free")
    try:
        score = Score.model_validate_json(cell.score.read_bytes())
    except ValueError:
        raise DamagedFile(f"{cell.score}: is damaged; delete it and start again, scores are free") from None
    if not cell.receipt.exists():
        raise MissingEvidence(f"{cell.score}: was made from {cell.receipt}, which is not here; start again")
    data = cell.receipt.read_bytes()
    if sha256_hex(data) != score.receipt_sha256:
        raise DamagedFile(f"{cell.score}: was made from another {cell.receipt}; delete the score and start again")
    return score, Receipt.model_validate_json(data)


def _deviations(manifests: dict[str, dict[str, Any]], planned: PlannedRelease) -> tuple[Deviation, ...]:
    found: dict[tuple[str, str], list[str]] = {}
    for run, manifest in manifests.items():
        for d in manifest.get("deviations", []):
            found.setdefault((d["what"], d["why"]), []).append(run)
    listed = [Deviation(what, why, tuple(runs)) for (what, why), runs in found.items()]
    if planned.spec.limit is not None:
        listed.append(
            Deviation(
                f"at most {things(planned.spec.limit, 'item')} of each suite were asked", "the release's entry says so"
            )
        )
    return tuple(listed)


def _run_facts(run: str, manifest: dict[str, Any]) -> RunFacts:
    versions = {
        "python": manifest.get("python_version", "not-recorded"),
        "dmb": manifest.get("dmb_version", "not-recorded"),
    }
    # runs of before there were machine facts have the platform alone
    machine = manifest.get("machine") or {"platform": manifest.get("platform")}
    caps = manifest.get("budget") or {}
    return RunFacts(
        id=run,
        started_at=manifest.get("started_at", "not-recorded"),
        versions=versions | {k: v or "not installed" for k, v in manifest.get("libraries", {}).items()},
        spend_usd=spend_told(manifest),
        budget_usd={cap: caps.get(f"{cap}_usd") for cap in ("soft", "hard")},
        machine=Machine(machine.get("cpu_count"), machine.get("platform")),
    )
