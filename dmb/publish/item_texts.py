"""Texts of items that may be shown."""

from __future__ import annotations

from dataclasses import dataclass

from dmb.contracts.release import EvidenceCell, ReleaseDocument
from dmb.store.evidence_root import HERE, EvidenceRoot
from dmb.store.frozen_items import checked_bytes, load_items, load_texts
from dmb.store.layout import texts_path


@dataclass(frozen=True)
class ShownTexts:
    """(item, permutation) -> its state; and the same -> option id -> its text."""

    states: dict[tuple[str, int], str]
    options: dict[tuple[str, int], dict[str, str]]


def shown_texts(document: ReleaseDocument, root: EvidenceRoot = HERE) -> dict[str, ShownTexts]:
    """Suite -> texts, for those suites whose texts the document names among its files.

    Raises ``MissingEvidence`` or ``DamagedFile`` where one of these files is not what it was.
    """
    shown = {entry.suite.id for entry in document.suites if entry.suite.publish_text}
    named = {cell.suite: cell for cell in document.cells if cell.suite in shown and _texts(cell) in document.files}
    return {suite: _of(cell, document.files[_texts(cell)], root) for suite, cell in named.items()}


def _texts(cell: EvidenceCell) -> str:
    return str(texts_path(cell.suite, cell.items_sha256))


def _of(cell: EvidenceCell, sha256: str, root: EvidenceRoot) -> ShownTexts:
    path = root.at(_texts(cell))
    checked_bytes(path, sha256, "start again: texts are rebuilt")
    frozen, known = load_items(root.at(cell.items), cell.items_sha256), load_texts(path)
    sets = {name: {o.id: known[o.text] for o in found.options} for name, found in frozen.option_sets.items()}
    return ShownTexts(
        {(item.id, item.permutation): known[item.state] for item in frozen.items},
        {(i.id, i.permutation): sets[i.options.set] for i in frozen.items if i.options is not None},
    )
