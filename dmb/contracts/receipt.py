"""What a paid job leaves behind, and how cells and runs can end."""

from __future__ import annotations

from typing import Any, Literal

from dmb.contracts.frozen import FrozenLate, Sha256

CellStatus = Literal["complete", "dnf", "stopped", "skipped"]
RunStatus = Literal["running", "complete", "stopped", "failed", "interrupted"]


class Negotiation(FrozenLate):
    """What one run's probes found out about a contender before its first question.

    ``settings``: those to ask with, None where nothing was accepted; ``given_up``: names of those that were not.
    ``log_sha256`` is that of the first ``n_attempts`` rows of ``log``: where nothing was found, a later cell of the run
    probes on. It and the counts are None where an earlier run's log was gone when the receipt was written.
    """

    run: str
    settings: dict[str, Any] | None
    given_up: tuple[str, ...]
    n_probes: int | None
    n_attempts: int | None
    log: str
    log_sha256: Sha256 | None


class Receipt(FrozenLate):
    """What a paid job declares to the workflow. It is written once and never edited.

    ``negotiation``: of each run whose probes say how this cell's rows were asked, imported ones included.
    """

    cell_key: Sha256
    number: int
    contender: str
    suite: str
    run: str
    status: CellStatus
    stop_reason: str | None = None
    items: Sha256
    n_expected: int
    n_asked: int
    n_imported: int
    n_attempts: int
    outcomes: dict[str, int]
    raw: str | None = None
    raw_sha256: Sha256 | None = None
    simulated: bool = False
    wall_s: float
    negotiation: tuple[Negotiation, ...] = ()
    parts: dict[str, Any]
