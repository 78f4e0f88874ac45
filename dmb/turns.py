"""Threads of one process that take turns: one works, and whoever waits for somebody else lets the others.

The interpreter runs one thread at a time anyway. Left to itself it hands over at every system call, which comes to ten
switches a request where a lane's replies arrive together; taking turns, it is half of that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext

#: Where no other thread could work meanwhile.
NOBODY_ELSE = nullcontext()


class Turns:
    """``with turns:`` works, ``with turns.waiting:`` inside of it waits. Where no turn is held, waiting gives none up."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder: int | None = None
        self.waiting = _Waiting(self)

    def __enter__(self) -> Turns:
        self._lock.acquire()
        self._holder = threading.get_ident()
        return self

    def __exit__(self, *_: object) -> None:
        # whoever was interrupted while it waited for its turn has none to give back
        if self.is_mine():
            self._holder = None
            self._lock.release()

    def is_mine(self) -> bool:
        """Whether this thread holds the turn."""
        return self._holder == threading.get_ident()

    def while_waiting(self, sleep: Callable[[float], None]) -> Callable[[float], None]:
        """The same sleep, during which others work."""

        def sleeps(seconds: float) -> None:
            with self.waiting:
                sleep(seconds)

        return sleeps


class _Waiting:
    """May be entered by several threads at once; what each gave up is its own to take back."""

    def __init__(self, turns: Turns) -> None:
        self._turns, self._gave_up = turns, threading.local()

    def __enter__(self) -> None:
        mine = self._turns.is_mine()
        self._gave_up.it = mine
        if mine:
            self._turns.__exit__()

    def __exit__(self, *_: object) -> None:
        if self._gave_up.it:
            self._turns.__enter__()
