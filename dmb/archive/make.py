"""The archive of a release: everything that its numbers are made of, without the texts of others."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import dmb
from dmb.archive.quotes import Search
from dmb.archive.redact import redacted_log, secrets_of
from dmb.archive.tarball import pack
from dmb.contracts.receipt import Receipt
from dmb.contracts.redaction import RedactedLog, Redactions
from dmb.contracts.release import EvidenceCell, ReleaseDocument
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.publish.document import question_of
from dmb.publish.rebuild import checked_receipt, rescored
from dmb.publish.write import RELEASE_JSON
from dmb.store.evidence_root import EvidenceRoot
from dmb.store.files import load_json, pretty_json
from dmb.store.frozen_items import checked_bytes, load_items, load_texts, parse_items
from dmb.store.layout import probes_dir, run_dir, texts_path
from dmb.store.redactions import REDACTIONS, digest_here

#: The code that scored and published, so that a later version can run it.
CODE = "code/dmb"

#: What is kept of a run beside its logs. What people wrote to be read by programs (stops, locks, decisions) is not needed.
_OF_A_RUN = ("plan.json", "manifest.json", "cells.json", "prices.toml", "contenders.toml", REDACTIONS)

_MEND = "put it back as it was; nothing was archived"


def archive_bytes(
    document: ReleaseDocument,
    written: bytes,
    private: bool,
    code: Mapping[str, bytes] | None = None,
    tables: Mapping[str, bytes] | None = None,
) -> bytes:
    """The archive of a release whose evidence lies here. ``written``: its document's file. ``private``: with all texts, for its owner alone.

    ``code``: of the package that published it; by default the one at work. ``tables``: those that the document names, by
    default as they lie here. Raises ``MissingEvidence`` or ``DamagedFile``
    where the evidence is not what the document says, and ``DmbError`` where a text of others would be in the archive.
    """
    files = {RELEASE_JSON: written}
    files |= {f"{CODE}/{name}": data for name, data in (package_files() if code is None else code).items()}
    files |= {name: _bytes(Path(name)) for name in document.tables} if tables is None else tables
    files |= _evidence(document)
    if private:
        files |= {str(path): _bytes(path) for cell in document.cells if (path := _texts(cell)).exists()}
    else:
        redacted = _redact(document, files)
        _check_numbers(document, files, redacted)
        _check_texts(document, files)
    return pack(files)


def package_files() -> dict[str, bytes]:
    """Name below the package's folder -> bytes."""
    home = Path(dmb.__file__).parent
    paths = [p for p in home.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return {p.relative_to(home).as_posix(): p.read_bytes() for p in paths}


# -- what belongs to it


def _evidence(document: ReleaseDocument) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    runs: set[str] = set()
    for cell in document.cells:
        receipt = checked_receipt(cell)
        runs.add(receipt.run)
        files[cell.receipt] = _bytes(Path(cell.receipt))
        files[cell.items] = checked_bytes(Path(cell.items), cell.items_sha256, _MEND)
        if receipt.raw is not None and receipt.raw_sha256 is not None:
            raw = Path(receipt.raw)
            files[receipt.raw] = checked_bytes(raw, digest_here(raw, receipt.raw_sha256), _MEND)
        for log in _probes(receipt):
            files[str(log)] = _bytes(log)
    for name, sha256 in document.files.items():
        files[name] = checked_bytes(Path(name), sha256, _MEND)
    for run in sorted(runs):
        manifest = load_json(run_dir(run) / "manifest.json")
        if manifest.get("status") == "running":
            raise DmbError(f"run {run} has not ended; archive the release when it has")
        for path in (run_dir(run) / name for name in _OF_A_RUN):
            if path.exists():
                files[str(path)] = _bytes(path)
    return files


def _probes(receipt: Receipt) -> Iterator[Path]:
    """Logs of the probes that say how the cell was asked, and what they found, as far as they are here."""
    for found in receipt.negotiation:
        for path in (Path(found.log), (probes_dir(found.run) / receipt.contender).with_suffix(".json")):
            if path.exists():
                yield path


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise MissingEvidence(f"{path}: is not here; {_MEND}") from None


def _texts(cell: EvidenceCell) -> Path:
    return texts_path(cell.suite, cell.items_sha256)


# -- what must not be in it


def _redact(document: ReleaseDocument, files: dict[str, bytes]) -> list[EvidenceCell]:
    """Replace texts in the logs of suites that may not show them; returns the cells whose logs have changed."""
    secrets, told, changed = {}, {}, []
    for cell in document.cells:
        entry = question_of(document, cell)
        if entry.suite.publish_text or cell.raw is None:
            continue
        run = Path(cell.raw).parent.parent
        if f"{run}/{REDACTIONS}" in files:
            # it was restored from an archive, and nothing is left to replace
            continue
        if cell.items not in secrets:
            items = parse_items(files[cell.items])
            texts = load_texts(_texts(cell))
            try:
                secrets[cell.items] = secrets_of(items, texts, entry.instructions)
            except KeyError as e:
                raise DamagedFile(
                    f"{_texts(cell)}: holds no text {e}; delete it and start again: it is rebuilt"
                ) from None
        data, log = redacted_log(files[cell.raw], cell.raw, secrets[cell.items], entry.suite.slots)
        if data != files[cell.raw]:
            files[cell.raw] = data
            told.setdefault(run, {})[Path(cell.raw).name] = log
            changed.append(cell)
    for run, logs in told.items():
        files[f"{run}/{REDACTIONS}"] = redactions_bytes(logs)
    return changed


def redactions_bytes(logs: Mapping[str, RedactedLog]) -> bytes:
    """The file that says what was done to a run's logs."""
    return pretty_json(Redactions(logs=dict(logs)).model_dump(mode="json"))


def _check_numbers(document: ReleaseDocument, files: Mapping[str, bytes], cells: list[EvidenceCell]) -> None:
    """Cells whose logs have changed come to the same numbers, to the last digit."""
    if not cells:
        return
    with tempfile.TemporaryDirectory(prefix="dmb-archive.") as folder:
        write_below(Path(folder), {n: d for n, d in files.items() if not n.startswith(CODE)})
        here, there = rescored(document), rescored(document, EvidenceRoot(Path(folder)))
        for cell in cells:
            if here(cell) != there(cell):
                raise DmbError(
                    f"{cell.raw}: without its texts {cell.contender} x {cell.suite} comes to other numbers, since the answers "
                    "themselves quote them; nothing was archived; --private keeps the texts, for yourself alone"
                )


def write_below(folder: Path, files: Mapping[str, bytes]) -> None:
    """Each file below a folder that nobody else looks at."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _check_texts(document: ReleaseDocument, files: Mapping[str, bytes]) -> None:
    """No file holds a text that may not be shown, nor a fragment of one, however it is written."""
    search = search_of(document)
    if search is None:
        return
    for name, data in sorted(files.items()):
        if (found := search.first_in(data)) is not None:
            raise DmbError(
                f"{name}: holds {json.dumps(found[:40])}…, part of a text that its suite may not show; nothing was archived; "
                "--private keeps the texts, for yourself alone"
            )


def search_of(document: ReleaseDocument) -> Search | None:
    """Looks for the texts of suites that may not show them; None where there are none, or where they are not here."""
    suites = {entry.suite.id: entry for entry in document.suites}
    states: set[str] = set()
    allowed = {entry.instructions for entry in document.suites}
    for cell in {cell.items: cell for cell in document.cells}.values():
        if not _texts(cell).exists():
            continue
        items, texts = load_items(Path(cell.items), cell.items_sha256), load_texts(_texts(cell))
        allowed |= {texts[o.text] for options in items.option_sets.values() for o in options.options}
        if not suites[cell.suite].suite.publish_text:
            states |= {texts[item.state] for item in items.items}
    return Search(states, allowed) if states else None
