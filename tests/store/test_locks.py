"""One payer a cell: the lock ends with the process that holds it."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from dmb.errors import CellBusy
from dmb.kernel_lock import is_held
from dmb.store.claims import last_owner
from dmb.store.heartbeat import HEART
from dmb.store.layout import SCRATCH
from dmb.store.locks import OWNER, CellLock, hold_start_lock

HOLDER = """
import sys
from pathlib import Path
from dmb.store.locks import CellLock
with CellLock(Path(sys.argv[1]), "r7"):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def held_elsewhere(cell: Path) -> Iterator[subprocess.Popen]:
    """Another process that holds the cell's lock until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(cell)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        yield holder
        holder.stdin.close()


def test_a_second_payer_is_refused_and_told_who_pays(tmp_path):
    cell = tmp_path / "cell"
    with held_elsewhere(cell) as holder:
        assert is_held(cell / "lock")
        with (
            pytest.raises(CellBusy, match=f"run r7, process {holder.pid} on {socket.gethostname()}"),
            CellLock(cell, "r8"),
        ):
            pass
    assert not is_held(cell / "lock")
    with CellLock(cell, "r8"):
        owner = last_owner(cell, OWNER)
        assert (owner.n, owner.said["pid"], owner.said["run"], owner.ended) == (2, os.getpid(), "r8", False)
    assert last_owner(cell, OWNER).ended


def test_sigkill_frees_the_cell(tmp_path):
    cell = tmp_path / "cell"
    with held_elsewhere(cell) as holder:
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        assert not is_held(cell / "lock")
        with CellLock(cell, "r8"):
            assert is_held(cell / "lock")


def test_a_look_at_the_moment_of_taking_it_is_no_holder(tmp_path):
    look = FileLock(tmp_path / "lock", timeout=0, thread_local=False)
    look.acquire()
    end = threading.Timer(0.05, look.release)
    end.start()
    with CellLock(tmp_path, "r1"):
        assert not end.is_alive()


def test_within_one_process_too(tmp_path):
    with CellLock(tmp_path, "r1"):
        with pytest.raises(CellBusy, match="run r1"), CellLock(tmp_path, "r2"):
            pass
        # the refused one has not taken the owner's name away
        with pytest.raises(CellBusy, match="run r1"), CellLock(tmp_path, "r3"):
            pass


def test_an_owner_file_that_is_not_there_yet_is_no_crash(tmp_path):
    with CellLock(tmp_path, "r1"):
        (tmp_path / "owner.1.json").unlink()
        with pytest.raises(CellBusy, match="by another process"), CellLock(tmp_path, "r2"):
            pass


def test_an_exception_frees_the_cell(tmp_path):
    with pytest.raises(KeyboardInterrupt), CellLock(tmp_path, "r1"):
        raise KeyboardInterrupt
    assert not is_held(tmp_path / "lock")


def test_looking_takes_nothing_and_makes_nothing(tmp_path):
    assert not is_held(tmp_path / "lock")
    assert not (tmp_path / "lock").exists()
    with CellLock(tmp_path, "r1"):
        assert is_held(tmp_path / "lock") and is_held(tmp_path / "lock")
    assert not is_held(tmp_path / "lock")
    with CellLock(tmp_path, "r2"):
        pass


def test_a_look_at_the_start_lock_keeps_no_start_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SCRATCH.mkdir(parents=True)
    look = os.open(SCRATCH / "start.lock", os.O_RDONLY | os.O_CREAT)
    fcntl.flock(look, fcntl.LOCK_SH)
    # it ends while the start waits, and the start does not wait in vain
    monkeypatch.setattr(time, "sleep", lambda _: fcntl.flock(look, fcntl.LOCK_UN))
    lock = hold_start_lock()
    os.close(look)
    assert is_held(SCRATCH / "start.lock")
    HEART.end_all()
    lock.release()
    assert not is_held(SCRATCH / "start.lock")
