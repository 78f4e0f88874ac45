"""Hosts made up on one kernel: a name and a boot id of their own, and, where it can be had, locks of their own.

The name is a UTS namespace's, the boot id a file mounted over the kernel's, the locks those of a FUSE mount of the same
folder for each host, which is what a file system without shared locks is.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

_ENTER = 'hostname "$1" && mount --bind "$2" /proc/sys/kernel/random/boot_id && shift 2 && exec "$@"'


@cache
def why_not() -> str | None:
    """Why no host can be made up here; None where it can."""
    if shutil.which("unshare") is None:
        return "there is no unshare"
    tried = subprocess.run(["unshare", "--mount", "--uts", "hostname", "made-up"], capture_output=True, text=True)
    return tried.stderr.strip() or None if tried.returncode else None


def on_host(name: str, scratch: Path, *command: str) -> list[str]:
    """The command, to be carried out on that host; ``scratch`` keeps its boot id."""
    boot = scratch / f"boot.{name}"
    boot.write_text(f"00000000-0000-0000-0000-{name}\n")
    return ["unshare", "--mount", "--uts", "sh", "-c", _ENTER, "sh", name, str(boot), *command]


def python_on(name: str, scratch: Path, *args: str) -> list[str]:
    """The same for this Python."""
    return on_host(name, scratch, sys.executable, *args)


def needs_hosts() -> None:
    """Skip where none can be made up."""
    if (why := why_not()) is not None:
        pytest.skip(f"no host can be made up: {why}")


@contextmanager
def mounted_twice(scratch: Path) -> Iterator[tuple[Path, Path]]:
    """Two mounts of one folder whose locks do not reach each other. Skips where bindfs or FUSE is missing."""
    needs_hosts()
    if shutil.which("bindfs") is None or not Path("/dev/fuse").exists():
        pytest.skip("no file system with locks of its own for each host: bindfs or /dev/fuse is missing")
    real, *mounts = (scratch / name for name in ("real", "north", "south"))
    for folder in (real, *mounts):
        folder.mkdir()
    try:
        for folder in mounts:
            # as on a network: attributes are believed for a second
            subprocess.run(
                ["bindfs", "-o", "attr_timeout=1,entry_timeout=1,negative_timeout=1", real, folder], check=True
            )
        yield mounts[0], mounts[1]
    finally:
        for folder in mounts:
            subprocess.run(["umount", "--lazy", folder], capture_output=True)
