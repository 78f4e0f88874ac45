"""A model that is served on this machine for the length of one cell."""

from __future__ import annotations

import http.client
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from dmb.errors import DmbError

#: Longer than any local server here has needed; a model that loads for longer says so in its own log.
READY_WITHIN_S = 60.0


class ServedModel:
    """Starts the entry's ``serve`` line on a free port, waits for its health path, and ends it by its process id.

    The child gets its own process group, so that whatever it starts ends with it; its output goes to ``log``.
    ``withheld``: variables that it does not inherit: keys are no business of a model on this machine.
    """

    def __init__(
        self, command: str, health: str, env: Mapping[str, str], log: Path, withheld: Collection[str] = ()
    ) -> None:
        self._port = _free_port()
        self.address = f"http://127.0.0.1:{self._port}"
        words = [w.replace("{port}", str(self._port)) for w in shlex.split(command)]
        # the tool that belongs to this Python, whether or not its folder is on PATH
        beside = Path(sys.executable).parent / words[0]
        if beside.exists():
            words[0] = str(beside)
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log
        with log.open("ab") as out:
            try:
                self._child = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    env={**{name: v for name, v in os.environ.items() if name not in withheld}, **env},
                    preexec_fn=_end_with_parent,
                )
            except OSError as e:
                raise DmbError(
                    f"serve: {words[0]!r} cannot be started ({e.strerror}); is its package installed?"
                ) from None
        self._wait(health)

    def _wait(self, health: str) -> None:
        deadline = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline:
            if (code := self._child.poll()) is not None:
                raise DmbError(f"serve: the server ended with code {code} before it was ready; its output: {self._log}")
            if self._answers(health):
                return
            time.sleep(0.02)
        self.close()
        raise DmbError(f"serve: not ready within {READY_WITHIN_S:.0f} s; its output: {self._log}")

    def _answers(self, health: str) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=2.0)
        try:
            connection.request("GET", health)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def ended_with(self) -> int | None:
        """Exit code of a server that has ended by itself; None while it lives."""
        return self._child.poll()

    def close(self) -> None:
        """End the server and wait until it is gone."""
        if self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _end_with_parent() -> None:
    """Linux: the server gets SIGTERM when the asking process dies, even by SIGKILL; elsewhere it may stay."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig, sigterm = 1, 15
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, sigterm)
