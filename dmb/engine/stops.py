"""Stop marks of a run: what they cover, and which of them holds for a lane now."""

from __future__ import annotations

import os
import time

from dmb.store.run_state import OWNER_GONE, marks_in, stops_dir
from dmb.store.runs import mark

#: The run's owner is gone, or has closed it: nothing is asked and no receipt is written, since its path belongs to the next run.
RUN_STOPPED = "run stopped"

#: The mark beside ``OWNER_GONE`` and those of the lanes, ``provider.<lane>``.
EVERY_LANE = "every-lane"

#: The folder is opened and listed at least this often: only an open asks a file server what other hosts have put there.
LISTED_EACH_S = 1.0

#: A folder's time moves in steps of this size at most, on a disk; what changed so lately may have changed again unseen.
TICK_S = 0.05


def lane_mark(lane: str) -> str:
    """The name of the mark that stops one lane."""
    return f"provider.{lane}"


class Stops:
    """As one lane of one run sees them. Marks are files, so that processes and hosts see each other's.

    A mark of this host is seen at once, by the folder's time; another host's within ``LISTED_EACH_S``.
    """

    def __init__(self, run: str, lane: str, billed: bool) -> None:
        self._run, self._lane_mark = run, lane_mark(lane)
        self._folder = stops_dir(run)
        self._path = str(self._folder)
        # what costs nothing may go on where the money has run out
        self._lane_marks = (EVERY_LANE, self._lane_mark) if billed else (self._lane_mark,)
        #: The folder's time, until when that is believed, and the marks that were there. Replaced whole: threads share it.
        self._seen: tuple[int, float, frozenset[str]] = (-1, 0.0, frozenset())

    def reason(self) -> str | None:
        """Why nothing may be asked any more; None while it may."""
        marks = self._marks()
        if not marks:
            return None
        return RUN_STOPPED if OWNER_GONE in marks else self._lane_reason(marks)

    def lane_reason(self) -> str | None:
        """The same without regard to the run's owner."""
        return self._lane_reason(self._marks())

    def _lane_reason(self, marks: frozenset[str]) -> str | None:
        for name in self._lane_marks:
            if name in marks:
                return (self._folder / name).read_text(encoding="utf-8").strip()
        return None

    def _marks(self) -> frozenset[str]:
        try:
            changed = os.stat(self._path).st_mtime_ns  # noqa: PTH116  (for every attempt, at a third of the price)
        except FileNotFoundError:
            changed = -1
        then, until, marks = self._seen
        if changed == then and time.monotonic() < until:
            return marks
        marks = marks_in(self._run)
        settled = time.time_ns() - changed > TICK_S * 1e9
        self._seen = (changed, time.monotonic() + LISTED_EACH_S if settled else 0.0, marks)
        return marks

    def stop_lane(self, reason: str) -> None:
        """This provider is asked nothing more in this run, in whatever cell."""
        mark(self._run, self._lane_mark, reason)

    def stop_every_lane(self, reason: str) -> None:
        """Nobody who sends a bill is asked any more in this run."""
        mark(self._run, EVERY_LANE, reason)
