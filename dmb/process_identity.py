"""Who a process is, so that a file can name it: host, boot, process id and start.

A process id alone comes round again, and so does a host's name. Linux; elsewhere what cannot be known is None.
"""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MACHINE = Path("/etc/machine-id")


def boot_id() -> str | None:
    """Drawn anew by the kernel at each boot; containers on one kernel share it."""
    return _text(_BOOT)


def machine_id() -> str | None:
    """Of the installed system. Machines that were copied may share it, as they may share a name."""
    return _text(_MACHINE)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip() or None
    except OSError:
        return None


def _pid_namespace() -> str | None:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return None


def start_ticks(pid: int) -> int | None:
    """When a process began, in clock ticks since the boot; None where there is none, or it has ended unburied."""
    try:
        # pid (name) state ppid ...; a name may hold blanks and brackets
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def who_i_am() -> dict[str, Any]:
    """What an owner file says of its process."""
    pid = os.getpid()
    return {
        "host": socket.gethostname(),
        "machine": machine_id(),
        "boot": boot_id(),
        "pid": pid,
        "pid_namespace": _pid_namespace(),
        "started": start_ticks(pid),
    }


def is_there(owner: dict[str, Any]) -> bool | None:
    """Whether the process lives, where this one can see it: same boot, same process ids. None: it cannot be seen."""
    started, pid, namespace = owner.get("started"), owner.get("pid"), owner.get("pid_namespace")
    if not (isinstance(started, int) and isinstance(pid, int)) or namespace is None or owner.get("boot") is None:
        return None
    if owner["boot"] != boot_id() or namespace != _pid_namespace():
        return None
    return start_ticks(pid) == started


def booted_at_s() -> float | None:
    """When this host's kernel began, in seconds since the epoch by its present clock."""
    try:
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    except (AttributeError, OSError):
        return None
