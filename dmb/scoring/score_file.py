"""Score files: a score and the digest of all that it says, so that an edited one is not taken for what scoring made."""

from __future__ import annotations

import json
from pathlib import Path

from dmb.canonical import digest
from dmb.contracts.cell import Score
from dmb.errors import DamagedFile, MissingEvidence
from dmb.store.files import json_by_member

_MEND = "delete it and start again, scores are free"


def score_bytes(score: Score) -> bytes:
    """The score file: the fields of the score, and ``sha256`` over their canonical JSON."""
    fields = score.model_dump(mode="json")
    return json_by_member({**fields, "sha256": digest(fields)})


def parse_score(data: bytes, path: Path) -> Score:
    """The score in these bytes of ``path``. Raises ``DamagedFile`` where they are not as scoring wrote them."""
    try:
        fields = json.loads(data)
        told = fields.pop("sha256")
        score = Score.model_validate(fields)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DamagedFile(f"{path}: is damaged; {_MEND}") from None
    if told != digest(fields):
        raise DamagedFile(f"{path}: was edited after it was made: its sha256 is not that of what it says; {_MEND}")
    return score


def load_score(path: Path) -> Score:
    """The score in a file. Raises ``MissingEvidence`` or ``DamagedFile``."""
    try:
        return parse_score(path.read_bytes(), path)
    except FileNotFoundError:
        raise MissingEvidence(f"{path}: is not here; start again, scores are free") from None
