"""What a folder holds to on one host: each guarantee tried with real processes in a folder of its own, which is removed."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dmb.doctor.check import Check, Status
from dmb.doctor.primitives import REAL, Primitives
from dmb.mounts import mount_of, notes_on

#: Processes that are at it together.
PROCESSES = 4

_NAMES, _LINES, _REPLACE_S, _SIZE = 60, 150, 0.5, 16_384

_MIB = 1 << 20

ABANDONED_AFTER_S = 86_400


def examine(folder: Path, do: Primitives = REAL) -> list[Check]:
    """All checks, in a new folder below ``folder``. What the system refuses is a failed check, not an error."""
    clear_abandoned(folder)
    where = Path(tempfile.mkdtemp(prefix=".doctor.", dir=folder))
    trials: list[tuple[str, Callable[[Path, Primitives], Check]]] = [
        ("exclusive create", exclusive_create),
        ("atomic rename", atomic_replace),
        ("append", appends),
        ("flock", locks),
        ("fsync", syncs),
        ("time stamps", time_stamps),
        ("names", names),
    ]
    found = [mount(folder)]
    try:
        for name, trial in trials:
            home = where / name.replace(" ", "-")
            home.mkdir()
            try:
                found.append(trial(home, do))
            except (OSError, NotImplementedError) as e:
                found.append(Check(name, "failed", f"refused: {getattr(e, 'strerror', None) or e}"))
    finally:
        shutil.rmtree(where, ignore_errors=True)
    return [*found, space(folder)]


def clear_abandoned(folder: Path) -> None:
    """Remove what doctors that were killed have left there. A day is longer than any trial, and than clocks differ."""
    for path in folder.glob(".doctor.*"):
        with contextlib.suppress(OSError):
            if path.is_dir() and time.time() - path.stat().st_mtime > ABANDONED_AFTER_S:
                shutil.rmtree(path)


def mount(folder: Path) -> Check:
    """Which file system it is, and what is known of its kind."""
    on = mount_of(folder)
    if on is None:
        return Check("file system", "note", "this system does not say which it is")
    notes = notes_on(on)
    return Check("file system", "note" if notes else "ok", "; ".join([f"{on.kind} on {on.point}", *notes]))


def exclusive_create(folder: Path, do: Primitives) -> Check:
    """Of processes that make the same names at the same time, one makes each."""
    name, leans = "exclusive create", "run ids, owner files, receipts"

    def race(_n: int) -> list[tuple[str, int]]:
        return [(way, i) for i in range(_NAMES) for way, make in do.exclusive.items() if make(folder / f"{way}.{i}")]

    made = Counter(won for winners in in_processes(PROCESSES, race) for won in winners)
    wrong = sorted({way for way in do.exclusive for i in range(_NAMES) if made[way, i] != 1})
    if wrong:
        return Check(name, "failed", f"{', '.join(wrong)}: a name was made by several processes, or by none", leans)
    return Check(name, "ok", f"{PROCESSES} processes, {_NAMES} names by {', '.join(do.exclusive)}: one made each")


def atomic_replace(folder: Path, do: Primitives) -> Check:
    """A reader sees the old bytes or the new ones, always."""
    name, path = "atomic rename", folder / "state"
    do.replace(path, b"0" * _SIZE)

    def write(_n: int) -> int:
        end, n = time.monotonic() + _REPLACE_S, 0
        while time.monotonic() < end:
            n += 1
            do.replace(path, str(n % 10).encode() * _SIZE)
        return n

    n_reads, wrong = 0, ""
    with Children(1, write) as children:
        while not wrong and children.at_work():
            n_reads += 1
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                wrong = "was not there for a moment"
            else:
                wrong = "" if len(data) == _SIZE and len(set(data)) == 1 else "was seen half-written"
        (n_writes,) = children.results()
    if wrong:
        return Check(name, "failed", f"a file that was replaced {wrong}", "manifests, owner files, scores")
    return Check(name, "ok", f"{n_writes} times, read {n_reads} times meanwhile: always whole")


def appends(folder: Path, do: Primitives) -> Check:
    """Lines of several processes of one host: each whole, none lost."""
    name, path = "append", folder / "log"

    def write(n: int) -> None:
        for i in range(_LINES):
            do.append(path, f"{n}:{i}:{'x' * 200}\n".encode())

    in_processes(PROCESSES, write)
    seen = Counter(path.read_bytes().split(b"\n")[:-1])
    wanted = {f"{n}:{i}:{'x' * 200}".encode() for n in range(PROCESSES) for i in range(_LINES)}
    if seen != Counter(wanted):
        n_lost, n_torn = len(wanted - seen.keys()), sum(n for line, n in seen.items() if line not in wanted)
        return Check(name, "failed", f"{n_lost} of {len(wanted)} lines lost, {n_torn} torn", "raw logs, the ledger")
    return Check(name, "ok", f"{PROCESSES} processes, {len(wanted)} lines: none lost or torn")


def locks(folder: Path, do: Primitives) -> Check:
    """Opens and processes exclude each other, and a killed holder lets go."""
    name, leans, path = "flock", "cells, lanes, the ledger, starts", folder / "lock"
    mine, again = do.lock(path), do.lock(path)
    try:
        if not mine.try_acquire():
            return Check(name, "failed", "a lock that nobody holds was refused", leans)
        if again.try_acquire():
            return Check(name, "failed", "two opens in one process held it at once", leans)
        if in_processes(1, lambda _n: do.lock(path).try_acquire()) != [False]:
            return Check(name, "failed", "two processes held it at once", leans)
        mine.release()
        with Children(1, lambda _n: _hold_for_ever(do.lock(path), folder / "held")) as children:
            while not (folder / "held").exists():
                if not children.at_work():
                    return Check(name, "failed", "another process could not take it", leans)
                time.sleep(0.002)
            if again.try_acquire():
                return Check(name, "failed", "two processes held it at once", leans)
            children.kill()
        if not again.try_for(2.0):
            return Check(name, "failed", "a killed process kept it", leans)
    finally:
        mine.close()
        again.close()
    return Check(name, "ok", "opens and processes exclude each other, and a killed holder lets go")


def _hold_for_ever(lock: Any, told: Path) -> None:
    if lock.try_for(2.0):
        told.touch()
        time.sleep(60)


def syncs(folder: Path, do: Primitives) -> Check:
    """Files and folders can be synced, and how long it takes: each reservation waits for one."""
    path, times = folder / "file", []
    for n in range(15):
        path.write_bytes(str(n).encode() * 100)
        began = time.perf_counter()
        do.sync(path)
        times.append((time.perf_counter() - began) * 1000)
    do.sync(folder)
    middle = statistics.median(times)
    slow = middle > 100
    return Check(
        "fsync", "note" if slow else "ok", f"{middle:.1f} ms each{', which every paid attempt waits for' * slow}"
    )


def time_stamps(folder: Path, do: Primitives) -> Check:
    """How far the clock that stamps files is from this host's. Nothing that costs money leans on either."""
    do.replace(folder / "stamp", b"x")
    apart = (folder / "stamp").stat().st_mtime - time.time()
    return Check("time stamps", "note" if abs(apart) > 2 else "ok", f"{apart:+.2f} s from this host's clock")


