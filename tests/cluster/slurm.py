"""The cluster that `scripts/minislurm.sh` starts, as a user and as its misfortunes know it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.conftest import PROJECT

MINISLURM = str(PROJECT / "scripts/minislurm.sh")


class Slurm:
    """One that runs. ``folder``: its configuration, state and logs."""

    def __init__(self, folder: Path) -> None:
        self.env = {"SLURM_CONF": str(folder / "slurm.conf"), "MINISLURM_DIR": str(folder)}

    def jobs(self, *states: str) -> dict[str, tuple[str, str]]:
        """Id -> (state, node) of the jobs in these states; all that are known without any."""
        chosen = f"--states={','.join(states) or 'all'}"
        lines = self._call("squeue", "--noheader", chosen, "--format=%A %T %N").splitlines()
        return {words[0]: (words[1], words[2] if len(words) > 2 else "") for words in map(str.split, lines)}

    def cancel(self, job: str) -> None:
        """`scancel`."""
        self._call("scancel", job)

    def lose(self, node: str) -> None:
        """The node's daemon and all that worked there are gone."""
        self._call(MINISLURM, "lose", node.removeprefix("n"))

    def revive(self, node: str) -> None:
        """It is there again, and takes jobs."""
        self._call(MINISLURM, "revive", node.removeprefix("n"))
        until(lambda: self._state(node) in ("idle", "mixed"), about=lambda: self._state(node))

    def until_quiet(self) -> None:
        """No job waits or works any more."""
        until(lambda: not self.jobs("PENDING", "RUNNING", "COMPLETING"))

    def _state(self, node: str) -> str:
        return self._call("sinfo", "--noheader", f"--nodes={node}", "--format=%T").strip()

    def _call(self, *command: str) -> str:
        env = {**os.environ, **self.env}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout


def until(condition: Callable[[], bool], seconds: float = 90.0, about: Callable[[], str] = str) -> None:
    """Wait for it. ``about``: what is said where nothing comes of it."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"nothing came of it: {about()}"
        time.sleep(0.1)
