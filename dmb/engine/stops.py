"""Stop marks of a run: what they cover, and which of them holds for a lane now."""

from __future__ import annotations

import os
from pathlib import Path

from dmb.store.runs import OWNER_GONE, mark, stops_dir

#: The run's owner is gone: nothing is asked and no receipt is written, since its path belongs to the next run.
RUN_STOPPED = "run stopped"

#: The mark beside ``OWNER_GONE`` and those of the lanes, ``provider.<lane>``.
EVERY_LANE = "every-lane"


def lane_mark(lane: str) -> str:
    """The name of the mark that stops one lane."""
    return f"provider.{lane}"


class Stops:
    """As one lane of one run sees them. Marks are files, so that processes and hosts see each other's."""

    def __init__(self, run: str, lane: str, billed: bool) -> None:
        self._run, self._lane_mark = run, lane_mark(lane)
        folder = stops_dir(run)
        # as texts: they are looked at before every attempt, and a path takes three times as long
        self._owner_gone = str(folder / OWNER_GONE)
        # what costs nothing may go on where the money has run out
        names = (EVERY_LANE, self._lane_mark) if billed else (self._lane_mark,)
        self._lane_marks = [str(folder / name) for name in names]

    def reason(self) -> str | None:
        """Why nothing may be asked any more; None while it may."""
        if os.path.exists(self._owner_gone):  # noqa: PTH110
            return RUN_STOPPED
        return self.lane_reason()

    def lane_reason(self) -> str | None:
        """The same without regard to the run's owner."""
        for path in self._lane_marks:
            if os.path.exists(path):  # noqa: PTH110
                return Path(path).read_text(encoding="utf-8").strip()
        return None

    def stop_lane(self, reason: str) -> None:
        """This provider is asked nothing more in this run, in whatever cell."""
        mark(self._run, self._lane_mark, reason)

    def stop_every_lane(self, reason: str) -> None:
        """Nobody who sends a bill is asked any more in this run."""
        mark(self._run, EVERY_LANE, reason)
