"""Request digests, made again from the frozen texts: the attempts in a log are answers to the suite's own questions."""

from __future__ import annotations

from collections.abc import Mapping

from dmb.contracts.item import Item
from dmb.contracts.release import SuiteEntry
from dmb.errors import DamagedFile
from dmb.prompting import render, request_digest
from dmb.scoring.evidence import Evidence
from dmb.store.evidence_root import EvidenceRoot
from dmb.store.frozen_items import load_texts
from dmb.store.layout import texts_path
from dmb.verify.findings import CellId, Verification


class Requests:
    """Digests by item, each made once for all contenders of a suite."""

    def __init__(self, root: EvidenceRoot, seen: Verification) -> None:
        self._root, self._seen = root, seen
        self._texts: dict[str, Mapping[str, str] | None] = {}
        self._digests: dict[tuple[str, str, int, str], str | None] = {}

    def check(self, cell: CellId, evidence: Evidence, suite: SuiteEntry) -> None:
        """Counts the attempts of a cell, and writes down where one answers another question."""
        wrong = 0
        for row in evidence.rows:
            if not row.attempts:
                continue
            digest = self._digest(evidence, row.item, suite, cell)
            if digest is None:
                self._seen.n_requests_without_text += len(row.attempts)
                continue
            self._seen.n_requests += len(row.attempts)
            wrong += sum(attempt.request != digest for attempt in row.attempts)
        if wrong:
            self._seen.add(evidence.receipt.raw, f"{wrong} attempts answer another question than the suite's", [cell])

    def _digest(self, evidence: Evidence, item: Item, suite: SuiteEntry, cell: CellId) -> str | None:
        key = (evidence.receipt.items, item.id, item.permutation, suite.instructions)
        if key not in self._digests:
            texts = self._texts_of(evidence, cell)
            try:
                self._digests[key] = texts and request_digest(
                    render(item, evidence.items.option_sets, texts, suite.instructions, suite.suite.slots)
                )
            except KeyError:
                self._digests[key] = None
        return self._digests[key]

    def _texts_of(self, evidence: Evidence, cell: CellId) -> Mapping[str, str] | None:
        path = str(texts_path(evidence.receipt.suite, evidence.receipt.items))
        if path not in self._texts:
            self._texts[path] = None
            if self._root.at(path).exists():
                try:
                    self._texts[path] = load_texts(self._root.at(path))
                except DamagedFile as e:
                    # texts that the page shows were held to their digest before
                    if path not in {found.file for found in self._seen.findings}:
                        self._seen.add(path, str(e).partition(f"{path}: ")[2] or str(e), [cell])
        return self._texts[path]
