"""On which file system a folder lies, with which options, and what is known of its kind. Linux."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_TABLE = Path("/proc/self/mountinfo")

_NETWORK = ("nfs", "nfs4")


class Mount(NamedTuple):
    """One line of the table: where, which kind, from where, and the options of mount and file system."""

    point: str
    kind: str
    source: str
    options: tuple[str, ...]

    @property
    def text(self) -> str:
        """One line that is the same for as long as the mount is."""
        return f"{self.kind} {self.source} {','.join(self.options)}"

    def option(self, name: str) -> str | None:
        """The value behind ``name=``; empty for a bare word; None where it is not there."""
        for option in self.options:
            key, _, value = option.partition("=")
            if key == name:
                return value
        return None


def parse_mounts(table: str) -> list[Mount]:
    """The lines of ``/proc/self/mountinfo`` (proc(5)); what is no such line is left out."""
    found = []
    for line in table.splitlines():
        left, _, right = line.partition(" - ")
        before, after = left.split(" "), right.split(" ")
        if len(before) >= 6 and len(after) >= 3:
            options = dict.fromkeys([*before[5].split(","), *after[2].split(",")])
            found.append(Mount(_plain(before[4]), after[0], _plain(after[1]), tuple(sorted(o for o in options if o))))
    return found


def _plain(text: str) -> str:
    """Blanks and their like stand there as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), text)


def mount_among(mounts: list[Mount], path: str) -> Mount | None:
    """The one that an absolute path lies on: the longest, and of those the last, which covers the others."""
    inside = [m for m in mounts if path == m.point or path.startswith(m.point.rstrip("/") + "/")]
    return max(enumerate(inside), key=lambda m: (len(m[1].point), m[0]))[1] if inside else None


def mount_of(folder: Path) -> Mount | None:
    """The mount that a folder lies on; None where nobody says."""
    try:
        table = _TABLE.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return mount_among(parse_mounts(table), str(folder.resolve()))


def local_locks(mount: Mount) -> str | None:
    """Why a lock on this mount excludes nobody on another host, as far as its options say so; None where they do not."""
    if mount.kind in _NETWORK and mount.option("local_lock") in ("all", "flock"):
        return f"{mount.kind} mounted with local_lock={mount.option('local_lock')}"
    if mount.kind == "nfs" and mount.option("nolock") is not None:
        return "nfs mounted with nolock"
    if mount.kind == "lustre" and mount.option("localflock") is not None:
        return "lustre mounted with localflock"
    return None


def notes_on(mount: Mount) -> list[str]:
    """What is to be known of a kind of file system before it is shared. Empty for a plain disk."""
    kind = mount.kind
    found = [f"{why}: locks hold within one host only"] if (why := local_locks(mount)) is not None else []
    if kind in _NETWORK:
        slow = mount.option("lookupcache")
        if slow not in ("none", "pos", "positive"):
            found.append(
                "names that are not there yet are remembered for up to acdirmax (60 s): DMB lists folders instead"
            )
        if mount.option("nocto") is not None:
            found.append("nocto: what another host wrote may stay unseen; mount without it")
        if mount.option("soft") is not None:
            found.append("soft: a server that is slow makes writes fail; mount with hard")
    if kind == "lustre" and mount.option("flock") is None and mount.option("localflock") is None:
        found.append("lustre without flock: locks are refused; mount with -o flock")
    if kind == "overlay":
        found.append("overlay: belongs to one host or container, and is shared with nobody")
    if kind in ("9p", "virtiofs"):
        found.append(f"{kind}: locks may end at the guest; run `dmb doctor --peers` in both")
    if kind in ("cifs", "smb3", "smbfs"):
        found.append(f"{kind}: hard links and locks depend on the server and the options")
    if kind.startswith("fuse"):
        found.append(f"{kind}: locks may be kept in each mount for itself; run `dmb doctor --peers`")
    if kind in ("tmpfs", "ramfs"):
        found.append(f"{kind}: is lost at the next boot, and what was paid for with it")
    return found
