"""Decisions in the order in which they come, put into the order of the questions at the end."""

from __future__ import annotations

import os
import threading
from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from dmb.contracts.decision import Decision
from dmb.store.row_bytes import row_bytes

_NOWHERE = 2**64 - 1


class DecisionSpool:
    """Keeps a decision's place in a file instead of the decision. Thread-safe."""

    def __init__(self, path: Path, n_questions: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._part = path, path.with_name(f".{path.name}.{os.getpid()}.spool")
        self._file = self._part.open("wb+")
        self._at = array("Q", [_NOWHERE]) * n_questions
        self._end = 0
        self._lock = threading.Lock()
        self.outcomes: Counter[str] = Counter()

    def put(self, n: int, decision: Decision) -> None:
        """The decision of the nth question."""
        line = row_bytes(decision)
        with self._lock:
            self._at[n] = self._end
            self._end += self._file.write(line)
            self.outcomes[decision.outcome] += 1

    def finish(self, otherwise: Callable[[int], Decision]) -> None:
        """Write the decisions file whole; ``otherwise`` makes the decision of a question that none was put for."""
        for n, at in enumerate(self._at):
            if at == _NOWHERE:
                self.put(n, otherwise(n))
        whole = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        with whole.open("wb") as out:
            for at in self._at:
                self._file.seek(at)
                out.write(self._file.readline())
            out.flush()
            os.fsync(out.fileno())
        whole.replace(self._path)

    def close(self) -> None:
        """Drop the spool."""
        self._file.close()
        self._part.unlink(missing_ok=True)
