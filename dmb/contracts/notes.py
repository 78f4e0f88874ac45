"""``data/notes.toml`` and ``data/corrections.toml``: what people say about findings and about changed numbers."""

from __future__ import annotations

from pydantic import Field

from dmb.contracts.frozen import Frozen


class Note(Frozen):
    """Why a finding of the sanity block that asks for a look is as it should be."""

    release: str = Field(min_length=1, description="the draft that is to be sealed")
    check: str = Field(min_length=1, description="name of the check, as in the report")
    finding: str = Field(min_length=1, description="its words, as in the report")
    explanation: str = Field(min_length=10, description="what was looked at, and what came out")


class NotesFile(Frozen):
    """All notes."""

    note: tuple[Note, ...] = ()


class Correction(Frozen):
    """One defect, and the numbers of one published release that it had made wrong.

    ``cells`` and ``numbers`` are patterns as for file names: ``jev.*``, ``metrics.latency_*``.
    """

    old: str = Field(min_length=1, description="the sealed release that has the defect")
    defect: str = Field(min_length=10, description="what was wrong, and how it was mended")
    cells: tuple[str, ...] = Field(
        ("*",), min_length=1, description="contender.suite, or `release` for what is of no cell"
    )
    numbers: tuple[str, ...] = Field(min_length=1, description="dotted names in the cells file")


class CorrectionsFile(Frozen):
    """All corrections, the first that fits a number being its own."""

    correction: tuple[Correction, ...] = ()
