"""Writing into a ledger's folder: one file a process, appended and never edited."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from dmb.contracts.frozen import Frozen
from dmb.contracts.ledger import Born, Gone
from dmb.ledger.shelf import INDEX, alive_path, host_word, rows_path
from dmb.mounts import mount_of
from dmb.process_identity import who_i_am


class Pen:
    """The one writer of one file. Making it, under the ledger's lock, joins the ledger."""

    def __init__(self, folder: Path, gone: Sequence[Gone]) -> None:
        """``gone``: writers that were found to have ended; nobody need look into their files again."""
        self._folder = folder
        self.writer = f"{host_word()}.{os.getpid()}.{secrets.token_hex(6)}"
        # held before anyone can learn the name, so that a living writer never looks gone
        self._alive = FileLock(alive_path(folder, self.writer), timeout=0, thread_local=False)
        self._alive.acquire()
        self._fd = os.open(rows_path(folder, self.writer), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        _append_to_index(folder / INDEX, _lines([*gone, born(folder, self.writer)]))
        _sync_folder(folder)

    def write(self, rows: Sequence[Frozen]) -> None:
        """Append rows in one write; they are with the kernel when this returns."""
        _write_all(self._fd, _lines(rows))

    def sync(self) -> None:
        """What was written is on disk when this returns."""
        os.fsync(self._fd)

    def close(self) -> None:
        """Sync, and end being alive."""
        try:
            self.sync()
        finally:
            os.close(self._fd)
            self._alive.release()
            alive_path(self._folder, self.writer).unlink(missing_ok=True)


def born(folder: Path, writer: str) -> Born:
    """The index row of a writer of this process."""
    me, mount = who_i_am(), mount_of(folder)
    where = {k: me[k] for k in ("host", "machine", "boot")}
    return Born(writer=writer, mount=mount.text if mount is not None else None, **where)


def _lines(rows: Sequence[Frozen]) -> bytes:
    # what is None stands there too: a reader takes no row that lacks a field
    return "".join(row.model_dump_json(ensure_ascii=True) + "\n" for row in rows).encode("ascii")


def _write_all(fd: int, data: bytes) -> None:
    written = os.write(fd, data)
    if written != len(data):
        # the disk is full; a second write could be glued to what another process makes of the first
        raise OSError(f"only {written} of {len(data)} bytes were written")


def _append_to_index(index: Path, data: bytes) -> None:
    with index.open("ab+", buffering=0) as f:
        f.seek(0)
        held = f.read()
        # a registrar killed while it wrote had not begun to spend
        f.truncate(held.rfind(b"\n") + 1)
        _write_all(f.fileno(), data)
        os.fsync(f.fileno())


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
