"""Third-party files: from disk, mirror or network, and never with other bytes than those pinned in data/sources.toml."""

from __future__ import annotations

import io
import os
import secrets
import sys
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TextIO

from pydantic import TypeAdapter, ValidationError

from dmb.canonical import sha256_hex
from dmb.contracts.frozen import Slug
from dmb.contracts.source import Source, SourcesFile
from dmb.errors import DamagedFile, InputError, SourceUnavailable, UsageError
from dmb.inputs import parse_toml, validate

if TYPE_CHECKING:
    import httpx

MIRROR_VARIABLE = "DMB_MIRROR"

#: Of a connection, and of each further step of a download.
CONNECT_S, STEP_S = 10.0, 30.0

#: No archive that a source is a member of is larger, nor may a server make us hold more.
ARCHIVE_LIMIT = 64 * 1024 * 1024

_SLUG = TypeAdapter(Slug)


class _Mismatch(Exception):
    """Bytes arrived, but not the pinned ones; the text says what was expected and found."""


class _Unreachable(Exception):
    """No bytes arrived; the text says why."""


def load_sources(path: Path) -> dict[str, Source]:
    """The entries of a sources file by id.

    Raises ``InputError`` for broken TOML, an unknown or missing field, an id that is no slug, a URL that is not http(s),
    or a mirror path that leaves the mirror.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(path, "", "no UTF-8", "save the file as UTF-8") from None
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error), "it belongs to the project: restore it") from None
    sources = validate(SourcesFile, parse_toml(text, str(path)), str(path), text).sources
    for source_id, source in sources.items():
        where = f"sources.{source_id}"
        try:
            _SLUG.validate_python(source_id)
        except ValidationError:
            raise InputError(path, where, "is no id", "lower-case words joined by single hyphens") from None
        for url in (source.url, *source.fallback_urls):
            if not url.startswith(("https://", "http://")):
                raise InputError(path, f"{where}.url", f"found {url!r:.80}", "expected https://...")
        mirror = PurePosixPath(source.mirror)
        if mirror.is_absolute() or ".." in mirror.parts or not mirror.parts:
            raise InputError(
                path, f"{where}.mirror", f"found {source.mirror!r:.80}", "expected a path below the mirror"
            )
    return sources


def raw_path(root: Path, source_id: str, source: Source) -> Path:
    """Where the file lies in the project: ``data/raw/<id>.<sha12>``, so that another pin is another file."""
    return root / "data" / "raw" / f"{source_id}.{source.sha256[:12]}"


def read_source(root: Path, source_id: str, source: Source) -> bytes:
    """The verified bytes from ``data/raw``, whoever put them there.

    Raises ``SourceUnavailable`` when the file is not there and ``DamagedFile`` when its bytes are others.
    """
    path = raw_path(root, source_id, source)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SourceUnavailable(f"{source_id}: not on disk; {_put_it_there(root, source_id, source)}") from None
    try:
        _check(data, source)
    except _Mismatch as mismatch:
        raise DamagedFile(f"{path}: {mismatch}; delete it, and it is fetched again") from None
    return data


def mirror_directory(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The directory that ``DMB_MIRROR`` names; None where it is unset or empty.

    Raises ``UsageError`` when it is no directory: a mistyped mirror must not turn into a download.
    """
    value = environment.get(MIRROR_VARIABLE, "")
    if not value:
        return None
    if not Path(value).is_dir():
        raise UsageError(f"{MIRROR_VARIABLE}: {value!r} is no directory; correct it, or unset it to use the network")
    return Path(value)


