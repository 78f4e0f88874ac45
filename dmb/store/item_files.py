"""Frozen items and texts read one by one: a cell of any length is asked in the same memory."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from pydantic_core import from_json

from dmb.canonical import text_digest
from dmb.contracts.item import Item, OptionSet
from dmb.errors import DamagedFile, MissingEvidence
from dmb.store.files import file_sha256


class _Lines:
    """A file whose lines can be read again by their number."""

    def __init__(self, path: Path, mend: str) -> None:
        self.path = path
        try:
            self._fd = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            raise MissingEvidence(f"{path}: is not here; {mend}") from None
        self._starts = array("Q", [0])

    def scan(self) -> Iterator[bytes]:
        """Every line once, from the start, noting where each begins."""
        with self.path.open("rb") as f:
            at = 0
            for line in f:
                at += len(line)
                self._starts.append(at)
                yield line

    def read(self, number: int) -> bytes:
        """The line with that number, from 0."""
        start, end = self._starts[number], self._starts[number + 1]
        return os.pread(self._fd, end - start, start)

    def close(self) -> None:
        os.close(self._fd)


class ItemFile:
    """The identity file with this digest: option sets at hand, items on demand.

    Raises ``MissingEvidence`` or ``DamagedFile``, each with the mend.
    """

    def __init__(self, path: Path, sha256: str) -> None:
        mend = "start again: items are rebuilt, nothing is asked for that"
        self._lines = _Lines(path, mend)
        if (found := file_sha256(path)) != sha256:
            raise DamagedFile(f"{path}: sha256 is {found[:12]}, expected {sha256[:12]}; delete it and {mend}")
        self._item_lines = array("L")
        self._state_starts = array("Q")
        self.option_sets: dict[str, OptionSet] = {}
        for number, line in enumerate(self._lines.scan()):
            row = from_json(line)
            if row["kind"] == "options":
                self.option_sets[row["id"]] = OptionSet.model_validate(row)
            else:
                self._item_lines.append(number)
                self._state_starts.append(_start(row["state"]))

    def __len__(self) -> int:
        return len(self._item_lines)

    def __getitem__(self, n: int) -> Item:
        return Item.model_validate_json(self._lines.read(self._item_lines[n]))

    def first_missing_text(self, texts: TextFile) -> str | None:
        """Digest of a text that the items need and that is not there."""
        for option_set in self.option_sets.values():
            for option in option_set.options:
                if not texts.has_start(_start(option.text)):
                    return option.text
        for n, start in enumerate(self._state_starts):
            if not texts.has_start(start):
                return self[n].state
        return None

    def close(self) -> None:
        """Close the file."""
        self._lines.close()

    def __enter__(self) -> ItemFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def _start(digest: str) -> int:
    """The first 64 bits."""
    return int(digest[:16], 16)


class TextFile:
    """Digest -> text, each text checked against its digest when the file is opened.

    Raises ``MissingEvidence`` or ``DamagedFile``.
    """

    def __init__(self, path: Path) -> None:
        self._lines = _Lines(path, "start again: texts are rebuilt")
        found = []
        for number, line in enumerate(self._lines.scan()):
            try:
                row = from_json(line)
                whole = text_digest(row["text"]) == row["sha256"]
            except (ValueError, KeyError, TypeError):
                whole = False
            if not whole:
                raise DamagedFile(
                    f"{path}: line {number + 1} is damaged; delete the file and start again: texts are rebuilt"
                )
            found.append((_start(row["sha256"]), number))
        found.sort()
        # sixteen bytes a text instead of a dictionary's two hundred
        self._begins = array("Q", (start for start, _ in found))
        self._numbers = array("Q", (number for _, number in found))

    def __getitem__(self, digest: str) -> str:
        at = bisect_left(self._begins, _start(digest))
        while at < len(self._begins) and self._begins[at] == _start(digest):
            row = from_json(self._lines.read(self._numbers[at]))
            if row["sha256"] == digest:
                return row["text"]
            at += 1
        raise KeyError(digest)

    def has_start(self, start: int) -> bool:
        """Whether there is a text whose digest begins like this: one that begins like another and is not there is found
        missing when it is read."""
        at = bisect_left(self._begins, start)
        return at < len(self._begins) and self._begins[at] == start

    def close(self) -> None:
        """Close the file."""
        self._lines.close()

    def __enter__(self) -> TextFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
