"""What a verification found: files that are not as they must be, each with the cells whose numbers it touches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

#: (contender, suite)
CellId = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """One file that is damaged, missing or says something else than the evidence. ``cells``: in the release's order."""

    file: str
    problem: str
    cells: tuple[CellId, ...] = ()

    def cell_names(self) -> list[str]:
        """``contender.suite``, as the evidence names them."""
        return [f"{contender}.{suite}" for contender, suite in self.cells]


@dataclass(slots=True)
class Verification:
    """What was looked at, and what came of it.

    ``n_requests``: attempts whose request digest was made again from the texts; ``n_requests_without_text``: those of which
    a text is not here. ``other_code``: what made the release was other code than this. ``n_numbers``: numbers that stand in published texts and were made again.
    """

    release: str
    n_cells: int = 0
    n_cells_scored: int = 0
    n_rows: int = 0
    n_attempts: int = 0
    n_requests: int = 0
    n_requests_without_text: int = 0
    n_evidence_files: int = 0
    n_published_files: int = 0
    n_numbers: int = 0
    other_code: bool = False
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether every published number was made again, and nothing was found."""
        return not self.findings

    def add(self, file: object, problem: str, cells: Iterable[CellId] = ()) -> None:
        """Write a finding down; what was said of a file already is not said twice."""
        found = Finding(str(file), problem, tuple(dict.fromkeys(cells)))
        if found not in self.findings:
            self.findings.append(found)
