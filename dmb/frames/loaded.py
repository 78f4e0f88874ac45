"""A release, found on disk and opened as frames."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmb.archive.make import write_below
from dmb.archive.restore import ENDING, archive_of, read_archive
from dmb.contracts.price import PriceRow
from dmb.contracts.release import ReleaseDocument
from dmb.contracts.suite import SuiteFile
from dmb.errors import DamagedFile, DmbError, MissingEvidence, UsageError
from dmb.frames.make import frame
from dmb.frames.rows import attempt_rows, cell_rows, decision_rows, metric_rows
from dmb.publish.cells import cells_json
from dmb.publish.document import load_document
from dmb.publish.rebuild import rebuild
from dmb.publish.write import RELEASE_JSON
from dmb.scoring.evidence import Evidence, open_evidence
from dmb.store.evidence_root import EvidenceRoot
from dmb.store.files import load_json
from dmb.store.layout import RESULTS

if TYPE_CHECKING:
    import pandas

#: What may stand behind a release's name in the name of one of its files.
_ENDINGS = (".cells.json", ".md", ".html")


class LoadedRelease:
    """Frames of a release, each made when it is first asked for; their columns are in ``docs/frames.md``.

    Where the evidence is not here but the release's archive is, it is read from there.
    """

    def __init__(
        self, document: ReleaseDocument, root: EvidenceRoot, cells_file: Path | None, archive: Path | None
    ) -> None:
        self.document, self._root, self._cells_file, self._archive = document, root, cells_file, archive

    @property
    def name(self) -> str:
        """The release's name."""
        return self.document.name

    @cached_property
    def cells(self) -> pandas.DataFrame:
        """One row a cell: contender and suite."""
        return frame("cells", list(cell_rows(self._published, self.document)))

    @cached_property
    def metrics(self) -> pandas.DataFrame:
        """One row a metric of a cell or of a part of it: the numbers of the report."""
        return frame("metrics", list(metric_rows(self._published)))

    @cached_property
    def decisions(self) -> pandas.DataFrame:
        """One row an expected row and slot, from the raw logs. Raises ``MissingEvidence`` where these are not here."""
        return frame("decisions", [row for opened in self._evidence for row in decision_rows(*opened)])

    @cached_property
    def attempts(self) -> pandas.DataFrame:
        """One row an attempt, from the raw logs. Raises ``MissingEvidence`` where these are not here."""
        return frame("attempts", [row for opened in self._evidence for row in attempt_rows(*opened)])

    @cached_property
    def _published(self) -> list[dict[str, Any]]:
        if self._cells_file is None or not self._cells_file.exists():
            # as in an archive: the numbers are made from its evidence
            found = json.loads(cells_json(rebuild(self.document, self._at_hand)))
        else:
            found = load_json(self._cells_file)
        if found.get("release_key") != self.document.key:
            raise DamagedFile(
                f"{self._cells_file}: is of another release than {RELEASE_JSON}; publish the release again"
            )
        return list(found["cells"])

    @cached_property
    def _at_hand(self) -> EvidenceRoot:
        """Where the evidence is: here, or unpacked from the archive for as long as this object lives."""
        if all(self._root.at(cell.receipt).exists() for cell in self.document.cells):
            return self._root
        if self._archive is None or not self._archive.exists():
            raise MissingEvidence(
                f"release {self.name}: its evidence is not here, and its archive is not either; `dmb restore` brings it back"
            )
        files, _ = read_archive(self._archive)
        self._aside = tempfile.TemporaryDirectory(prefix="dmb-frames-")
        write_below(Path(self._aside.name), files)
        return EvidenceRoot(Path(self._aside.name))

    @cached_property
    def _evidence(self) -> tuple[tuple[Evidence, SuiteFile, list[PriceRow]], ...]:
        return tuple(self._opened())

    def _opened(self) -> Iterator[tuple[Evidence, SuiteFile, list[PriceRow]]]:
        suites = {entry.suite.id: entry.suite for entry in self.document.suites}
        for cell in self.document.cells:
            suite = suites[cell.suite]
            evidence = open_evidence(Path(cell.receipt), suite.slots, self._at_hand)
            yield evidence, suite, [self.document.prices[place] for place in cell.prices]


def load_release(path: str | Path) -> LoadedRelease:
    """The release with this name in ``results/``, or behind one of its files: report, page, cells file, folder, archive.

    Raises ``UsageError`` where no release is there, ``MissingEvidence`` or ``DamagedFile`` where it is not whole.
    """
    _must_have_pandas()
    path = Path(path)
    if path.name.endswith(ENDING):
        return _from_archive(path)
    document_path = _document_behind(path)
    folder = document_path.parent
    document = load_document(document_path)
    archive = folder.parent / archive_of(document.name).name
    # results/<release>/release.json, in a folder laid out like the project
    root = EvidenceRoot(folder.parent.parent)
    return LoadedRelease(document, root, folder.parent / f"{document.name}.cells.json", archive)


def _from_archive(path: Path) -> LoadedRelease:
    _, document = read_archive(path)
    return LoadedRelease(document, EvidenceRoot(path.parent / "nowhere"), None, path)


def _document_behind(path: Path) -> Path:
    stem = next((path.name.removesuffix(e) for e in _ENDINGS if path.name.endswith(e)), path.name)
    tried = [path] if path.name == RELEASE_JSON else [path.with_name(stem) / RELEASE_JSON]
    if len(path.parts) == 1:
        tried.append(RESULTS / stem / RELEASE_JSON)
    found = next((p for p in tried if p.is_file()), None)
    if found is None:
        raise UsageError(f"{path}: no release is there: {tried[-1]} is not here; build it, or give its archive")
    return found


def _must_have_pandas() -> None:
    try:
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as e:
        raise DmbError(f"frames need {e.name}, which is not installed: install dmb with the extra `frames`") from None
