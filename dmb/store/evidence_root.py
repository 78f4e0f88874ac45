"""Where evidence is read from: the project's own folder, or one that is laid out like it, such as a restored archive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dmb.store.files import load_json

#: In an archive: sha256 of a raw log as it was -> sha256 of the log whose texts were replaced by their digests.
REDACTIONS = "redactions.json"


@dataclass(frozen=True, slots=True)
class EvidenceRoot:
    """``redactions``: as the file of that name holds them; receipts name the original, and stay as they were."""

    folder: Path = Path()
    redactions: Mapping[str, str] = field(default_factory=dict)

    def at(self, path: str | Path) -> Path:
        """Where the file with this name in the project lies."""
        return self.folder / path

    def expected(self, sha256: str) -> str:
        """The digest that a raw log must have here, from the one that its receipt recorded."""
        return self.redactions.get(sha256, sha256)


#: The folder in which the process works.
HERE = EvidenceRoot()


def open_root(folder: Path) -> EvidenceRoot:
    """The evidence below a folder. Raises ``DamagedFile`` where its redactions cannot be read."""
    path = folder / REDACTIONS
    return EvidenceRoot(folder, load_json(path) if path.exists() else {})
