"""Where evidence is read from: the project's own folder, or one that is laid out like it, such as an archive's files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dmb.store.redactions import digest_here


@dataclass(frozen=True, slots=True)
class EvidenceRoot:
    """A folder with ``runs/`` and ``data/items/``. Receipts that came from elsewhere stay as they were."""

    folder: Path = Path()

    def at(self, path: str | Path) -> Path:
        """Where the file with this name in the project lies."""
        return self.folder / path

    def expected(self, raw: str, sha256: str) -> str:
        """The digest that a raw log must have here, from the one that its receipt recorded. Raises ``DamagedFile``."""
        return digest_here(self.at(raw), sha256)


#: The folder in which the process works.
HERE = EvidenceRoot()