def fetch(
    root: Path,
    source_id: str,
    source: Source,
    *,
    mirror: Path | None = None,
    client: httpx.Client | None = None,
    progress: TextIO | None = None,
) -> Path:
    """Make sure that ``data/raw/<id>.<sha12>`` is there with the pinned bytes, and return its path.

    Tried in this order: what is there already, ``mirror``, the URL, the fall-back URLs. ``client``: the network, so that
    tests can give their own; None opens one. ``progress``: a stream that is written to only if it is a terminal (None:
    stderr). Files are a few MB and are held in memory.

    Raises ``DamagedFile`` for other bytes on disk or in the mirror, or when no URL had the right ones and one had wrong
    ones; ``SourceUnavailable`` when nothing was to be had, with all it takes to put the file there by hand.
    """
    target = raw_path(root, source_id, source)
    if target.exists():
        read_source(root, source_id, source)
        return target
    if mirror is not None:
        copy = mirror / source.mirror
        if copy.is_file():
            data = copy.read_bytes()
            try:
                _check(data, source)
            except _Mismatch as mismatch:
                raise DamagedFile(
                    f"{copy}: {mismatch}; replace it in the mirror, or unset {MIRROR_VARIABLE} to use the network"
                ) from None
            _write_atomically(target, data)
            return target

    stream = sys.stderr if progress is None else progress
    if client is None:
        # every job reads the table of sources, and hardly any fetches one
        import httpx

        with httpx.Client(timeout=httpx.Timeout(STEP_S, connect=CONNECT_S), follow_redirects=True) as own:
            data = _from_network(root, source_id, source, own, stream)
    else:
        data = _from_network(root, source_id, source, client, stream)
    _write_atomically(target, data)
    return target


def _from_network(root: Path, source_id: str, source: Source, client: httpx.Client, progress: TextIO) -> bytes:
    """The pinned bytes from the first URL that has them. Fall-back URLs serve the file itself, never an archive."""
    problems: list[str] = []
    mismatched = False
    for url, member in ((source.url, source.member), *((url, None) for url in source.fallback_urls)):
        limit = ARCHIVE_LIMIT if member is not None else source.bytes
        try:
            data = _download(client, url, limit, source_id, progress)
            if member is not None:
                data = _extract(data, member, source.bytes)
            _check(data, source)
            return data
        except _Mismatch as mismatch:
            mismatched = True
            problems.append(f"{url}: {mismatch}")
        except _Unreachable as why:
            problems.append(f"{url}: {why}")
    what = f"{source_id}: {'; '.join(problems)}; {_put_it_there(root, source_id, source)}"
    raise DamagedFile(what) if mismatched else SourceUnavailable(what)


def _download(client: httpx.Client, url: str, limit: int, source_id: str, progress: TextIO) -> bytes:
    """The body of a GET, at most ``limit`` bytes of it."""
    import httpx

    show = progress.isatty()
    body = bytearray()
    try:
        with client.stream("GET", url) as response:
            if response.status_code != httpx.codes.OK:
                raise _Unreachable(f"answered HTTP {response.status_code}")
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > limit:
                    raise _Mismatch(f"expected at most {limit:,} bytes, found more")
                if show:
                    progress.write(f"\rfetching {source_id}: {len(body) // 1024:,} KiB")
                    progress.flush()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _Unreachable(f"{type(error).__name__} {error}".strip()) from None
    finally:
        if show and body:
            progress.write("\n")
    return bytes(body)


def _extract(archive: bytes, member: str, size: int) -> bytes:
    """A member of a zip archive; never more than one byte above its pinned size, however well it was packed."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened, opened.open(member) as packed:
            return packed.read(size + 1)
    except KeyError:
        raise _Mismatch(f"expected a zip archive with a member {member!r}, found none of that name") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise _Mismatch(f"expected a zip archive that can be read, found: {error}") from None


def _check(data: bytes, source: Source) -> None:
    """Raise ``_Mismatch`` unless these are the pinned bytes."""
    found = sha256_hex(data)
    if len(data) != source.bytes or found != source.sha256:
        size = f"{len(data):,}" if len(data) <= source.bytes else f"more than {source.bytes:,}"
        raise _Mismatch(f"expected sha256 {source.sha256} ({source.bytes:,} bytes), found {found} ({size} bytes)")


def _put_it_there(root: Path, source_id: str, source: Source) -> str:
    """What a user can do who must get the file another way."""
    what = f"{source.url}" if source.member is None else f"{source.url} (its member {source.member})"
    place = raw_path(root, source_id, source).relative_to(root).as_posix()
    return (
        f"get {what} some other way and put the file at {place} (sha256 {source.sha256}), or below a directory named by "
        f"{MIRROR_VARIABLE} as {source.mirror}; the release `quickstart` needs no download"
    )


def _write_atomically(path: Path, data: bytes) -> None:
    """All of it or nothing: readers never see a part, and two writers do not mix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
