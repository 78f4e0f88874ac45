"""Errors that a user sees as one line, and the exit codes they end in.

    DmbError                        3  something failed while working
    ├── UsageError                  2  what was typed cannot be done (bad id, existing run, no contenders)
    │   └── InputError              2  a file that the user wrote is wrong: file, field, what was expected, the mend
    ├── MissingEvidence             3  a receipt or raw log that a number needs is not here
    ├── DamagedFile                 3  bytes differ from the digest that was recorded for them
    ├── SourceUnavailable           3  a dataset is neither on disk, nor in the mirror, nor on the network
    ├── BudgetExhausted             4  the release may spend no more (dmb/ledger/refusals.py)
    │   └── LedgerUnusable          4  the ledger cannot be read or written, so nothing may be spent
    ├── CellBusy                    3  another process asks this cell, or works in this checkout, right now, or may do so
    └── LocksUnusable               3  locks on this file system keep nobody out, so nothing may be asked

Anything else that escapes is a bug and keeps its traceback.
"""

EXIT_COMPLETE = 0
EXIT_USAGE = 2
EXIT_EXECUTION = 3
EXIT_BUDGET = 4
EXIT_AUTHENTICATION = 5
EXIT_DEADLINE = 6

#: Where several apply to one run, the first of these that is present wins.
EXIT_ORDER = (EXIT_EXECUTION, EXIT_AUTHENTICATION, EXIT_BUDGET, EXIT_DEADLINE)


class DmbError(Exception):
    """Base of every error whose text is meant for a user."""

    exit_code = EXIT_EXECUTION


class UsageError(DmbError):
    """A command or a target that cannot be carried out as typed."""

    exit_code = EXIT_USAGE


class InputError(UsageError):
    """A file that a user writes is wrong.

    The text is one line: ``file: field: what was found; what was expected; how to mend it``.
    """

    def __init__(self, file: object, field: str, problem: str, mend: str = "") -> None:
        where = f"{file}: {field}: " if field else f"{file}: "
        super().__init__(where + problem + (f"; {mend}" if mend else ""))


class MissingEvidence(DmbError):
    """A receipt, a raw log or an items file that is needed is not on disk."""


class DamagedFile(DmbError):
    """A file's bytes differ from the digest recorded for them."""


class SourceUnavailable(DmbError):
    """A dataset could not be had from disk, mirror or network."""


class CellBusy(DmbError):
    """Another process holds the lock of this cell."""


class LocksUnusable(DmbError):
    """Locks of this file system exclude nobody, or not the other hosts of a run."""
