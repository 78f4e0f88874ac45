"""What a sealed release has beside a draft: the digests of everything published, and its evidence in an archive."""

from __future__ import annotations

from pathlib import Path

from dmb.errors import DamagedFile
from dmb.planning.sealed import draft_of
from dmb.store.digest_list import MANIFEST, parse_manifest
from dmb.store.files import file_sha256
from dmb.verify.findings import Verification


def listed_files(release: str, results: Path) -> dict[str, str]:
    """Name below ``results/`` -> sha256 of what was published with a release; nothing where that is not written down."""
    path = results / release / MANIFEST
    try:
        return parse_manifest(path.read_bytes(), str(path)) if path.exists() else {}
    except DamagedFile:
        return {}


def check_manifest(release: str, results: Path, seen: Verification) -> None:
    """Every file of a sealed release is one that was published, with the bytes that it had; none is missing."""
    named = f"results/{release}/{MANIFEST}"
    listed = listed_files(release, results)
    if not listed:
        if draft_of(release) is not None or (results / release / MANIFEST).exists():
            seen.add(named, "is damaged or not here: nobody can say what was published")
        return
    found = {p.relative_to(results).as_posix() for p in _files(release, results)}
    said = {finding.file for finding in seen.findings}
    for name in sorted(found | listed.keys()):
        if f"results/{name}" in said or name == f"{release}/{MANIFEST}":
            continue
        if name not in listed:
            seen.add(f"results/{name}", f"is not in {named}: it was not published with the release")
        elif name not in found:
            seen.add(f"results/{name}", f"is in {named} and not here")
        elif file_sha256(results / name) != listed[name]:
            seen.add(f"results/{name}", f"its bytes are not those that {named} names")
    seen.n_published_files = len(found & listed.keys())
    _point_to_archive(release, results, seen)


def _files(release: str, results: Path) -> list[Path]:
    # behind the name of another sealed release stand more numbers
    beside = [p for p in results.glob(f"{release}.[!0-9]*") if ".private." not in p.name]
    folder = [p for p in (results / release).rglob("*") if not p.name.startswith(".")]
    return [p for p in (*beside, *folder) if p.is_file()]


def _point_to_archive(release: str, results: Path, seen: Verification) -> None:
    archive = results / f"{release}.archive.tar.xz"
    if archive.exists() and any(f.file.startswith("runs/") and "is not here" in f.problem for f in seen.findings):
        seen.notes.append(f"`dmb restore {archive}` brings the evidence here")
