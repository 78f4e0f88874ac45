"""A log that grows while it is read: what is new and whole since the last look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

#: So much is read at once, so that a long log does not have to fit into memory.
BLOCK_BYTES = 1 << 20


class Tail:
    """How far one file was read. Nothing is ever written, and nothing is locked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.offset = 0

    def has_shrunk(self) -> bool:
        """Whether the file is shorter than what was read of it: another file stands in its place."""
        try:
            return self.path.stat().st_size < self.offset
        except FileNotFoundError:
            return self.offset > 0

    def new_lines(self) -> Iterator[bytes]:
        """Lines without their line feed. A last line that has none yet is left for the next look."""
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        with file:
            file.seek(self.offset)
            rest = b""
            while block := file.read(BLOCK_BYTES):
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    self.offset += len(line) + 1
                    yield line
