"""The release document as a file, ``results/<release>/release.json``: written, and read back with its own digest checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dmb.canonical import digest
from dmb.contracts.contender import Contender
from dmb.contracts.release import EvidenceCell, ReleaseDocument, SuiteEntry
from dmb.errors import DamagedFile, MissingEvidence
from dmb.store.files import pretty_json


def signed(**fields: Any) -> ReleaseDocument:
    """The document of these fields, with its digest."""
    fields.pop("sha256", None)
    unsigned = ReleaseDocument(**fields, sha256="0" * 64)
    return unsigned.model_copy(update={"sha256": _digest(unsigned)})


def question_of(document: ReleaseDocument, cell: EvidenceCell) -> SuiteEntry:
    """The suite of a cell, with the question that this very cell was asked."""
    entry = next(entry for entry in document.suites if entry.suite.id == cell.suite)
    if cell.asked is None:
        return entry
    return entry.model_copy(
        update={"instructions": cell.asked.instructions, "prompt_version": cell.asked.prompt_version}
    )


def entry_of(document: ReleaseDocument, cell: EvidenceCell) -> Contender:
    """The contender as this very cell asked it."""
    return cell.asked.entry if cell.asked else next(e.entry for e in document.contenders if e.id == cell.contender)


def document_bytes(document: ReleaseDocument) -> bytes:
    """The file."""
    return pretty_json(document.model_dump(mode="json"))


def load_document(path: Path) -> ReleaseDocument:
    """Raises ``MissingEvidence`` without the file, and ``DamagedFile`` where any byte is not as it was written."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise MissingEvidence(f"{path}: is not here; `snakemake` publishes the release with it") from None
    return parse_document(data, path)


def parse_document(data: bytes, path: Path) -> ReleaseDocument:
    """The same from the bytes of a file that is named ``path`` in errors.

    Held to its digest as it is written: fields that documents have got since are no part of it.
    """
    try:
        fields = json.loads(data)
        document = ReleaseDocument.model_validate(fields)
    except ValueError as e:
        raise DamagedFile(f"{path}: is damaged: {_first_line(e)}; publish the release again") from None
    unsigned = {name: value for name, value in fields.items() if name != "sha256"}
    if document.sha256 != digest(unsigned) or data != pretty_json(fields):
        raise DamagedFile(f"{path}: was edited after it was made: its sha256 is not that of what it says")
    return document


def _digest(document: ReleaseDocument) -> str:
    return digest(document.model_dump(mode="json", exclude={"sha256"}))


def _first_line(error: ValueError) -> str:
    """What a contract found wrong, on one line."""
    return " ".join(str(error).split("\n")[1:3]).split(" [")[0].strip()
