"""A run: exclusive birth, an honest end, and the sweep of runs whose process is gone."""

from __future__ import annotations

import datetime as dt
import os
import re
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmb.contracts.receipt import Receipt, RunStatus
from dmb.errors import UsageError
from dmb.kernel_lock import is_held
from dmb.store.claims import Claim, Owner, is_declared_dead, last_owner
from dmb.store.files import load_json, pretty_json, write_whole
from dmb.store.heartbeat import BEAT_S, HEART
from dmb.store.layout import RUNS, raw_log, receipt_path, run_dir
from dmb.store.locks import OWNER, hold_run, now
from dmb.store.plan_file import plan_bytes
from dmb.store.receipts import load_receipt
from dmb.store.run_state import OWNER_GONE, run_status, stops_dir
from dmb.takeover import Verdict

if TYPE_CHECKING:
    from filelock import FileLock

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")

#: A cluster job that ends without its output deletes that path; it gets this long before a new run writes there.
SETTLE_S = 2.0

#: So long the end of a run, or of the sweep of one, waits for jobs that still ask. A request takes no longer.
STRAYS_S = 60.0

#: Whoever beats is heard of within this time.
SILENT_S = 3 * BEAT_S

#: What the manifest says of jobs that are processes of the starting one: nobody is left to delete their outputs.
JOBS_HERE = "here"

#: The proof of life of runs that this process has opened; the kernel drops it with the process.
_alive: dict[str, tuple[FileLock, Claim]] = {}


def check_run_id(run: str) -> None:
    """Raises ``UsageError`` for an id that is no plain word, or that is taken."""
    if not _RUN_ID.fullmatch(run) or ".." in run:
        raise UsageError(
            f"--id: {run!r} is no run id; use letters, digits, '-', '_' and '.', beginning with a letter or digit"
        )
    if os.path.lexists(run_dir(run)):
        raise UsageError(f"--id: {run_dir(run)} exists, and a run directory is never reused; choose another id")


