"""A process that kills itself and its whole group at a chosen moment of its work. Other than that it is `python -m dmb`.

Usage: python aimed.py ask <key16> <receipt>

DMB_TEST_KILL is ``role module:name when n``: in a process of that role, around the nth call of that function, ``before``
it, ``after`` it, or ``torn``: with half of its bytes written. DMB_TEST_HOST is the name that this host goes by.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import os
import runpy
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

KILL_VARIABLE, HOST_VARIABLE = "DMB_TEST_KILL", "DMB_TEST_HOST"


def die() -> NoReturn:
    """No handler, no farewell: for everybody in the group at once."""
    os.killpg(0, signal.SIGKILL)
    time.sleep(60)
    raise AssertionError("outlived a SIGKILL")


def arm(role: str) -> None:
    """Set the moment, if it is one of this role. Before anything takes the function under another name."""
    if (host := os.environ.get(HOST_VARIABLE)) is not None:
        from dmb import process_identity

        socket.gethostname = lambda: host
        process_identity.boot_id = lambda: f"boot of {host}"
    whose, what, when, n = os.environ.get(KILL_VARIABLE, "- - - 0").split()
    if whose != role:
        return
    module, name = what.split(":")
    owner: Any = importlib.import_module(module)
    *classes, name = name.split(".")
    for part in classes:
        owner = getattr(owner, part)
    setattr(owner, name, _armed(getattr(owner, name), when, int(n)))


def _armed(real: Callable[..., Any], when: str, n: int) -> Callable[..., Any]:
    calls = itertools.count(1)

    @functools.wraps(real)
    def armed(*args: Any, **kwargs: Any) -> Any:
        mine = next(calls) == n
        if mine and when == "torn":
            TEARS[real.__qualname__](*args, **kwargs)
            die()
        if mine and when == "before":
            die()
        value = real(*args, **kwargs)
        if mine and when == "after":
            die()
        return value

    return armed


# -- half of what would be written, as a kill in the middle of the system call leaves it


def _tear_append(log: Any, row: Any) -> None:
    from dmb.canonical import json_line

    line = json_line(row.model_dump(mode="json", exclude_none=True)).encode("ascii")
    with log._lock:
        log._file.write(line[: len(line) // 2])


def _tear_write_all(fd: int, data: bytes) -> None:
    os.write(fd, data[: len(data) // 2])


def _tear_part(path: Path, data: bytes) -> None:
    path.with_name(f".{path.name}.0123456789abcdef.part").write_bytes(data[: len(data) // 2])


TEARS: dict[str, Callable[..., None]] = {
    "AttemptLog.append": _tear_append,
    "_write_all": _tear_write_all,
    "write_part": _tear_part,
}


if __name__ == "__main__":
    sys.path[0] = str(Path.cwd())
    arm("ask")
    runpy.run_module("dmb", run_name="__main__", alter_sys=True)
