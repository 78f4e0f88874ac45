"""Recorded exchanges with providers: one file a request, named by its key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dmb.errors import MissingEvidence
from dmb.store.files import load_json, pretty_json, write_whole


class ExchangeFolder:
    """``<folder>/<provider>/<first 16 digits of the key>.json``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self) -> None:
        """Raises ``MissingEvidence`` where there is no such folder to read from."""
        if not self._folder.is_dir():
            raise MissingEvidence(
                f"{self._folder}: is no folder of recorded exchanges; record them with DMB_RECORD first"
            )

    def path(self, provider: str, key: str) -> Path:
        """Where a request's exchanges lie."""
        return self._folder / provider / f"{key[:16]}.json"

    def load(self, provider: str, key: str) -> dict[str, Any] | None:
        """What was recorded of that request; None when nothing was. Raises ``DamagedFile``."""
        path = self.path(provider, key)
        return load_json(path) if path.exists() else None

    def save(self, provider: str, key: str, recorded: dict[str, Any]) -> None:
        """Replace what was recorded of that request."""
        write_whole(self.path(provider, key), pretty_json(recorded))
