"""Why nothing may be sent."""

from __future__ import annotations

from pathlib import Path

from dmb.errors import EXIT_BUDGET, DmbError


class BudgetExhausted(DmbError):
    """The worst case of the next attempt does not fit under the hard cap."""

    exit_code = EXIT_BUDGET


class LedgerUnusable(BudgetExhausted):
    """The ledger cannot be read, written or believed. What was spent is unknown, so nothing more is spent."""


def unusable(path: Path, line: int | None, problem: str) -> LedgerUnusable:
    """The error with file, line, problem and mend, on one line."""
    where = f"{path}: line {line}" if line is not None else f"{path}"
    return LedgerUnusable(
        f"{where}: {problem}; nothing is sent until the ledger is whole: put the file back as it was, or mend the line"
    )


def unreadable(folder: Path, error: OSError) -> LedgerUnusable:
    """The same for what the operating system refused."""
    return LedgerUnusable(
        f"{error.filename or folder}: {error.strerror or error}; nothing is sent while the ledger cannot be used"
    )
