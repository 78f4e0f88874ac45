"""Owner files over hosts: ``<stem>.<n>.json`` says who took a thing as the nth, and lives while he does.

The file with the highest number counts. It is made exclusively, so of two hosts that find the one before it free only one
becomes the next; each is written by its owner alone, and none is ever deleted, so that an old listing misleads nobody.
``<stem>.<n>.dead.json`` is the user's word that the nth owner is gone.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dmb.errors import DamagedFile
from dmb.mounts import mount_of
from dmb.process_identity import who_i_am
from dmb.store.files import load_json, pretty_json, write_once, write_part
from dmb.takeover import Verdict, device_of, facts_of, heartbeat_of, verdict


class Owner(NamedTuple):
    """The last one that a folder names. ``n`` is 0 for a file of before there were numbers."""

    n: int
    said: Mapping[str, Any]
    ended: bool

    def standing(self, folder: Path, lock_is_free: bool) -> Verdict:
        """Whether what it holds may be taken over, as far as can be seen from here."""
        return verdict(facts_of(self.said, folder, lock_is_free, self.ended))

    def text(self, now: dt.datetime) -> str:
        """Run, process, host, and when it was last heard of."""
        of_run = f"run {self.said['run']}, " if self.said.get("run") else ""
        return f"{of_run}process {self.said.get('pid', '?')} on {self.said.get('host', '?')}{self._heard(now)}"

    def _heard(self, now: dt.datetime) -> str:
        beat = heartbeat_of(self.said)
        # its clock and ours may differ by a little
        return "" if beat is None else f", last heartbeat {age_text((now - beat).total_seconds())} ago"


def age_text(seconds: float) -> str:
    """Such as ``12 s``, ``4 min``, ``3 h``, ``2 d``."""
    for length, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def last_owner(folder: Path, stem: str) -> Owner | None:
    """Who took it last; None where nobody ever did, or his file cannot be read."""
    numbers, dead = _numbers(folder, stem)
    if not numbers:
        before = folder / f"{stem}.json"
        return Owner(0, _read(before), ended=0 in dead) if before.exists() else None
    n = max(numbers)
    said = _read(folder / f"{stem}.{n}.json")
    return Owner(n, said, ended="ended" in said or n in dead)


def _numbers(folder: Path, stem: str) -> tuple[set[int], set[int]]:
    """Numbers that were taken, and those that were declared dead. Opening a folder asks a file server what is new in it."""
    pattern = re.compile(re.escape(stem) + r"\.([0-9]+)(\.dead)?\.json")
    taken: set[int] = set()
    dead: set[int] = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if found := pattern.fullmatch(entry.name):
                    (dead if found[2] else taken).add(int(found[1]))
    except FileNotFoundError:
        pass
    return taken, dead


def _read(path: Path) -> dict[str, Any]:
    try:
        value = load_json(path)
    except (DamagedFile, OSError):
        # whose it is cannot be told, so nobody takes it
        return {}
    whole = isinstance(value, dict) and isinstance(value.get("run", ""), str)
    return value if whole else {}


def is_declared_dead(folder: Path, stem: str, n: int) -> bool:
    """Whether the user has said that the nth owner is gone."""
    return n in _numbers(folder, stem)[1]


def declare_dead(folder: Path, stem: str, n: int, by: Mapping[str, Any]) -> None:
    """Write the user's word down. What was declared before stays."""
    with contextlib.suppress(FileExistsError):
        write_once(folder / f"{stem}.{n}.dead.json", pretty_json(dict(by)))


class Claim:
    """This process as the owner of a thing, from its making until ``end``. Raises ``FileExistsError`` where another
    process, on whatever host, became the nth owner first."""

    def __init__(self, folder: Path, stem: str, n: int, run: str | None = None) -> None:
        self.path, self._folder, self._stem, self.n = folder / f"{stem}.{n}.json", folder, stem, n
        mount = mount_of(folder)
        self.said: dict[str, Any] = {
            **who_i_am(),
            **({"run": run} if run is not None else {}),
            "device": device_of(folder),
            "mount": mount.text if mount is not None else None,
            "taken_at": _now(),
            "heartbeat": _now(),
        }
        #: Somebody was told that this owner is dead: it must not go on.
        self.lost = False
        _make_exclusively(self.path, pretty_json(self.said))

    def beat(self) -> None:
        """Say that this process lives, and look whether anybody has taken its place. Raises ``OSError``."""
        taken, dead = _numbers(self._folder, self._stem)
        if self.n in dead or max(taken, default=self.n) > self.n:
            self.lost = True
            return
        self.said["heartbeat"] = _now()
        self._write()

    def end(self) -> None:
        """Say that it has ended, so that every host may take over at once."""
        self.said["ended"] = _now()
        if not self.lost:
            self._write()

    def _write(self) -> None:
        # without a sync: should the host fall now, its boot tells that this process is gone
        part = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.part")
        part.write_bytes(pretty_json(self.said))
        part.replace(self.path)


def _make_exclusively(path: Path, data: bytes) -> None:
    part = write_part(path, data)
    try:
        os.link(part, path)
    except FileExistsError:
        # a server whose answer was lost is asked again, and finds what it has made itself
        if part.stat().st_nlink != 2:
            raise
    except OSError as e:
        raise OSError(e.errno or errno.EIO, f"hard links: {e.strerror}", str(path)) from None
    finally:
        part.unlink(missing_ok=True)


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
