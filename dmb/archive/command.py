"""The archive of a published release, in its place."""

from __future__ import annotations

from pathlib import Path

from dmb.archive.make import archive_bytes
from dmb.archive.restore import archive_of, code_in, read_archive
from dmb.contracts.release import ReleaseDocument
from dmb.errors import DmbError, UsageError
from dmb.planning.keys import publishing_code, scoring_code
from dmb.planning.sealed import draft_of
from dmb.publish.document import load_document
from dmb.publish.write import RELEASE_JSON
from dmb.store.files import write_whole
from dmb.store.layout import RESULTS
from dmb.store.receipts import load_receipt

#: Git ignores files of this ending, whatever release they are of.
PRIVATE = ".private.archive.tar.xz"


def make_archive(release: str, private: bool) -> tuple[Path, int]:
    """Write it and return its path and size in bytes.

    Raises ``UsageError`` for a sealed release that has one, ``MissingEvidence``, ``DamagedFile`` or ``DmbError`` as
    ``archive_bytes`` does, and where other code published the release than would be in its archive.
    """
    told = RESULTS / release / RELEASE_JSON
    document = load_document(told)
    path, code = archive_of(release), None
    if draft_of(release) is not None and path.exists():
        if not private:
            raise UsageError(
                f"{path}: is there, and a sealed release never changes; --private makes one with all texts"
            )
        code = code_in(read_archive(path)[0])
    if private:
        path = RESULTS / f"{release}{PRIVATE}"
    if code is None:
        _check_code(document)
    data = archive_bytes(document, told.read_bytes(), private, code)
    write_whole(path, data)
    return path, len(data)


def _check_code(document: ReleaseDocument) -> None:
    askers = {c.scoring_code: load_receipt(Path(c.receipt)).parts["asker"]["name"] for c in document.cells}
    if document.publishing_code != publishing_code() or any(code != scoring_code(a) for code, a in askers.items()):
        raise DmbError(
            f"{document.name} was published by other code than there is now; `snakemake results/{document.name}.md` first"
        )
