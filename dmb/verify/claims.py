"""What the release document says, held to receipts, manifests and price tables: every key and fact is made again."""

from __future__ import annotations

import dataclasses
import tomllib

from dmb.contracts.contender import Contender
from dmb.contracts.price import PriceRow, PricesFile
from dmb.contracts.receipt import Receipt
from dmb.contracts.release import EvidenceCell, ReleaseDocument, RunFacts, SuiteEntry
from dmb.errors import DamagedFile
from dmb.planning.keys import asked_fields, cell_key, looks_of, release_key, score_key
from dmb.prompting import question_fingerprint
from dmb.publish.assemble import deviations_of, manifests_of, run_facts
from dmb.publish.document import entry_of, question_of
from dmb.publish.rebuild import other_rows
from dmb.store.evidence_root import EvidenceRoot
from dmb.store.files import file_sha256
from dmb.store.layout import items_path, run_dir
from dmb.store.snapshots import prices_asked_at, rows_that_differ
from dmb.verify.findings import CellId, Verification


def check_claims(
    document: ReleaseDocument, named: str, receipts: dict[str, Receipt], root: EvidenceRoot, seen: Verification
) -> None:
    """``named``: the document's own path. Writes down each claim that the evidence does not bear out."""
    for cell in document.cells:
        if (receipt := receipts.get(cell.receipt)) is not None:
            for fault in _cell_faults(
                document, cell, receipt, question_of(document, cell), entry_of(document, cell), receipts
            ):
                seen.add(named, fault, [(cell.contender, cell.suite)])
    _check_whole(document, named, seen)
    _check_runs(document, named, root, seen)
    _check_prices(document, root, seen)
    _check_other_prices(document, named, receipts, root, seen)


def _cell_faults(
    document: ReleaseDocument,
    cell: EvidenceCell,
    receipt: Receipt,
    suite: SuiteEntry,
    contender: Contender,
    receipts: dict[str, Receipt],
) -> list[str]:
    told = (cell.contender, cell.suite, cell.cell_key, cell.receipt_number, cell.run, cell.raw, cell.raw_sha256)
    of_receipt = (receipt.contender, receipt.suite, receipt.cell_key, receipt.number, receipt.run)
    parts, faults = receipt.parts, []
    if told != (*of_receipt, receipt.raw, receipt.raw_sha256):
        faults.append("a cell is not what its receipt says")
    if (cell.items, cell.items_sha256) != (str(items_path(receipt.suite, receipt.items)), receipt.items):
        faults.append("a cell names other items than its receipt")
    if receipt.cell_key != cell_key(parts):
        faults.append("the cell key is not the digest of its parts")
    if asked_fields(contender) != parts["contender"]:
        faults.append("the contender's entry is not the one that was asked")
    question = question_fingerprint(suite.instructions, suite.suite.slots, suite.prompt_version)
    if question != parts["question"]:
        faults.append("the suite's question is not the one that was asked")
    if parts["protocol"] != document.protocol_version and document.command is None:
        faults.append(f"protocol {document.protocol_version} is named, and the cell was asked by {parts['protocol']}")
    compared = receipts.get(cell.compared) if cell.compared else None
    if cell.compared is None or compared is not None:
        key = score_key(
            cell=cell.cell_key,
            number=cell.receipt_number,
            prices=[document.prices[place] for place in cell.prices],
            code=cell.scoring_code,
            suite=suite.suite,
            compared=(compared.cell_key, compared.number) if compared else None,
        )
        if key != cell.score_key:
            faults.append("the score key is not the digest of what it is made of")
    return faults


def _check_whole(document: ReleaseDocument, named: str, seen: Verification) -> None:
    suites = {entry.suite.id: entry.suite for entry in document.suites}
    contenders = {entry.id: entry.entry for entry in document.contenders}
    cells = [(cell.contender, cell.suite) for cell in document.cells]
    if cells != [(c, s) for s in suites for c in contenders]:
        seen.add(named, "its cells are not all suites by all contenders", cells)
    looks = looks_of(document.title, suites, contenders, document.sources)
    key = release_key(scores=[cell.score_key for cell in document.cells], looks=looks, code=document.publishing_code)
    if key != document.key:
        seen.add(named, "the release key is not the digest of what it is made of", cells)


