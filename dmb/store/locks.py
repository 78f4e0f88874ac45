"""One payer a cell, one owner a run: kernel locks, which end with the process that holds them."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from dmb.errors import CellBusy
from dmb.kernel_lock import KernelLock
from dmb.store.files import load_json, pretty_json, write_whole
from dmb.store.layout import SCRATCH

if TYPE_CHECKING:
    from filelock import FileLock

#: Looking whether a lock is held takes it for an instant; this much patience tells a look from a holder.
PROBE_S = 0.25


class CellLock:
    """Held while a cell is asked. A second payer fails at once and learns who holds it."""

    def __init__(self, cell: Path, run: str) -> None:
        self._cell, self._run = cell, run
        cell.mkdir(parents=True, exist_ok=True)
        self._lock = KernelLock(cell / "lock")

    def __enter__(self) -> CellLock:
        owner = self._cell / "owner.json"
        # whoever looks whether it is held holds it for an instant
        if not self._lock.try_for(PROBE_S):
            self._lock.close()
            held_by = load_json(owner) if owner.exists() else {}
            raise CellBusy(
                f"{self._cell}: is being asked by run {held_by.get('run', '?')}, process {held_by.get('pid', '?')} on "
                f"{held_by.get('host', '?')}; wait for it or end that process"
            )
        write_whole(owner, pretty_json({"run": self._run, "pid": os.getpid(), "host": socket.gethostname()}))
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()


def hold_start_lock() -> FileLock:
    """The lock of this checkout's one working start, held until this process ends, however it ends.

    It stands in for the workflow's own lock, which outlives a killed process and must then be lifted by hand.
    Raises ``CellBusy`` while another start is at work.
    """
    from filelock import FileLock, Timeout

    SCRATCH.mkdir(parents=True, exist_ok=True)
    owner = SCRATCH / "start.json"
    lock = FileLock(SCRATCH / "start.lock", timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        held_by = load_json(owner) if owner.exists() else {}
        raise CellBusy(
            f"another snakemake is at work in this folder (process {held_by.get('pid', '?')} on "
            f"{held_by.get('host', '?')}); wait for it or end it"
        ) from None
    write_whole(owner, pretty_json({"pid": os.getpid(), "host": socket.gethostname()}))
    return lock


def is_held(lock: Path) -> bool:
    """Whether a living process holds this lock file. A file that is not there is not held."""
    from filelock import FileLock, Timeout

    if not lock.exists():
        return False
    probe = FileLock(lock, timeout=0, thread_local=False)
    try:
        probe.acquire()
    except Timeout:
        return True
    probe.release()
    return False


def looks_held(lock: Path) -> bool:
    """The same for whoever only watches: nothing is written, and the lock is shared for an instant, never taken.

    Where that cannot be told, it counts as held.
    """
    import fcntl

    try:
        fd = os.open(lock, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