def names(folder: Path, _do: Primitives) -> Check:
    """Whether ``A`` is another name than ``a``."""
    (folder / "case").touch()
    if (folder / "CASE").exists():
        return Check("names", "note", "upper and lower case are one: run ids that differ in case alone are one, too")
    return Check("names", "ok", "upper and lower case differ")


def space(folder: Path) -> Check:
    """A cell of 300 rows takes about a megabyte."""
    free = shutil.disk_usage(folder).free
    status: Status = "failed" if free < 16 * _MIB else "note" if free < 1024 * _MIB else "ok"
    return Check("free space", status, f"{free / _MIB / 1024:.1f} GiB", "everything")


# -- processes


class Children:
    """Processes of this one, forked, so that they do what it was given to do; each returns one value."""

    def __init__(self, n: int, work: Callable[[int], Any]) -> None:
        fork = multiprocessing.get_context("fork")
        # on a busy machine the first would otherwise be done before the last begins
        together = fork.Barrier(n)
        self._pipes = [fork.Pipe(duplex=False) for _ in range(n)]
        self._processes = [
            fork.Process(target=_report, args=[sends, together, work, i], daemon=True)
            for i, (_, sends) in enumerate(self._pipes)
        ]

    def __enter__(self) -> Children:
        for process in self._processes:
            process.start()
        for _, sends in self._pipes:
            sends.close()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def at_work(self) -> bool:
        """Whether any has yet to return."""
        return any(p.is_alive() for p in self._processes)

    def results(self) -> list[Any]:
        """What each returned. Raises ``OSError`` where one was refused something."""
        found = []
        for receives, _ in self._pipes:
            try:
                value = receives.recv()
            except EOFError:
                value = OSError("a process of the trial died")
            if isinstance(value, OSError):
                raise value
            found.append(value)
        return found

    def kill(self) -> None:
        """By SIGKILL, and wait."""
        for process in self._processes:
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
            process.join()


def _report(sends: Any, together: Any, work: Callable[[int], Any], n: int) -> None:
    together.wait(30)
    try:
        sends.send(work(n))
    except OSError as e:
        sends.send(e)


def in_processes(n: int, work: Callable[[int], Any]) -> list[Any]:
    """What ``n`` processes return that are at it together, each with its number."""
    with Children(n, work) as children:
        return children.results()
