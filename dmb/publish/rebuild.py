"""A release document and the evidence that it names -> the object that is published. Reads no table and no key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dmb.canonical import sha256_hex
from dmb.contracts.cell import Score
from dmb.contracts.price import PriceRow, PricesFile
from dmb.contracts.receipt import Receipt
from dmb.contracts.release import EvidenceCell, ReleaseDocument
from dmb.errors import DamagedFile, MissingEvidence
from dmb.publish.item_texts import shown_texts
from dmb.publish.release import Attribution, Release
from dmb.scoring.cell_score import score_cell
from dmb.scoring.score_file import load_score
from dmb.store.evidence_root import HERE, EvidenceRoot
from dmb.store.layout import score_path

#: Where a cell's numbers come from.
ScoreOf = Callable[[EvidenceCell], Score]


def rebuild(document: ReleaseDocument, root: EvidenceRoot = HERE, score_of: ScoreOf | None = None) -> Release:
    """The release. ``score_of``: by default every cell is scored from its raw log, and nothing derived is read.

    Raises ``MissingEvidence`` or ``DamagedFile`` for the first cell whose evidence is not as the document says.
    """
    score_of = score_of or rescored(document, root)
    return release_of(document, [score_of(cell) for cell in document.cells], receipts_of(document, root), root)


def release_of(
    document: ReleaseDocument, scores: list[Score], receipts: dict[str, Receipt], root: EvidenceRoot = HERE
) -> Release:
    """The release of these scores; ``receipts`` by cell key."""
    suites = {entry.suite.id: entry.suite for entry in document.suites}
    return Release(
        name=document.name,
        key=document.key,
        title=document.title,
        spec=document.spec,
        suites=suites,
        contenders={entry.id: entry.entry for entry in document.contenders},
        scores=tuple(scores),
        receipts=receipts,
        prices=PricesFile(price=document.prices),
        deviations=document.deviations,
        runs=document.runs,
        attributions=tuple(
            Attribution(name, s.licence, s.attribution, s.changes, s.url)
            for name, s in sorted(document.sources.items())
        ),
        protocol_version=document.protocol_version,
        dmb_version=document.dmb_version,
        command=document.command,
        texts=shown_texts(document, root),
    )


def rescored(document: ReleaseDocument, root: EvidenceRoot = HERE) -> ScoreOf:
    """Scores a cell from its raw log, in memory."""
    suites = {entry.suite.id: entry.suite for entry in document.suites}

    def score(cell: EvidenceCell) -> Score:
        checked_receipt(cell, root)
        return score_cell(
            Path(cell.receipt),
            suites[cell.suite],
            [document.prices[place] for place in cell.prices],
            Path(cell.compared) if cell.compared else None,
            cell.score_key,
            root,
            other_rows(document, cell),
        )

    return score


def other_rows(document: ReleaseDocument, cell: EvidenceCell) -> list[PriceRow] | None:
    """What the other price table has for a cell, where it differs."""
    return None if cell.other_prices is None else [document.other_prices[place] for place in cell.other_prices]


def stored(root: EvidenceRoot = HERE) -> ScoreOf:
    """Takes a cell's score from its file, which must be as it was made, and made for this cell from its very receipt."""

    def score(cell: EvidenceCell) -> Score:
        path = root.at(score_path(cell.contender, cell.suite, cell.cell_key, cell.receipt_number, cell.score_key))
        found = load_score(path)
        if found.receipt_sha256 != cell.receipt_sha256:
            raise DamagedFile(
                f"{path}: was made from another {cell.receipt}; delete the score and start again, scores are free"
            )
        if (found.score_key, found.cell_key) != (cell.score_key, cell.cell_key):
            raise DamagedFile(f"{path}: is the score of something else; delete it and start again, scores are free")
        return found

    return score


def receipts_of(document: ReleaseDocument, root: EvidenceRoot = HERE) -> dict[str, Receipt]:
    """Cell key -> receipt, each with the digest that the document names."""
    return {cell.cell_key: checked_receipt(cell, root) for cell in document.cells}


def checked_receipt(cell: EvidenceCell, root: EvidenceRoot = HERE) -> Receipt:
    """Raises ``MissingEvidence`` or ``DamagedFile`` where the receipt is not the one that the document names."""
    path = root.at(cell.receipt)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise MissingEvidence(f"{path}: the receipt is not here; put it back") from None
    if (found := sha256_hex(data)) != cell.receipt_sha256:
        raise DamagedFile(
            f"{path}: sha256 is {found[:12]}, the release was made from {cell.receipt_sha256[:12]}; put the right file back"
        )
    return Receipt.model_validate_json(data)
