"""``.tar.xz`` whose bytes depend on its files alone, and the reading of one that may come from anywhere."""

from __future__ import annotations

import io
import lzma
import re
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from dmb.canonical import sha256_hex
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.store.digest_list import MANIFEST, manifest_bytes, parse_manifest

#: What an archive may unpack to: a small file could otherwise fill a disk.
MOST_BYTES = 2 << 30
MOST_FILES = 100_000

#: Stated in full, so that a library's default may change.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 8 << 20}]

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*(/[A-Za-z0-9_.][A-Za-z0-9_.-]*)*")


def pack(files: Mapping[str, bytes]) -> bytes:
    """The archive of these files, name -> bytes, with their manifest. The same files give the same bytes anywhere."""
    files = {**files, MANIFEST: manifest_bytes({name: sha256_hex(data) for name, data in files.items()})}
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as out:
        for name, data in sorted(files.items()):
            # a fresh entry belongs to user and group 0 without names, and was changed at 0
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            out.addfile(entry, io.BytesIO(data))
    return lzma.compress(tar.getvalue(), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, filters=_FILTERS)


def unpack(
    path: Path, rests_on: Callable[[Mapping[str, bytes], str], str] = lambda files, name: ""
) -> dict[str, bytes]:
    """Name -> bytes of every file but the manifest, each checked against it.

    ``rests_on``: of all files and the name of a damaged one, what that spoils, for the error.

    Raises ``MissingEvidence`` where there is no such file, ``DamagedFile`` for one that is cut off, changed or no archive
    of DMB's, and ``DmbError`` for one that would be written elsewhere or is larger than any release.
    """
    try:
        with lzma.open(path, "rb") as plain, tarfile.open(fileobj=plain, mode="r|") as tar:
            files = _read(tar, path)
            # the end of a file that was cut off is missed only by who reads on to it
            while plain.read(1 << 16):
                pass
    except (FileNotFoundError, IsADirectoryError):
        raise MissingEvidence(
            f"{path}: is not here; name the archive of a release, results/<release>.archive.tar.xz"
        ) from None
    except (lzma.LZMAError, EOFError, tarfile.TarError, UnicodeDecodeError):
        raise DamagedFile(f"{path}: is damaged, cut off or no .tar.xz; fetch it again") from None
    listed = files.pop(MANIFEST, None)
    if listed is None:
        raise DamagedFile(f"{path}: holds no {MANIFEST}: it is no archive of a release, or was cut off; fetch it again")
    digests = parse_manifest(listed, f"{path}: {MANIFEST}")
    for name in sorted(files.keys() | digests.keys()):
        if (fault := _fault(files.get(name), digests.get(name))) is not None:
            raise DamagedFile(f"{path}: {name}: {fault}{rests_on(files, name)}; fetch the archive again")
    return files


def _read(tar: tarfile.TarFile, path: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    for entry in tar:
        name = entry.name
        if not _PLAIN_NAME.fullmatch(name) or ".." in PurePosixPath(name).parts:
            raise DmbError(f"{path}: holds {name[:80]!r}, which is no plain name below a folder; nothing was unpacked")
        if not entry.isreg():
            raise DmbError(f"{path}: {name}: is no ordinary file (a link, a folder or a device); nothing was unpacked")
        left -= entry.size
        if left < 0 or len(files) >= MOST_FILES:
            raise DmbError(
                f"{path}: {name}: more than {MOST_BYTES >> 30} GB or {MOST_FILES:,} files, larger than any release; "
                "nothing was unpacked"
            )
        if name in files:
            raise DamagedFile(f"{path}: {name}: stands in it twice; fetch it again")
        member = tar.extractfile(entry)
        files[name] = member.read() if member is not None else b""
    return files


def _fault(data: bytes | None, listed: str | None) -> str | None:
    if data is None:
        return f"is in {MANIFEST} and not in the archive"
    if listed is None:
        return f"is not in {MANIFEST}"
    return None if sha256_hex(data) == listed else f"its bytes are not those that {MANIFEST} names"
