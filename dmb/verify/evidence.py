"""The files that a release rests on, each held to the digest that was recorded for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from dmb.contracts.receipt import Receipt
from dmb.contracts.release import EvidenceCell, ReleaseDocument
from dmb.errors import DamagedFile, MissingEvidence
from dmb.publish.rebuild import checked_receipt
from dmb.store.attempts import first_rows_sha256
from dmb.store.evidence_root import EvidenceRoot
from dmb.store.files import file_sha256
from dmb.store.layout import items_path, run_dir, texts_path
from dmb.verify.findings import CellId, Verification


@dataclass(slots=True)
class Checked:
    """``receipts``: of the cells whose receipt is as it was, by its path. ``damaged``: cells that cannot be scored."""

    receipts: dict[str, Receipt] = field(default_factory=dict)
    damaged: set[CellId] = field(default_factory=set)


@dataclass(slots=True)
class _Needed:
    """A file with its digest, and the cells whose numbers it touches. ``n_rows``: only its first rows are meant."""

    sha256: str
    cells: list[CellId]
    n_rows: int | None = None


def check_evidence(document: ReleaseDocument, root: EvidenceRoot, seen: Verification) -> Checked:
    """Reads every file once, and writes down each that is not here or not as it was."""
    checked = Checked()
    users = _users(document)
    for cell in document.cells:
        try:
            checked.receipts[cell.receipt] = checked_receipt(cell, root)
        except (MissingEvidence, DamagedFile) as e:
            _found(seen, checked, cell.receipt, e, users[cell.receipt])
        except ValueError:
            _found(seen, checked, cell.receipt, DamagedFile("is no receipt"), users[cell.receipt])
    needed = _needed(document, checked.receipts, users)
    for path, file in needed.items():
        if (problem := _fault(root, path, file)) is not None:
            seen.add(path, problem, file.cells)
            checked.damaged.update(file.cells)
    _check_beside(document, root, seen, needed)
    seen.n_evidence_files = len(document.cells) + len(needed.keys() | document.files.keys())
    return checked


def _users(document: ReleaseDocument) -> dict[str, list[CellId]]:
    """Receipt -> cells whose numbers are made from it: its own, and those that are compared with it."""
    users: dict[str, list[CellId]] = {}
    for cell in document.cells:
        for receipt in filter(None, (cell.receipt, cell.compared)):
            users.setdefault(receipt, []).append((cell.contender, cell.suite))
    return users


def _needed(
    document: ReleaseDocument, receipts: dict[str, Receipt], users: dict[str, list[CellId]]
) -> dict[str, _Needed]:
    """Path -> what it must be, for all that scoring opens."""
    needed: dict[str, _Needed] = {}
    priors = {entry.suite.id: entry.suite.baseline.prior for entry in document.suites}
    for cell in document.cells:
        if (receipt := receipts.get(cell.receipt)) is None:
            continue
        cells = users[cell.receipt]
        _add(needed, items_path(receipt.suite, receipt.items), receipt.items, cells)
        if receipt.raw is not None and receipt.raw_sha256 is not None:
            _add(needed, receipt.raw, receipt.raw_sha256, cells)
        prior, digest = priors[cell.suite], receipt.parts.get("learns", {}).get("prior")
        if prior is not None and digest is not None:
            _add(needed, items_path(prior, digest), digest, cells)
        for found in receipt.negotiation:
            if found.n_attempts is not None and found.log_sha256 is not None:
                _add(needed, found.log, found.log_sha256, cells, found.n_attempts)
    return needed


def _add(
    needed: dict[str, _Needed], path: str | Path, sha256: str, cells: Iterable[CellId], n_rows: int | None = None
) -> None:
    needed.setdefault(str(path), _Needed(sha256, [], n_rows)).cells.extend(cells)


def _fault(root: EvidenceRoot, path: str, file: _Needed) -> str | None:
    """What is wrong with a file; None where nothing is."""
    there = root.at(path)
    if not there.exists():
        # an earlier run may be deleted once its rows are imported: then its probes' cost is unknown, and says so
        return None if file.n_rows is not None else "is not here"
    if file.n_rows is not None:
        return None if first_rows_sha256(there, file.n_rows) == file.sha256 else "does not begin with the recorded rows"
    found, wanted = file_sha256(there), root.expected(path, file.sha256)
    return None if found == wanted else f"sha256 is {found[:12]}, recorded was {wanted[:12]}"


def _check_beside(
    document: ReleaseDocument, root: EvidenceRoot, seen: Verification, needed: dict[str, _Needed]
) -> None:
    """What lies beside the logs: no number is made from it here, and yet it must be what it was."""
    for path, sha256 in document.files.items():
        if path in needed:
            continue
        there = root.at(path)
        cells = [(c.contender, c.suite) for c in document.cells if _is_beside(path, c)]
        if not there.exists():
            seen.add(path, "is not here", cells)
        elif (found := file_sha256(there)) != sha256:
            seen.add(path, f"sha256 is {found[:12]}, recorded was {sha256[:12]}", cells)


def _is_beside(path: str, cell: EvidenceCell) -> bool:
    texts = str(texts_path(cell.suite, cell.items_sha256))
    return path.startswith(f"{run_dir(cell.run)}/") or path in (cell.items, texts)


def _found(seen: Verification, checked: Checked, path: str, error: Exception, cells: list[CellId]) -> None:
    text = str(error)
    # an error names its file first, and so does a finding
    seen.add(path, text.partition(f"{path}: ")[2] or text, cells)
    checked.damaged.update(cells)
