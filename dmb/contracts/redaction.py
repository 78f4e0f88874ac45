"""``runs/<run>/redactions.json``: which of the run's raw logs stand there without the texts of their items."""

from __future__ import annotations

from dmb.contracts.frozen import FrozenLate, Sha256


class RedactedLog(FrozenLate):
    """One raw log. Receipts are never edited: what they call ``original_sha256`` has the digest ``archived_sha256`` here.

    Counted are rows, and those of them in whose request, reply or words about a failure a text was replaced. ``n_kept``:
    replies that quote a few words in the very place from which the answer is read, so that they had to stay.
    """

    original_sha256: Sha256
    archived_sha256: Sha256
    n_rows: int
    n_requests: int
    n_replies: int
    n_reasons: int
    n_kept: int


class Redactions(FrozenLate):
    """By the name of the log in the run's ``raw/``."""

    logs: dict[str, RedactedLog]
