"""The few things that shared state does with a file system, as arguments of the trials."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dmb.kernel_lock import KernelLock
from dmb.store.files import write_whole


def create(path: Path) -> bool:
    """By ``O_EXCL``; whether it was made now."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
    except FileExistsError:
        return False
    return True


def make_folder(path: Path) -> bool:
    """By ``mkdir``."""
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True


def link(path: Path) -> bool:
    """By a hard link to a file that is whole."""
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    part.write_bytes(b"whole")
    try:
        os.link(part, path)
    except FileExistsError:
        return part.stat().st_nlink == 2
    finally:
        part.unlink()
    return True


def append(path: Path, data: bytes) -> None:
    """In one write, to the end as it is then."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def sync(path: Path) -> None:
    """A file or a folder, onto the disk."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@dataclass(frozen=True, slots=True)
class Primitives:
    """As this host has them."""

    create: Callable[[Path], bool] = create
    make_folder: Callable[[Path], bool] = make_folder
    link: Callable[[Path], bool] = link
    replace: Callable[[Path, bytes], None] = write_whole
    append: Callable[[Path, bytes], None] = append
    sync: Callable[[Path], None] = sync
    lock: Callable[[Path], KernelLock] = KernelLock

    @property
    def exclusive(self) -> dict[str, Callable[[Path], bool]]:
        """The ways to make what nobody else has made."""
        return {"O_EXCL": self.create, "mkdir": self.make_folder, "link": self.link}


REAL = Primitives()
