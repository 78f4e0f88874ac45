"""A planned release and the evidence on disk -> the release document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dmb
from dmb.canonical import sha256_hex
from dmb.contracts.price import PriceRow
from dmb.contracts.receipt import Receipt
from dmb.contracts.release import (
    ContenderEntry,
    Deviation,
    EvidenceCell,
    Machine,
    ReleaseDocument,
    RunFacts,
    SuiteEntry,
)
from dmb.errors import DamagedFile, MissingEvidence
from dmb.planning.keys import installed_version, publishing_code, scoring_code
from dmb.planning.plan import PlannedCell, PlannedRelease
from dmb.planning.project import PRICES, Project
from dmb.planning.spending import spend_told
from dmb.publish.document import signed
from dmb.publish.numbers import things
from dmb.store.files import file_sha256, load_json
from dmb.store.layout import items_path, run_dir, texts_path
from dmb.store.snapshots import prices_asked_at, rows_that_differ

#: What computes and writes besides our own code: with others, a last digit or an escape may come out otherwise.
_LIBRARIES = ("numpy", "jinja2", "markupsafe")
#: What a run keeps of the tables that it was asked with.
SNAPSHOTS = ("prices.toml", "contenders.toml")


def make_document(project: Project, planned: PlannedRelease) -> ReleaseDocument:
    """All that this release is published from, the evidence itself apart.

    Raises ``MissingEvidence`` or ``DamagedFile`` where a receipt is not there: a lost receipt would otherwise let an old
    score be published.
    """
    if planned.key is None:
        raise MissingEvidence(f"release {planned.name}: " + " · ".join(planned.unknown.values()))
    suites = {c.suite: project.suites[c.suite] for c in planned.cells}
    contenders = {c.contender: project.contenders[c.contender] for c in planned.cells}
    prices = tuple(dict.fromkeys(row for c in contenders for row in project.price_rows(c)))
    places = {c: tuple(prices.index(row) for row in project.price_rows(c)) for c in contenders}
    receipts = [(c, *_receipt(c)) for c in planned.cells]
    runs = sorted({receipt.run for _, receipt, _ in receipts})
    asked_at = {run: prices_asked_at(run) for run in runs}
    others = {
        r.cell_key: rows_that_differ(project.price_rows(r.contender), asked_at[r.run], r.parts["contender"])
        for _, r, _ in receipts
    }
    other_prices = tuple(dict.fromkeys(row for rows in others.values() for row in rows or ()))
    manifests = manifests_of(runs)
    files = {run_dir(run) / name for run in runs for name in SNAPSHOTS}
    files |= {items_path(r.suite, r.items) for _, r, _ in receipts}
    # what the page may show of the items
    files |= {texts_path(r.suite, r.items) for _, r, _ in receipts if suites[r.suite].publish_text}
    files |= {Path(c.job["prior"]["path"]) for c in planned.cells if c.job["prior"] is not None}
    return signed(
        name=planned.name,
        key=planned.key,
        title=planned.spec.title,
        spec=planned.spec,
        protocol_version=project.config.protocol.version,
        dmb_version=dmb.__version__,
        suites=tuple(
            SuiteEntry(
                suite=suite,
                instructions=project.asks_as(suite).question.instructions or "",
                prompt_version=project.asks_as(suite).prompt_version,
            )
            for suite in suites.values()
        ),
        contenders=tuple(ContenderEntry(id=name, entry=entry) for name, entry in contenders.items()),
        cells=tuple(
            _cell(*found, places[found[0].contender], others[found[1].cell_key], other_prices) for found in receipts
        ),
        prices=prices,
        other_prices=other_prices,
        sources={a: project.sources[a] for a in sorted({a for s in suites.values() for a in s.attribution})},
        deviations=deviations_of(manifests, planned.spec.limit),
        runs=tuple(run_facts(run, manifest) for run, manifest in manifests.items()),
        files={str(path): file_sha256(path) for path in sorted(files) if path.exists()},
        tables={PRICES: file_sha256(Path(PRICES))} if Path(PRICES).exists() else {},
        publishing_code=publishing_code(),
        libraries=libraries_here(),
    )


def _receipt(cell: PlannedCell) -> tuple[Receipt, str]:
    """The receipt of a cell, and the digest of its file."""
    if not cell.receipt.exists():
        raise MissingEvidence(f"{cell.score}: was made from {cell.receipt}, which is not here; start again")
    data = cell.receipt.read_bytes()
    try:
        return Receipt.model_validate_json(data), sha256_hex(data)
    except ValueError:
        raise DamagedFile(f"{cell.receipt}: is damaged; delete it: rows that are on disk are not asked again") from None


def _cell(
    cell: PlannedCell,
    receipt: Receipt,
    receipt_sha256: str,
    prices: tuple[int, ...],
    others: tuple[PriceRow, ...] | None,
    other_prices: tuple[PriceRow, ...],
) -> EvidenceCell:
    return EvidenceCell(
        contender=cell.contender,
        suite=cell.suite,
        cell_key=cell.key,
        receipt=str(cell.receipt),
        receipt_number=receipt.number,
        receipt_sha256=receipt_sha256,
        run=receipt.run,
        items=str(items_path(cell.suite, receipt.items)),
        items_sha256=receipt.items,
        raw=receipt.raw,
        raw_sha256=receipt.raw_sha256,
        prices=prices,
        compared=str(cell.compared) if cell.compared else None,
        scoring_code=scoring_code(receipt.parts["asker"]["name"]),
        score_key=cell.score_key,
        other_prices=None if others is None else tuple(other_prices.index(row) for row in others),
    )


def manifests_of(runs: list[str], root: Path = Path()) -> dict[str, dict[str, Any]]:
    """Run -> its manifest, for those that have one."""
    found = {run: root / run_dir(run) / "manifest.json" for run in runs}
    return {run: load_json(path) for run, path in found.items() if path.exists()}


def deviations_of(manifests: dict[str, dict[str, Any]], limit: int | None) -> tuple[Deviation, ...]:
    """What the runs say that they did otherwise, each with its runs, and the release's own limit."""
    found: dict[tuple[str, str], list[str]] = {}
    for run, manifest in manifests.items():
        for d in manifest.get("deviations", []):
            found.setdefault((d["what"], d["why"]), []).append(run)
    listed = [Deviation(what, why, tuple(runs)) for (what, why), runs in found.items()]
    if limit is not None:
        listed.append(
            Deviation(f"at most {things(limit, 'item')} of each suite were asked", "the release's entry says so")
        )
    return tuple(listed)


def run_facts(run: str, manifest: dict[str, Any]) -> RunFacts:
    """What is published of a run, from its manifest; where that does not say yet what was spent, from the ledger."""
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


def libraries_here() -> dict[str, str | None]:
    """Installed versions of what computes and writes; None where it is not installed."""
    return {name: installed_version(name) for name in _LIBRARIES}
