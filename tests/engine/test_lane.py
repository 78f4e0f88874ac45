"""A provider's lane over threads, processes and kills."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dmb.engine.lane import Lane
from dmb.engine.stopped import Stopped
from tests.conftest import PROJECT

SLOTS = 4

#: Three threads that take a slot again and again. Lines of ``+`` and ``-`` with an instant of the machine's own clock.
ASKER = """
import os, socket, sys, threading, time
from pathlib import Path
from dmb.engine.lane import Lane

host, folder, log = sys.argv[1:]
socket.gethostname = lambda: host
lane = Lane(Path(folder), 4, time.sleep, lambda: None)
log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
print("ready", flush=True)
sys.stdin.readline()

def ask():
    while True:
        with lane.slot():
            os.write(log, f"+ {time.monotonic_ns()}\\n".encode())
            time.sleep(0.004)
            os.write(log, f"- {time.monotonic_ns()}\\n".encode())

for _ in range(3):
    threading.Thread(target=ask, daemon=True).start()
sys.stdin.readline()
os._exit(0)
"""


def lane(folder: Path, slots: int = SLOTS, may_ask=lambda: None, sleep=time.sleep) -> Lane:
    return Lane(folder, slots, sleep, may_ask)


@contextmanager
def asker(host: str, folder: Path, log: Path) -> Iterator[subprocess.Popen]:
    command = [sys.executable, "-c", ASKER, host, str(folder), str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as other:
        try:
            assert other.stdout.readline() == "ready\n"
            yield other
        finally:
            other.kill()


def begin(other: subprocess.Popen) -> None:
    other.stdin.write("\n")
    other.stdin.flush()


def events(log: Path, ended_ns: int) -> list[tuple[int, int]]:
    """(instant, +1 or -1); what a kill cut off ended with it, at this instant at the earliest."""
    found, n_open = [], 0
    for line in (log.read_text() if log.exists() else "").split("\n")[:-1]:
        sign, at = line.split()
        n_open += 1 if sign == "+" else -1
        found.append((int(at), 1 if sign == "+" else -1))
    return found + [(max([ended_ns, *(at for at, _ in found)]), -1)] * n_open


def until(condition, otherwise: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)


def most_at_once(events: list[tuple[int, int]], since_ns: int = 0) -> int:
    """The most slots that were held together at any instant."""
    held = most = 0
    for at, change in sorted(events):
        held += change
        most = max(most, held) if at >= since_ns else most
    return most


def test_slots_hold_over_processes_of_two_hosts_and_a_kill_frees_them(tmp_path):
    rng = random.Random(3)
    logs, ends = [tmp_path / f"log.{n}" for n in range(6)], {}
    with ExitStack() as stack:
        askers = [stack.enter_context(asker(("north", "south")[n % 2], tmp_path / "lane", logs[n])) for n in range(6)]
        for other in askers:
            begin(other)
        for n in rng.sample(range(6), 4):
            until(lambda n=n: len(events(logs[n], 0)) > 6, "somebody never has a turn")
            time.sleep(rng.uniform(0, 0.05))
            # its locks are free at some moment after this one
            ends[n] = time.monotonic_ns()
            askers[n].kill()
            askers[n].wait()
        last_kill = time.monotonic_ns()
        # two are left with six threads: they get what the dead have held
        until(
            lambda: (
                most_at_once([e for n in range(6) for e in events(logs[n], ends.get(n, 2**63))], last_kill) == SLOTS
            ),
            "slots are lost with their process",
        )
        for n in set(range(6)) - set(ends):
            # its locks are free at some moment after this one
            ends[n] = time.monotonic_ns()
            askers[n].kill()
            askers[n].wait()
    every = [events(log, ends[n]) for n, log in enumerate(logs)]
    assert most_at_once([e for of_one in every for e in of_one]) == SLOTS


def test_threads_of_one_process_share_the_slots(tmp_path):
    shared, most, held = lane(tmp_path), 0, 0
    guard = threading.Lock()

    def work() -> None:
        nonlocal most, held
        for _ in range(20):
            with shared.slot():
                with guard:
                    held += 1
                    most = max(most, held)
                time.sleep(0.001)
                with guard:
                    held -= 1

    threads = [threading.Thread(target=work) for _ in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shared.close()
    assert most == SLOTS


def test_a_stop_that_comes_while_waiting_ends_the_wait_and_leaves_no_slot_behind(tmp_path):
    reasons = iter([None, None, "deadline"])
    with (
        lane(tmp_path, 1).slot(),
        pytest.raises(Stopped, match=r"^deadline$"),
        lane(tmp_path, 1, lambda: next(reasons)).slot(),
    ):
        pass
    with lane(tmp_path, 1, lambda: "full").slot():
        pass


def test_an_error_in_the_slot_gives_it_up(tmp_path):
    one = lane(tmp_path, 1, lambda: "full")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), one.slot():
            raise KeyboardInterrupt
    one.close()