def _check_runs(document: ReleaseDocument, named: str, root: EvidenceRoot, seen: Verification) -> None:
    """What is printed of runs comes from their manifests, and of nothing else."""
    manifests = {}
    for told in document.runs:
        path = str(run_dir(told.id) / "manifest.json")
        cells = _cells_of_run(document, told.id)
        try:
            manifests |= (found := manifests_of([told.id], root.folder))
            if not found:
                seen.add(path, "is not here", cells)
            elif wrong := _other_facts(told, run_facts(told.id, found[told.id])):
                seen.add(path, f"says otherwise than {named}: {', '.join(wrong)}", cells)
        except (DamagedFile, ValueError, TypeError, AttributeError, KeyError):
            seen.add(path, "is damaged", cells)
    found = deviations_of(manifests, document.spec.limit)
    # a merged report says first how its runs differ
    told_last = document.deviations[-len(found) :] if document.command and found else document.deviations
    if len(manifests) == len(document.runs) and found != told_last and not (document.command and not found):
        seen.add(named, "its deviations are not those of its runs")


def _cells_of_run(document: ReleaseDocument, run: str) -> list[CellId]:
    return [(cell.contender, cell.suite) for cell in document.cells if cell.run == run]


def _other_facts(told: RunFacts, found: RunFacts) -> list[str]:
    """Names of facts that differ. What was not known when the release was published is printed as unknown."""
    told_fields, found_fields = dataclasses.asdict(told), dataclasses.asdict(found)
    known = {kind: amount for kind, amount in told.spend_usd.items() if amount is not None}
    told_fields["spend_usd"] = known
    found_fields["spend_usd"] = {kind: amount for kind, amount in found.spend_usd.items() if kind in known}
    return sorted(name for name in told_fields if told_fields[name] != found_fields[name])


def _check_prices(document: ReleaseDocument, root: EvidenceRoot, seen: Verification) -> None:
    """The rows that cells were priced with stand in the price table, or in those that their runs kept."""
    runs = sorted({cell.run for cell in document.cells})
    tables = list(document.tables) or [str(run_dir(run) / "prices.toml") for run in runs]
    for path in tables:
        cells = [c for c in document.cells if path in document.tables or path.startswith(f"{run_dir(c.run)}/")]
        _check_table(document, path, cells, root, seen)


def _check_table(
    document: ReleaseDocument, path: str, cells: list[EvidenceCell], root: EvidenceRoot, seen: Verification
) -> None:
    there = root.at(path)
    if not there.exists():
        seen.notes.append(f"{path} is not here: prices are those that the release document names")
        return
    everybody = [(cell.contender, cell.suite) for cell in cells]
    try:
        table = PricesFile.model_validate(tomllib.loads(there.read_text(encoding="utf-8"))).price
    except ValueError:
        seen.add(path, "is damaged: it cannot be read", everybody)
        return
    other: dict[tuple[str, str], list[CellId]] = {}
    for cell in cells:
        rows = tuple(document.prices[place] for place in cell.prices)
        for model in {(row.provider, row.model) for row in rows}:
            if not _same_rows(model, rows, table):
                other.setdefault(model, []).append((cell.contender, cell.suite))
    for model, touched in other.items():
        seen.add(path, f"holds other rows of {' '.join(model)} than the release was priced with", touched)
    if not other and document.tables.get(path, file_sha256(there)) != file_sha256(there):
        seen.notes.append(f"{path} was edited since the release was published, and no row of it with that")


def _check_other_prices(
    document: ReleaseDocument, named: str, receipts: dict[str, Receipt], root: EvidenceRoot, seen: Verification
) -> None:
    """The rows that a draft's cells were asked at are those that their runs kept."""
    if not document.tables:
        # of merged runs these are today's, which lie in no evidence
        return
    for run in sorted({cell.run for cell in document.cells}):
        try:
            kept = prices_asked_at(run, root.folder)
        except DamagedFile:
            continue  # the file has been named already
        for cell in document.cells:
            if cell.run == run and (receipt := receipts.get(cell.receipt)) is not None:
                used = [document.prices[place] for place in cell.prices]
                rows, told = rows_that_differ(used, kept, receipt.parts["contender"]), other_rows(document, cell)
                if rows != (None if told is None else tuple(told)):
                    seen.add(named, f"names other prices than run {run} kept", [(cell.contender, cell.suite)])


def _same_rows(model: tuple[str, str], told: tuple[PriceRow, ...], table: tuple[PriceRow, ...]) -> bool:
    mine, theirs = ([row for row in rows if (row.provider, row.model) == model] for rows in (told, table))
    # that a provider bills nobody stands in the table of providers
    return mine == theirs or (not theirs and all(row.unbilled and row.checked_on is None for row in mine))
