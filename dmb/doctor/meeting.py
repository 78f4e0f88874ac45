"""Processes on several hosts that meet in a folder and take every step together, by files alone."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

from dmb.errors import DmbError, UsageError
from dmb.store.files import write_once

#: How often the folder is listed for what others have put there.
POLL_S = 0.005


class Meeting:
    """``n`` processes that were told the same folder. Each gets a number; the first one is 0.

    Raises ``UsageError`` where they are complete without this one, ``DmbError`` where some do not come in ``wait_s``.
    """

    def __init__(self, folder: Path, n: int, wait_s: float, me: dict[str, Any]) -> None:
        self.folder, self.n, self._wait_s = folder, n, wait_s
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(n):
            try:
                write_once(folder / f"hello.{number}", json.dumps(me).encode("utf-8"))
            except FileExistsError:
                continue
            self.number = number
            break
        else:
            raise UsageError(
                f"{folder}: {n} processes have met here before; give another --token, or delete the folder"
            )
        self.members: list[dict[str, Any]] = self._all("hello")

    def share(self, step: str, value: Any = None) -> list[Any]:
        """Put one's own value there and wait for everybody's, in the order of their numbers."""
        write_once(self.folder / f"{step}.{self.number}", json.dumps(value).encode("utf-8"))
        return self._all(step)

    def leave(self) -> None:
        """Nothing is read after this; the first one waits for the others and removes the folder."""
        if self.number:
            write_once(self.folder / f"bye.{self.number}", b"null")
            return
        write_once(self.folder / "bye.0", b"null")
        self._all("bye")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _all(self, step: str) -> list[Any]:
        wanted = {f"{step}.{k}" for k in range(self.n)}
        deadline = time.monotonic() + self._wait_s
        while missing := wanted - listed(self.folder):
            if time.monotonic() > deadline:
                raise DmbError(
                    f"{self.folder}: {len(missing)} of {self.n} processes did not come as far as {step!r} in "
                    f"{self._wait_s:g} s; start as many as --peers says, with one --token, in the same folder"
                )
            time.sleep(POLL_S)
        return [json.loads((self.folder / f"{step}.{k}").read_bytes()) for k in range(self.n)]


def listed(folder: Path) -> set[str]:
    """Names in a folder. It is opened, which asks a file server what is new in it."""
    with os.scandir(folder) as entries:
        return {e.name for e in entries}
