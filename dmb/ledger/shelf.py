"""Reading a ledger's folder: every file from where it was left, so that a long ledger stays quick."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from dmb.contracts.ledger import Born, Gone, IndexRow, LedgerRow, Totals
from dmb.kernel_lock import is_held
from dmb.ledger.book import Book
from dmb.ledger.refusals import unreadable, unusable
from dmb.process_identity import boot_id
from dmb.takeover import tried_with

INDEX = "writers.jsonl"

_ROWS_NAME = re.compile(r"[A-Za-z0-9-]+\.[0-9]+\.[0-9a-f]+\.jsonl")

_LEDGER_ROW: TypeAdapter[LedgerRow] = TypeAdapter(LedgerRow)
_INDEX_ROW: TypeAdapter[IndexRow] = TypeAdapter(IndexRow)


def read_totals(folder: Path, run: str | None = None) -> Totals:
    """What a ledger comes to right now, for commands that only look: writes no row, waits for nobody.

    Files are read one after the other, so while others write, a sum may be of rows that never stood together.
    Raises ``LedgerUnusable`` where it is damaged or cannot be read; a folder that is not there is a ledger of nothing.
    """
    shelf = Shelf(folder)
    shelf.refresh()
    return shelf.book.totals(shelf.is_gone, run)


def host_word() -> str:
    """This host's name as it stands in the names of files."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", socket.gethostname()) or "host"


def alive_path(folder: Path, writer: str) -> Path:
    """The lock file that a writer holds while it lives."""
    return folder / f"{writer}.alive"


def rows_path(folder: Path, writer: str) -> Path:
    """The file of one writer."""
    return folder / f"{writer}.jsonl"


class _Tail:
    """A file that grows, and how far it was read."""

    __slots__ = ("line", "offset", "path")

    def __init__(self, path: Path) -> None:
        self.path, self.offset, self.line = path, 0, 0

    def follow(self, take: Callable[[bytes], None]) -> None:
        """Hand over each line that is new and whole. What has no line feed yet is left for the next time.

        Raises ``LedgerUnusable`` for a line that ``take`` refuses with ``ValueError``; it is met again next time.
        """
        *lines, rest = self._new_bytes().split(b"\n")
        for line in lines:
            try:
                take(line)
            except ValidationError as error:
                raise unusable(self.path, self.line + 1, f"no row of a ledger: {error.errors()[0]['msg']}") from None
            except ValueError as error:
                raise unusable(self.path, self.line + 1, str(error)) from None
            self.offset += len(line) + 1
            self.line += 1
        if not _may_be_torn(rest):
            raise unusable(self.path, self.line + 1, f"ends in bytes that no writer left there: {rest[:40]!r}")

    def _new_bytes(self) -> bytes:
        # opened afresh each time: only an open asks a file server whether another host has appended
        fd = os.open(self.path, os.O_RDONLY)
        try:
            size = os.fstat(fd).st_size
            if size < self.offset:
                raise unusable(self.path, None, f"has shrunk from {self.offset} to {size} bytes")
            parts = []
            at = self.offset
            while at < size and (part := os.pread(fd, size - at, at)):
                parts.append(part)
                at += len(part)
            return b"".join(parts)
        finally:
            os.close(fd)


def _may_be_torn(rest: bytes) -> bool:
    """Whether bytes without a line feed can be what a killed or a busy writer has of a row.

    They count as nothing. A reservation that is not whole has not returned, so nothing was sent for it; with a
    settlement that is not whole, the reservation stays charged.
    """
    if not rest:
        return True
    if rest[:1] != b"{" or not rest.isascii() or any(byte < 0x20 for byte in rest):
        return False
    try:
        _, end = json.JSONDecoder().raw_decode(rest.decode("ascii"))
    except ValueError:
        return True
    return end == len(rest)


class Shelf:
    """All files of one ledger, read into one book."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.book = Book()
        #: The writer whose rows the owner of this shelf counts itself, as it writes them.
        self.own: str | None = None
        self._index: _Tail | None = None
        self._tails: dict[str, _Tail] = {}
        self._final: set[str] = set()
        self._born: dict[str, Born] = {}

    def is_gone(self, writer: str) -> bool:
        """Whether the process behind a file has certainly ended. Where that cannot be told it counts as living."""
        alive = alive_path(self.folder, writer)
        if not alive.exists():
            return True
        return self.reaches_here(writer) and not is_held(alive)

    def reaches_here(self, writer: str) -> bool:
        """Whether the writer's lock says anything here: its host is this one, or locks were seen to hold between them."""
        born = self._born.get(writer)
        if born is None or born.boot is None:
            # of before hosts said more than their names
            return writer.rpartition(".")[0].rpartition(".")[0] == host_word()
        return born.boot == boot_id() or tried_with(born.model_dump(), self.folder) is True

    def living(self) -> list[str]:
        """Writers that are not known to be gone, without the own one."""
        return [w for w in self._tails if w not in self._final]

    def refresh(self) -> None:
        """Read what is new. Raises ``LedgerUnusable`` at the first thing that is not as it must be."""
        try:
            self._refresh()
        except OSError as error:
            raise unreadable(self.folder, error) from None

    def _refresh(self) -> None:
        if self._index is None:
            if not self.folder.exists():
                return
            # a writer killed at its birth is not in the index, and with a lost index the files still count
            for path in self.folder.iterdir():
                if _ROWS_NAME.fullmatch(path.name):
                    self._add(path.name.removesuffix(".jsonl"))
            if (self.folder / INDEX).exists():
                self._index = _Tail(self.folder / INDEX)
        gone: list[str] = []
        if self._index is not None:
            self._index.follow(lambda line: self._take_index_row(line, gone))
        for writer, tail in self._tails.items():
            if writer not in self._final:
                tail.follow(lambda line, writer=writer: self._take_row(line, writer))
        # their last rows have been read just now
        self._final.update(gone)

    def _take_index_row(self, line: bytes, gone: list[str]) -> None:
        row = _INDEX_ROW.validate_json(line, strict=True)
        if isinstance(row, Born):
            self._born[row.writer] = row
            self._add(row.writer)
        elif row.writer == self.own:
            raise ValueError("another process took this one for ended and no longer reads its rows; start again")
        elif row.sums is not None and self._is_unread(row):
            self.book.take_sums(row.writer, row.sums)
            self._final.add(row.writer)
        else:
            gone.append(row.writer)

    def _is_unread(self, row: Gone) -> bool:
        """Whether nothing of the writer was counted yet, and its file is as long as it was when it was summed up."""
        tail = self._tails.get(row.writer)
        if tail is None or tail.offset or row.writer in self._final or row.n_bytes is None:
            return False
        size = tail.path.stat().st_size
        if size < row.n_bytes:
            raise unusable(tail.path, None, f"has shrunk from {row.n_bytes} to {size} bytes")
        return size == row.n_bytes

    def gone_row(self, writer: str) -> Gone:
        """What the index says from now on of a writer that has ended, and whose last rows were read after that."""
        tail = self._tails[writer]
        whole = tail.path.stat().st_size == tail.offset
        sums = self.book.sums_of(writer) if whole else None
        return Gone(writer=writer, n_bytes=tail.offset if whole else None, sums=sums)

    def _take_row(self, line: bytes, writer: str) -> None:
        self.book.apply(writer, _LEDGER_ROW.validate_json(line, strict=True))

    def _add(self, writer: str) -> None:
        if writer != self.own and writer not in self._tails:
            self._tails[writer] = _Tail(rows_path(self.folder, writer))