def utc_now() -> str:
    """Now, as ISO 8601 in UTC with milliseconds."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def begin_run(
    run: str | None, stem: str, plan: dict[str, Any], snapshots: dict[str, bytes], facts: dict[str, Any]
) -> str:
    """Create the run directory with its plan, snapshots and a manifest that says ``running``; returns the id.

    Without ``run`` the id is the next free ``<stem>-<n>``. The directory is made exclusively.
    """
    (RUNS / "_numbers").mkdir(parents=True, exist_ok=True)
    with _birth_lock():
        return _give_birth(run, stem, plan, snapshots, facts)


def _birth_lock() -> FileLock:
    """Held while a run is born, and while a directory without a manifest is judged: it may be one that is being born."""
    from filelock import FileLock

    return FileLock(RUNS / "_numbers" / ".lock", timeout=60.0, thread_local=False)


def _give_birth(
    run: str | None, stem: str, plan: dict[str, Any], snapshots: dict[str, bytes], facts: dict[str, Any]
) -> str:
    counter = RUNS / "_numbers" / stem
    text = counter.read_text(encoding="utf-8", errors="replace").strip() if counter.exists() else ""
    last = int(text) if text.isdecimal() else 0
    # a number is not given out again when its directory was deleted: rows elsewhere may name it as their origin
    names = [run] if run else (f"{stem}-{n}" for n in range(last + 1, last + 1_000_000))
    for name in names:
        try:
            run_dir(name).mkdir()
            break
        except FileExistsError:
            if run:
                check_run_id(run)
    if not run:
        write_whole(counter, name.removeprefix(f"{stem}-").encode("ascii"))
    home = run_dir(name)
    from filelock import FileLock

    # nobody else has reason to hold it, but to look whether it is held
    lock = FileLock(home / "alive", timeout=60.0, poll_interval=0.01, thread_local=False)
    lock.acquire()
    _alive[name] = (lock, hold_run(name, home / "alive"))
    # made now, so that no host remembers for a minute that it is not there
    stops_dir(name).mkdir()
    for file, data in snapshots.items():
        write_whole(home / file, data)
    write_whole(home / "plan.json", plan_bytes({**plan, "run": name}))
    owner = {"host": socket.gethostname(), "pid": os.getpid(), "started_at": utc_now()}
    write_whole(home / "manifest.json", pretty_json({"run": name, "status": "running", **owner, **facts}))
    return name


def set_manifest(run: str, **changes: Any) -> None:
    """Replace fields of the manifest, atomically."""
    path = run_dir(run) / "manifest.json"
    old = load_json(path) if path.exists() else {"run": run}
    write_whole(path, pretty_json(old | changes))


def _receipt_of(key: str, cell: dict[str, Any]) -> Path:
    return receipt_path(cell["contender"], cell["suite"], key, cell["number"])


def receipts_of(run: str) -> dict[str, Receipt]:
    """Cell key -> receipt, for the planned cells of a run that have one written by this very run.

    None of a run that was killed at its birth, before it had a plan. Raises ``DamagedFile``.
    """
    found: dict[str, Receipt] = {}
    if not (run_dir(run) / "plan.json").exists():
        return found
    for key, cell in load_json(run_dir(run) / "plan.json")["cells"].items():
        path = _receipt_of(key, cell)
        if path.exists() and (receipt := load_receipt(path)).run == run:
            found[key] = receipt
    return found


def mark(run: str, name: str, text: str) -> None:
    """Leave a mark: ``run``, ``provider.<id>`` or ``cell.<key>`` stop, or ``failed.<what>``."""
    write_whole(stops_dir(run) / name, (text + "\n").encode("utf-8"))


def end_run(run: str) -> RunStatus:
    """Close the manifest from the evidence, not from the workflow's verdict, and write the run's cell index."""
    planned = load_json(run_dir(run) / "plan.json")["cells"]
    _stop_strays(run, [path for key, cell in planned.items() if not (path := _receipt_of(key, cell)).exists()])
    receipts = receipts_of(run)
    failures = {p.name: p.read_text(encoding="utf-8").strip() for p in sorted(stops_dir(run).glob("failed.*"))}
    status: RunStatus
    # a cell that an orphan of an earlier start finished meanwhile is answered too, under that start's name
    if all(_receipt_of(key, cell).exists() for key, cell in planned.items()):
        status = "stopped" if any(r.status in ("stopped", "dnf") for r in receipts.values()) else "complete"
    else:
        status = "failed" if failures else "interrupted"
    index = {
        key: {
            "cell_key": key,
            "contender": cell["contender"],
            "suite": cell["suite"],
            "receipt": str(_receipt_of(key, cell)) if key in receipts else None,
            "status": receipts[key].status if key in receipts else None,
            "stop_reason": receipts[key].stop_reason if key in receipts else None,
            "outcomes": receipts[key].outcomes if key in receipts else None,
            "raw": receipts[key].raw if key in receipts else None,
            "raw_sha256": receipts[key].raw_sha256 if key in receipts else None,
        }
        for key, cell in planned.items()
    }
    write_whole(run_dir(run) / "cells.json", pretty_json(list(index.values())))
    parents = sorted(
        {row.origin for key, r in receipts.items() if r.n_imported for row in _imported(run, planned[key], key)}
        - {None}
    )
    ended_at = utc_now()
    began = load_json(run_dir(run) / "manifest.json").get("started_at", ended_at)
    wall_s = (dt.datetime.fromisoformat(ended_at) - dt.datetime.fromisoformat(began)).total_seconds()
    set_manifest(run, status=status, ended_at=ended_at, wall_s=wall_s, failures=failures, parents=parents)
    _let_go(run)
    return status


def _stop_strays(run: str, missing: list[Path]) -> None:
    """A job may live that a cluster has called failed: it ends after the request in flight, and before the run is closed,
    since these receipts belong to the next one."""
    if not missing:
        return
    mark(run, OWNER_GONE, "the run is closed")
    if _wait_for_orphans({path.parent for path in missing}, STRAYS_S):
        time.sleep(SETTLE_S)


def _let_go(run: str) -> None:
    if held := _alive.pop(run, None):
        lock, claim = held
        HEART.end(claim)
        lock.release()


def _imported(run: str, cell: dict[str, Any], key: str) -> list[Any]:
    from dmb.store.attempts import read_attempts

    return [r for r in read_attempts(raw_log(run, cell["contender"], cell["suite"]), key) if r.origin]


def all_runs() -> list[str]:
    """Ids of the run directories, oldest name first."""
    if not RUNS.is_dir():
        return []
    return sorted(p.name for p in RUNS.iterdir() if p.is_dir() and not p.name.startswith(("_", ".")))


def sweep(patience_s: float = STRAYS_S) -> list[str]:
    """Mark runs whose owner is gone as interrupted, once their orphans have ended. Returns their ids.

    The stop mark makes an orphan end after the request in flight; only then may a new plan be made, since what it
    finished counts. A run stays ``running`` until then, so that a sweep that is killed is made up for by the next one.
    """
    swept = [run for run in all_runs() if _owner_is_gone(run)]
    for run in swept:
        mark(run, OWNER_GONE, "its owner is gone")
    _wait_for_orphans({cell for run in swept for cell in _cells_of(run)}, patience_s)
    # a job on this machine was a child of the owner, and nobody deletes what it leaves
    if any(load_json(run_dir(run) / "manifest.json").get("jobs") != JOBS_HERE for run in swept):
        time.sleep(SETTLE_S)
    for run in swept:
        set_manifest(run, status="interrupted", ended_at=utc_now())
    return swept


def _wait_for_orphans(cells: set[Path], patience_s: float) -> bool:
    """Until nobody asks these cells any more. Of whom nobody here can tell whether he lives, as long as he is heard of.

    Returns whether there was anybody to wait for.
    """
    deadline, waited = time.monotonic() + patience_s, False
    for cell in cells:
        silent_at, beat = time.monotonic() + SILENT_S, None
        while time.monotonic() < deadline:
            owner = last_owner(cell, OWNER)
            if not is_held(cell / "lock"):
                if owner is None or owner.standing(cell, lock_is_free=True).standing == "free" or owner.n == 0:
                    break
                if owner.said.get("heartbeat") != beat:
                    silent_at, beat = time.monotonic() + SILENT_S, owner.said.get("heartbeat")
                elif time.monotonic() > silent_at:
                    break
            waited = True
            time.sleep(0.05)
    return waited


def _owner_is_gone(run: str) -> bool:
    """Whether an open run has certainly lost its owner. One that was killed at its birth is closed at once."""
    home = run_dir(run)
    if not _was_born(home):
        with _birth_lock():
            if not (_was_born(home) or is_held(home / "alive")) and _may_close(home, True).standing == "free":
                set_manifest(run, status="interrupted", ended_at=utc_now())
        return False
    if run_status(run) != "running" or is_held(home / "alive"):
        return False
    return _may_close(home, True).standing == "free"


def run_owner(run: str) -> Owner:
    """Whose a run is, as its owner file says; its manifest where it is of before there were any."""
    home = run_dir(run)
    owner = last_owner(home, OWNER)
    if owner is None:
        path = home / "manifest.json"
        manifest = load_json(path) if path.exists() else {}
        # killed at its birth by whoever looks now, as far as anybody can tell
        said = {"host": socket.gethostname()} | {k: manifest[k] for k in ("run", "host", "pid") if k in manifest}
        owner = Owner(0, said, ended=is_declared_dead(home, OWNER, 0))
    return owner


def _may_close(home: Path, lock_is_free: bool) -> Verdict:
    return run_owner(home.name).standing(home, lock_is_free)


def left_open() -> list[str]:
    """What a start says of runs that are open, and of whose owner nobody here can tell whether he lives."""
    said = []
    for run in all_runs():
        home = run_dir(run)
        if not _was_born(home) or run_status(run) != "running" or is_held(home / "alive"):
            continue
        owner = run_owner(run)
        found = owner.standing(home, lock_is_free=True)
        if found.standing == "unknown":
            said.append(
                f"run {run}: is left open: it belongs to {owner.text(now())}, and {found.why}; "
                f"once it is certain that it does not: `dmb release-lock {run}`"
            )
    return said


def _was_born(home: Path) -> bool:
    return (home / "manifest.json").exists() and ((home / "plan.json").exists() or run_status(home.name) != "running")


def _cells_of(run: str) -> list[Path]:
    return [_receipt_of(key, cell).parent for key, cell in load_json(run_dir(run) / "plan.json")["cells"].items()]
