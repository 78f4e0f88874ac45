"""Merged runs -> the release document: the same one that a planned release has, priced from the runs' own tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import dmb
from dmb.canonical import sha256_hex
from dmb.contracts.config import Release as ReleaseSpec
from dmb.contracts.contender import Contender
from dmb.contracts.release import AskedOtherwise, ContenderEntry, Deviation, EvidenceCell, ReleaseDocument, SuiteEntry
from dmb.contracts.slot import Slot
from dmb.contracts.suite import SuiteFile
from dmb.errors import UsageError
from dmb.inputs import nearest
from dmb.merge.merged import Merged
from dmb.merge.opened import CellName, RunCell
from dmb.planning.keys import asked_fields, looks_of, publishing_code, release_key, score_key, scoring_code
from dmb.planning.project import Project
from dmb.planning.rehearsal import base_of
from dmb.prompting import question_fingerprint
from dmb.publish.assemble import SNAPSHOTS, deviations_of, libraries_here, manifests_of, run_facts
from dmb.publish.document import signed
from dmb.store.files import file_sha256
from dmb.store.layout import items_path, run_dir, texts_path
from dmb.store.snapshots import rows_that_differ


def document_of_runs(project: Project, merged: Merged, name: str, command: str) -> ReleaseDocument:
    """All that the report of these runs is published from; ``command`` makes it again. Suites are described as they are in ``data/suites`` now.

    Raises ``UsageError`` where a suite is no longer there, or asks for other outputs, or where the cells make no whole table.
    """
    suites, contenders = _in_order(project, merged)
    cells = _whole_table(merged, list(suites), list(contenders))
    for cell in cells.values():
        _must_fit(cell, suites[cell.receipt.suite])
    prices = tuple(dict.fromkeys(row for cell in cells.values() for row in cell.prices))
    others = {
        who: rows_that_differ(cell.prices, project.prices, cell.receipt.parts["contender"])
        for who, cell in cells.items()
    }
    other_prices = tuple(dict.fromkeys(row for rows in others.values() for row in rows or ()))
    compared = {who: cells.get((who[0], suites[who[1]].metrics.compare_with or "")) for who in cells}
    keys = {who: _score_key(cell, suites[who[1]], compared[who]) for who, cell in cells.items()}
    title = f"Merged from {' and '.join(filter(None, (', '.join(r.id for r in merged.runs[:-1]), merged.runs[-1].id)))}"
    limits = {cell.receipt.parts["limit"] for cell in cells.values()} - {None}
    spec = ReleaseSpec(
        title=title,
        suites=tuple(suites),
        contenders=tuple(contenders),
        limit=limits.pop() if len(limits) == 1 else None,
    )
    # in the order given, so that the last run decides which question stands for its suite
    places = {run.id: place for place, run in enumerate(merged.runs)}
    latest = {cell.receipt.suite: cell for cell in sorted(cells.values(), key=lambda c: places[c.run])}
    questions = {s: _question(project, latest[s], suite) for s, suite in suites.items()}
    manifests = manifests_of(sorted({cell.run for cell in cells.values()}))
    files = {run_dir(run) / file for run in manifests for file in SNAPSHOTS}
    files |= {items_path(cell.receipt.suite, cell.receipt.items) for cell in cells.values()}
    shown = [cell.receipt for cell in cells.values() if suites[cell.receipt.suite].publish_text]
    files |= {texts_path(receipt.suite, receipt.items) for receipt in shown}
    files |= {Path(cell.planned["prior"]["path"]) for cell in cells.values() if cell.planned.get("prior")}
    return signed(
        name=name,
        key=release_key(
            scores=keys.values(), looks=looks_of(title, suites, contenders, project.sources), code=publishing_code()
        ),
        title=title,
        spec=spec,
        protocol_version=max(cell.receipt.parts["protocol"] for cell in cells.values()),
        dmb_version=dmb.__version__,
        suites=tuple(questions.values()),
        contenders=tuple(ContenderEntry(id=name, entry=entry) for name, entry in contenders.items()),
        cells=tuple(
            EvidenceCell(
                contender=who[0],
                suite=who[1],
                cell_key=cell.receipt.cell_key,
                receipt=str(cell.receipt_path),
                receipt_number=cell.receipt.number,
                receipt_sha256=sha256_hex(cell.receipt_path.read_bytes()),
                run=cell.run,
                items=str(items_path(cell.receipt.suite, cell.receipt.items)),
                items_sha256=cell.receipt.items,
                raw=cell.receipt.raw,
                raw_sha256=cell.receipt.raw_sha256,
                prices=tuple(prices.index(row) for row in cell.prices),
                compared=None if (other := compared[who]) is None else str(other.receipt_path),
                scoring_code=scoring_code(cell.receipt.parts["asker"]["name"]),
                score_key=keys[who],
                other_prices=None if (rows := others[who]) is None else tuple(other_prices.index(row) for row in rows),
                asked=_otherwise(_question(project, cell, suites[who[1]]), questions[who[1]], cell, contenders[who[0]]),
            )
            for who, cell in cells.items()
        ),
        prices=prices,
        other_prices=other_prices,
        sources={a: project.sources[a] for a in sorted({a for s in suites.values() for a in s.attribution})},
        deviations=(*(Deviation(*note) for note in merged.notes), *deviations_of(manifests, spec.limit)),
        runs=tuple(run_facts(run, manifest) for run, manifest in manifests.items()),
        files={str(path): file_sha256(path) for path in sorted(files) if path.exists()},
        tables={},
        publishing_code=publishing_code(),
        libraries=libraries_here(),
        command=command,
    )


def _in_order(project: Project, merged: Merged) -> tuple[dict[str, SuiteFile], dict[str, Contender]]:
    """Suites and contenders as the releases that the runs worked for have them; what is in none of those, by name."""
    releases = project.config.releases
    worked_for = [str(run.manifest.get("release")) for run in merged.runs]
    specs = [
        releases[base_of(name, releases) or name]
        for name in worked_for
        if (base_of(name, releases) or name) in releases
    ]
    named = merged.cells
    suites = _first_seen((project.nicknames[s] for spec in specs for s in spec.suites), {s for _, s in named})
    if gone := next((s for s in suites if s not in project.suites), None):
        raise UsageError(f"--runs: suite {gone!r} is no longer in data/suites; {nearest(gone, project.suites)}")
    entries = {contender: cell.entry for run in merged.runs for (contender, _), cell in run.cells.items()}
    order = _first_seen((c for spec in specs for c in spec.contenders), {c for c, _ in named})
    return {s: project.suites[s] for s in suites}, {c: entries[c] for c in order}


def _first_seen(listed: Iterable[str], wanted: set[str]) -> list[str]:
    return list(dict.fromkeys((*(name for name in listed if name in wanted), *sorted(wanted))))


def _whole_table(merged: Merged, suites: list[str], contenders: list[str]) -> dict[CellName, RunCell]:
    """The cells, suite by suite. Raises ``UsageError`` where a place of the table is empty."""
    cells = merged.cells
    places = [(contender, suite) for suite in suites for contender in contenders]
    if empty := [f"{c} x {s}" for c, s in places if (c, s) not in cells]:
        raise UsageError(
            f"--runs: no run has {', '.join(empty[:3])}{' …' if len(empty) > 3 else ''} ({len(empty)} of {len(places)} cells); "
            "name a run that has them"
        )
    return {place: cells[place] for place in places}


def _must_fit(cell: RunCell, suite: SuiteFile) -> None:
    if tuple(Slot.model_validate(slot) for slot in cell.planned["slots"]) != suite.slots:
        raise UsageError(
            f"--runs: run {cell.run} asked {suite.id} for other outputs than data/suites/{suite.id}.toml does now"
        )


def _question(project: Project, cell: RunCell, suite: SuiteFile) -> SuiteEntry:
    """What this cell was asked. Which version its prompt had is told by the fingerprint in its key."""
    text, now = cell.planned["instructions"], project.asks_as(suite).prompt_version
    wanted = cell.receipt.parts["question"]
    version = next((v for v in range(now, 0, -1) if question_fingerprint(text, suite.slots, v) == wanted), now)
    return SuiteEntry(suite=suite, instructions=text, prompt_version=version)


def _otherwise(asked: SuiteEntry, told: SuiteEntry, cell: RunCell, entry: Contender) -> AskedOtherwise | None:
    if asked == told and asked_fields(cell.entry) == asked_fields(entry):
        return None
    return AskedOtherwise(instructions=asked.instructions, prompt_version=asked.prompt_version, entry=cell.entry)


def _score_key(cell: RunCell, suite: SuiteFile, compared: RunCell | None) -> str:
    return score_key(
        cell=cell.receipt.cell_key,
        number=cell.receipt.number,
        prices=cell.prices,
        code=scoring_code(cell.receipt.parts["asker"]["name"]),
        suite=suite,
        compared=(compared.receipt.cell_key, compared.receipt.number) if compared else None,
    )
