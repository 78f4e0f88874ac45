"""The same work in several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType


class _HandedOver:
    """Keeps what is raised within it, for whoever waits for the thread."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> bool:
        self.error = error
        return True


def in_threads(work: Callable[[], None], n_threads: int) -> None:
    """Return when all of them have ended; raise what one of them has raised.

    One is the caller's own. The standard library's pool does the same at twice the start-up time.
    """
    handed_over = [_HandedOver() for _ in range(n_threads - 1)]

    def caught(by: _HandedOver) -> None:
        with by:
            work()

    others = [threading.Thread(target=caught, args=(by,)) for by in handed_over]
    for thread in others:
        thread.start()
    try:
        work()
    finally:
        for thread in others:
            thread.join()
    for by in handed_over:
        if by.error is not None:
            raise by.error
