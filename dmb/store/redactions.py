"""Raw logs without the texts of their items, as an archive holds them: known by the digest that they have had since."""

from __future__ import annotations

from pathlib import Path

from dmb.errors import DamagedFile

#: Beside the manifest of a run that came from an archive.
REDACTIONS = "redactions.json"


def digest_here(raw: Path, recorded: str) -> str:
    """The sha256 that a raw log must have, from the one that its receipt recorded: another where texts were replaced.

    Raises ``DamagedFile`` where the run's redactions cannot be read.
    """
    path = raw.parent.parent / REDACTIONS
    if not path.exists():
        return recorded
    # most runs were never in an archive
    from dmb.contracts.redaction import Redactions

    try:
        log = Redactions.model_validate_json(path.read_bytes()).logs.get(raw.name)
    except ValueError:
        raise DamagedFile(f"{path}: is damaged; restore the archive that the run came from in another folder") from None
    return log.archived_sha256 if log is not None and log.original_sha256 == recorded else recorded
