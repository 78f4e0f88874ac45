"""An archive back into ``runs/``: every file checked before the first is written, and none overwritten."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmb.archive.make import CODE, write_below
from dmb.archive.tarball import unpack
from dmb.canonical import sha256_hex
from dmb.contracts.receipt import Receipt
from dmb.contracts.release import ReleaseDocument
from dmb.errors import DamagedFile, DmbError
from dmb.publish.document import parse_document
from dmb.publish.write import RELEASE_JSON
from dmb.store.digest_list import MANIFEST, parse_manifest
from dmb.store.files import file_sha256, pretty_json, write_once
from dmb.store.layout import RESULTS, RUNS, run_dir
from dmb.store.redactions import REDACTIONS
from dmb.store.restored import RESTORED

#: How the file of an archive is called.
ENDING = ".archive.tar.xz"

#: What an archive may put into a project, and nothing else.
_EVIDENCE = re.compile(
    r"runs/_cells/[a-z0-9.-]+/[0-9a-f]{16}/receipt\.\d+\.json"
    r"|runs/[A-Za-z0-9][A-Za-z0-9._-]*/(?:raw/[a-z0-9.-]+\.attempts\.jsonl|probes/[a-z0-9-]+\.jsonl?)"
    r"|runs/[A-Za-z0-9][A-Za-z0-9._-]*/(?:(?:plan|manifest|cells|redactions)\.json|(?:prices|contenders)\.toml)"
    r"|data/items/[a-z0-9.-]+\.jsonl"
)


@dataclass(frozen=True)
class Restored:
    """What a restoring came to. ``n_written`` and ``n_present`` count files of evidence."""

    release: str
    runs: tuple[str, ...]
    n_cells: int
    n_written: int
    n_present: int


def restore(path: Path) -> Restored:
    """Put a release's evidence where its runs had it.

    Raises ``MissingEvidence``, ``DamagedFile`` or ``DmbError`` with the file, and the cells that rest on it, before anything
    is written: where the archive is not as it was made, or where a file of another content is in the way.
    """
    _check_published(path)
    files, document = read_archive(path)
    wanted = {n: d for n, d in files.items() if _EVIDENCE.fullmatch(n)}
    present = {n for n in wanted if _is_here(Path(n), wanted, document)}
    note = pretty_json({"archive": path.name, "sha256": file_sha256(path), "release": document.name})
    of_run: dict[str, dict[str, bytes]] = {}
    for name in sorted(wanted.keys() - present):
        if (run := _run_of(name)) is not None:
            of_run.setdefault(run, {})[name] = wanted[name]
    for run, missing in sorted(of_run.items()):
        _put_run(run, missing, note)
    # receipts last: without them a restoring that was killed is merely not finished
    for name in sorted(wanted.keys() - present - {n for files in of_run.values() for n in files}):
        write_once(Path(name), wanted[name])
    runs = tuple(sorted({run for n in wanted if (run := _run_of(n)) is not None}))
    return Restored(document.name, runs, len(document.cells), len(wanted) - len(present), len(present))


def _run_of(name: str) -> str | None:
    """The run whose directory a file lies in."""
    parts = Path(name).parts
    return parts[1] if parts[0] == RUNS.name and not parts[1].startswith("_") else None


def _put_run(run: str, files: Mapping[str, bytes], note: bytes) -> None:
    """A directory that is not there appears whole, since a start may look at the runs at any time."""
    if run_dir(run).exists():
        for name, data in files.items():
            write_once(Path(name), data)
        return
    RUNS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".restore.", dir=RUNS) as aside:
        write_below(Path(aside), {**files, str(run_dir(run) / RESTORED): note})
        (Path(aside) / run_dir(run)).rename(run_dir(run))


def read_archive(path: Path) -> tuple[dict[str, bytes], ReleaseDocument]:
    """The files of an archive and its release document, its receipts and logs checked against it. Raises as ``restore``."""
    files = unpack(path, _rests_on)
    if RELEASE_JSON not in files:
        raise DamagedFile(f"{path}: holds no {RELEASE_JSON}: it is no archive of a release")
    document = parse_document(files[RELEASE_JSON], path / RELEASE_JSON)
    redacted = _redacted(files)
    for cell in document.cells:
        told = {cell.receipt: cell.receipt_sha256, cell.items: cell.items_sha256}
        if cell.raw is not None and cell.raw_sha256 is not None:
            told[cell.raw] = redacted.get((cell.raw, cell.raw_sha256), cell.raw_sha256)
        for name, sha256 in told.items():
            if name not in files or sha256_hex(files[name]) != sha256:
                what = "is not in it" if name not in files else "is not the one that the release was made from"
                raise DamagedFile(f"{path}: {name}: {what}{_rests_on(files, name)}; fetch the archive again")
        Receipt.model_validate_json(files[cell.receipt])
    return files, document


def code_in(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The package's files that an archive holds, by their name in the package."""
    return {n.removeprefix(f"{CODE}/"): d for n, d in files.items() if n.startswith(f"{CODE}/")}


def _redacted(files: Mapping[str, bytes]) -> dict[tuple[str, str], str]:
    """(path of a log, digest that its receipt recorded) -> digest without its texts."""
    found = {}
    for name, data in files.items():
        if Path(name).name != REDACTIONS:
            continue
        for log, told in json.loads(data)["logs"].items():
            found[str(Path(name).parent / "raw" / log), told["original_sha256"]] = told["archived_sha256"]
    return found


def _rests_on(files: Mapping[str, bytes], name: str) -> str:
    """Which cells a file of the archive belongs to, in words; nothing where it belongs to none."""
    try:
        cells: list[dict[str, Any]] = json.loads(files[RELEASE_JSON])["cells"]
        found = [f"{c['contender']} x {c['suite']}" for c in cells if name in (c["raw"], c["receipt"], c["items"])]
    except (KeyError, TypeError, ValueError):
        return ""
    return f" (cells that rest on it: {', '.join(found)})" if found else ""


def _check_published(path: Path) -> None:
    """Beside a sealed release, the archive is the one that was sealed with it."""
    manifest = path.parent / path.name.removesuffix(ENDING) / MANIFEST
    if not path.is_file() or not manifest.exists():
        return
    sha256 = parse_manifest(manifest.read_bytes(), str(manifest)).get(path.name)
    if sha256 is not None and file_sha256(path) != sha256:
        raise DamagedFile(f"{path}: its bytes are not those that {manifest} names; fetch the archive again")


def _is_here(path: Path, wanted: Mapping[str, bytes], document: ReleaseDocument) -> bool:
    """Whether the file is here already, as it is in the archive or with its texts. Raises ``DmbError`` for another one."""
    if not path.exists():
        return False
    name, here = str(path), file_sha256(path)
    if here == sha256_hex(wanted[name]) or any(c.raw == name and c.raw_sha256 == here for c in document.cells):
        return True
    raise DmbError(
        f"{path}: is here with other contents than in the archive, and nothing is overwritten; restore it in a fresh clone"
    )


def archive_of(release: str) -> Path:
    """Where the archive of a release lies."""
    return RESULTS / f"{release}{ENDING}"
