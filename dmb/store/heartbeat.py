"""One light thread a process that says every few seconds, for all that the process owns, that it lives."""

from __future__ import annotations

import contextlib
import os
import signal
import threading

from dmb.store.claims import Claim

#: So often. A small file replaced, without a sync, and one look into its folder.
BEAT_S = 5.0


class Heart:
    """Beats while there is something to beat for. Daemonic: it keeps no process alive."""

    def __init__(self, beat_s: float = BEAT_S) -> None:
        self._beat_s = beat_s
        self._claims: list[Claim] = []
        # a signal's handler may end all while the same thread adds one
        self._guard = threading.RLock()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()

    def add(self, claim: Claim) -> None:
        """From now on, until it ends."""
        with self._guard:
            self._claims.append(claim)
            if self._thread is None or not self._thread.is_alive():
                self._wake = threading.Event()
                self._thread = threading.Thread(target=self._beat, args=[self._wake], name="heartbeat", daemon=True)
                self._thread.start()

    def end(self, claim: Claim) -> None:
        """Its last word is that it has ended; where it cannot be written, its lock and its process say so."""
        with self._guard:
            if claim in self._claims:
                self._claims.remove(claim)
                with contextlib.suppress(OSError):
                    claim.end()
            if not self._claims:
                self._wake.set()
                self._thread = None

    def end_all(self) -> None:
        """Before a process leaves in haste."""
        with self._guard:
            for claim in list(self._claims):
                self.end(claim)

    def _beat(self, wake: threading.Event) -> None:
        while not wake.wait(self._beat_s):
            with self._guard:
                for claim in self._claims:
                    # a file system that does not answer now may do so later; until then this looks silent, not dead
                    with contextlib.suppress(OSError):
                        claim.beat()


#: That of this process.
HEART = Heart()


def leave_in_order_on_sigterm() -> None:
    """A scheduler that cancels a job says so before it kills: then the job's last word is that it has ended."""

    def leave(number: int, _frame: object) -> None:
        HEART.end_all()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, leave)
