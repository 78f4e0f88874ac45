"""The attempts log: one JSON row a line, appended as it happens, read with a torn last line set aside."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from dmb.contracts.attempt import Attempt
from dmb.errors import DamagedFile, DmbError
from dmb.store.row_bytes import row_bytes

#: Rows reach the disk itself within this many seconds; the kernel has them at once, so that a kill loses none.
FLUSH_EVERY_S = 0.5


class AttemptLog:
    """The one writer of a raw log. Append is thread-safe; close waits until the bytes are on disk."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _set_torn_line_aside(path)
        self._file = path.open("ab", buffering=0)
        self._lock = threading.Lock()
        self._dirty = False
        self._closed = threading.Event()
        self._flusher = threading.Thread(target=self._flush_now_and_then, daemon=True)
        self._flusher.start()

    def append(self, row: Attempt) -> None:
        """One row; it is with the kernel when this returns. Raises ``DmbError`` where there is no room for it."""
        data = row_bytes(row)
        with self._lock:
            try:
                written = self._file.write(data)
            except OSError as e:
                raise DmbError(
                    f"{self._file.name}: {e.strerror}; what was logged before is whole; start again"
                ) from None
            if written != len(data):
                # nothing may be glued to the half that fitted
                self._file.truncate(self._file.seek(0, os.SEEK_END) - written)
                raise DmbError(f"{self._file.name}: the disk is full; what was logged before is whole; start again")
            self._dirty = True

    def _flush_now_and_then(self) -> None:
        while not self._closed.wait(FLUSH_EVERY_S):
            self._flush()

    def _flush(self) -> None:
        with self._lock:
            dirty, self._dirty = self._dirty, False
        # nobody who has a row to write waits for the disk
        if not dirty:
            return
        try:
            os.fsync(self._file.fileno())
        except OSError:
            self._dirty = True
            raise

    def close(self) -> None:
        """Everything is on disk afterwards."""
        self._closed.set()
        self._flusher.join()
        self._flush()
        self._file.close()

    def __enter__(self) -> AttemptLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def whole_lines(path: Path) -> Iterator[bytes]:
    """The lines that end in a line feed. A torn last line of a killed writer is not one of them."""
    if not path.exists():
        return
    with path.open("rb") as f:
        for line in f:
            if line.endswith(b"\n"):
                yield line


def first_rows_sha256(path: Path, n_rows: int) -> str | None:
    """64 hex digits over the first so many whole lines of a log that may have grown since; None where it has fewer."""
    found, n_read = hashlib.sha256(), 0
    for line in islice(whole_lines(path), n_rows):
        found.update(line)
        n_read += 1
    return found.hexdigest() if n_read == n_rows else None


def _set_torn_line_aside(path: Path) -> None:
    """What a killed writer left of its last row moves to ``<log>.torn``: nothing may be glued to it."""
    whole = sum(map(len, whole_lines(path)))
    if path.exists() and whole < path.stat().st_size:
        with path.open("rb+") as log, path.with_name(f"{path.name}.torn").open("ab") as torn:
            log.seek(whole)
            torn.write(log.read() + b"\n")
            log.truncate(whole)


def read_attempts(path: Path, cell_key: str | None = None) -> Iterator[Attempt]:
    """The rows of a raw log, those of one cell only where ``cell_key`` is given. Raises ``DamagedFile``."""
    return (row for _, row in attempts_at(path, cell_key))


def attempts_at(path: Path, cell_key: str | None = None) -> Iterator[tuple[int, Attempt]]:
    """The same, each with the byte at which it begins."""
    offset = 0
    for number, line in enumerate(whole_lines(path), start=1):
        if cell_key is None or cell_key.encode("ascii") in line:
            try:
                row = _validated(line)
            except ValueError:
                row = _read_with_care(line, path, f"line {number}")
            if cell_key is None or row.cell == cell_key:
                yield offset, row
        offset += len(line)


def read_attempt(path: Path, offset: int) -> Attempt:
    """The row that begins at that byte. Raises ``DamagedFile``."""
    with path.open("rb") as f:
        f.seek(offset)
        line = f.readline()
    try:
        return _validated(line)
    except ValueError:
        return _read_with_care(line, path, f"byte {offset}")


#: What ``Attempt.model_validate_json`` calls: a seventh of the time of a long log is spent on the way there.
_validated = Attempt.__pydantic_validator__.validate_json


def _read_with_care(line: bytes, path: Path, where: str) -> Attempt:
    """The quicker reader refuses the lone surrogates that a row may hold. Raises ``DamagedFile``."""
    try:
        return Attempt.model_validate(json.loads(line))
    except ValueError:
        raise DamagedFile(
            f"{path}: {where} is no attempt; put the right file back, or delete it: its rows are then asked again"
        ) from None
