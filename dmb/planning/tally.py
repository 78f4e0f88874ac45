"""What the rows of a log come to while it is still being written. Pure."""

from __future__ import annotations

import datetime as dt
from collections import Counter, deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dmb.contracts.attempt import Attempt, Failure
from dmb.engine.decide import Key, is_finished


@lru_cache(maxsize=1024)
def _seen(outcome: Any, cause: Any, origin: str | None, failure_kind: Any) -> Attempt:
    """As much of an attempt as says whether its item is finished; the row was checked when it was written."""
    failure = None if failure_kind is None else Failure.model_construct(kind=failure_kind)
    return Attempt.model_construct(outcome=outcome, cause=cause, origin=origin, failure=failure)


class Tally:
    """What the rows of one cell's log come to, taken one by one as they are written."""

    def __init__(self, retries: tuple[int, int]) -> None:
        self.n_done = self.n_taken_over = self.n_unreadable = 0
        self.outcomes: Counter[str] = Counter()
        #: Epoch seconds: when this run sent its first attempt.
        self.first_sent: float | None = None
        self._retries = retries
        self._open: dict[Key, list[Attempt]] = {}
        self._done: set[Key] = set()
        self._ends: deque[float] = deque()
        self._noted = False

    def took_over(self, outcomes: Mapping[str, int]) -> None:
        """What the cell began with, as it has noted it. The rows themselves come into its log at its end."""
        if not self._noted:
            self._noted = True
            self.outcomes.update(outcomes)
            self.n_taken_over += sum(outcomes.values())
            self.n_done += sum(outcomes.values())

    def take(self, row: Mapping[str, Any]) -> None:
        """One row as JSON has it. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for what is no attempt."""
        key = (row["item"], row.get("permutation", 0), row.get("repeat", 0))
        sent = dt.datetime.fromisoformat(row["timing"]["sent_at"]).timestamp()
        failure = row.get("failure")
        seen = _seen(row["outcome"], row.get("cause", "first"), row.get("origin"), failure["kind"] if failure else None)
        if seen.origin is None and (self.first_sent is None or sent < self.first_sent):
            self.first_sent = sent
        if key in self._done or (self._noted and seen.origin is not None):
            return
        attempts = self._open.setdefault(key, [])
        attempts.append(seen)
        if not is_finished(attempts, *self._retries):
            return
        del self._open[key]
        self._done.add(key)
        self.n_done += 1
        self.outcomes[seen.outcome] += 1
        if all(a.origin is not None for a in attempts):
            self.n_taken_over += 1
        else:
            self._ends.append(sent + ((row["timing"].get("request_ms") or 0.0) / 1000))

    def done_since(self, then: float, now: float) -> int:
        """How many rows this run finished between the two. Epoch seconds."""
        return sum(then < end <= now for end in self._ends)

    def forget(self, before: float) -> None:
        """Rows that ended before then are not asked for any more."""
        while self._ends and self._ends[0] <= before:
            self._ends.popleft()
