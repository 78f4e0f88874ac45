"""One payer a cell, one start a folder: kernel locks within a host, owner files over hosts.

A kernel lock ends with its process. Since it may not reach another host, the owner file decides there, and what it names
is taken over only from an owner that has certainly ended (``dmb/takeover.py``).
"""

from __future__ import annotations

import atexit
import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmb.errors import CellBusy, DamagedFile, LocksUnusable
from dmb.kernel_lock import KernelLock
from dmb.mounts import local_locks, mount_of
from dmb.process_identity import boot_id
from dmb.store.claims import Claim, Owner, last_owner
from dmb.store.files import load_json
from dmb.store.heartbeat import HEART
from dmb.store.layout import RUNS, SCRATCH, run_dir
from dmb.takeover import tried_with

if TYPE_CHECKING:
    from filelock import FileLock

#: Looking whether a lock is held takes it for an instant; this much patience tells a look from a holder.
PROBE_S = 0.25

#: What owner files are called: in the folders of cells and runs, and for this checkout's start.
OWNER, START = "owner", "start"


class CellLock:
    """Held while a cell is asked. A second payer fails at once and learns who holds it.

    Raises ``CellBusy``; ``LocksUnusable`` where locks on this file system exclude nobody.
    """

    def __init__(self, cell: Path, run: str) -> None:
        self._cell, self._run = cell, run
        cell.mkdir(parents=True, exist_ok=True)
        self._lock = KernelLock(cell / "lock")
        self._claim: Claim | None = None

    def __enter__(self) -> CellLock:
        taken = False
        try:
            self._claim = self._take()
            taken = True
        finally:
            if not taken:
                self._lock.close()
        return self

    def _take(self) -> Claim:
        path = self._cell / "lock"
        try:
            # whoever looks whether it is held holds it for an instant
            held = self._lock.try_for(PROBE_S)
        except OSError as e:
            raise _refused(path, e) from None
        if not held:
            raise _busy(f"{self._cell}: is being asked by", last_owner(self._cell, OWNER))
        check_exclusion(path)
        last = last_owner(self._cell, OWNER)
        if last is not None and last.n == 0 and _has_ended(last.said.get("run")):
            last = Owner(0, last.said, ended=True)
        return _take_over(self._cell, OWNER, last, self._run, f"{self._cell}: is being asked by", str(self._cell))

    def __exit__(self, *_: object) -> None:
        assert self._claim is not None
        HEART.end(self._claim)
        self._lock.close()

    def lost(self) -> bool:
        """Whether somebody has declared this process dead: then it must ask nothing more."""
        return self._claim is not None and self._claim.lost


def _has_ended(run: Any) -> bool:
    """Whether a run is closed, for owners of before they said that they had ended."""
    try:
        return not isinstance(run, str) or load_json(run_dir(run) / "manifest.json")["status"] != "running"
    except FileNotFoundError:
        return True
    except (DamagedFile, OSError, KeyError, TypeError):
        return False


def _busy(what: str, owner: Owner | None) -> CellBusy:
    who = owner.text(now()) if owner is not None else "another process"
    return CellBusy(f"{what} {who}; wait for it or end that process")


def _take_over(folder: Path, stem: str, last: Owner | None, run: str | None, what: str, name: str) -> Claim:
    """Become the next owner. ``what``: how the sentence about the present one begins; ``name``: how the user calls it."""
    if last is not None:
        found = last.standing(folder, lock_is_free=True)
        if found.standing == "held":
            raise _busy(what, last)
        if found.standing == "unknown":
            raise CellBusy(
                f"{what} {last.text(now())}, or was: {found.why}; once it is certain that it does not: "
                f"`dmb release-lock {name}`"
            )
        if not last.ended:
            print(f"dmb: {name}: left by {last.text(now())}: {found.why}; taken over", file=sys.stderr, flush=True)
    try:
        claim = Claim(folder, stem, last.n + 1 if last is not None else 1, run)
    except FileExistsError:
        # both found it free, and another host was quicker
        raise _busy(what, last_owner(folder, stem)) from None
    HEART.add(claim)
    return claim


def hold_start_lock() -> FileLock:
    """The lock of this checkout's one working start, held until this process ends, however it ends.

    It stands in for the workflow's own lock, which outlives a killed process and must then be lifted by hand.
    Raises ``CellBusy`` while another start is at work, or may be on another host.
    """
    from filelock import FileLock, Timeout

    SCRATCH.mkdir(parents=True, exist_ok=True)
    path = SCRATCH / "start.lock"
    # as with a cell's: a look at it is waited out
    lock = FileLock(path, timeout=PROBE_S, thread_local=False)
    what = "another snakemake is at work in this folder:"
    try:
        lock.acquire()
    except Timeout:
        raise _busy(what, last_owner(SCRATCH, START)) from None
    except (OSError, NotImplementedError) as e:
        raise _refused(path, e) from None
    check_exclusion(path)
    last = last_owner(SCRATCH, START)
    # one of before starts were numbered had a kernel lock alone
    last = None if last is not None and last.n == 0 else last
    claim = _take_over(SCRATCH, START, last, None, what, START)
    atexit.register(HEART.end, claim)
    return lock


def hold_run(run: str, lock: Path) -> Claim:
    """This process as the owner of a run that it has just made, whose ``lock`` it holds. Ended by ``HEART.end``."""
    check_exclusion(lock)
    claim = Claim(run_dir(run), OWNER, 1, run)
    HEART.add(claim)
    return claim


# -- what locks are worth here


def check_exclusion(held: Path) -> None:
    """Two opens of a lock file that this process holds must exclude each other. Raises ``LocksUnusable``."""
    second = KernelLock(held)
    try:
        got = second.try_acquire()
    except OSError as e:
        raise _refused(held, e) from None
    finally:
        second.close()
    if got:
        raise LocksUnusable(f"{held}: was locked twice at once{_place(held)}; {_MEND}")


_MEND = "nothing is asked, since nobody would be kept from paying twice; use a file system with locks (`dmb doctor`)"


def _refused(path: Path, error: OSError | NotImplementedError) -> LocksUnusable:
    return LocksUnusable(f"{path}: no lock{_place(path)}: {getattr(error, 'strerror', None) or error}; {_MEND}")


def _place(path: Path) -> str:
    mount = mount_of(path.parent)
    return "" if mount is None else f" on {mount.point} ({mount.kind})"


def check_host(run: str) -> None:
    """Whoever is billed for must share locks with the host that the run was started on, or caps and lanes hold for each
    host alone. Raises ``LocksUnusable`` where it is known that he does not."""
    owner, mount = last_owner(run_dir(run), OWNER), mount_of(RUNS)
    if owner is None or mount is None or owner.said.get("boot") in (None, boot_id()):
        return
    why = local_locks(mount)
    if why is None and tried_with(owner.said, RUNS) is False:
        why = f"tried by `dmb doctor --peers`: {mount.kind} on {mount.point}"
    if why is not None:
        raise LocksUnusable(
            f"run {run}: was started on {owner.said.get('host')}, and its locks do not hold here ({why}); caps and lanes "
            "would hold for each host alone; mount the folder with locks (docs/shared-state.md), or ask on one host"
        )


def now() -> dt.datetime:
    """By this host's clock."""
    return dt.datetime.now(dt.UTC)
