"""Stop marks are seen before the next attempt on this host, and within a second or two on others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dmb.engine import stops
from dmb.engine.stops import EVERY_LANE, RUN_STOPPED, Stops
from dmb.store.runs import OWNER_GONE, mark, stops_dir


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("made", [False, True])
def test_a_mark_is_seen_at_the_next_look(made):
    if made:
        stops_dir("r1").mkdir(parents=True)
    lane = Stops("r1", "openai", billed=True)
    assert lane.reason() is lane.lane_reason() is None
    mark("r1", "provider.another", "x")
    assert lane.reason() is None
    mark("r1", "provider.openai", "authentication: refused")
    assert lane.reason() == "authentication: refused"
    mark("r1", OWNER_GONE, "its owner is gone")
    assert lane.reason() == RUN_STOPPED and lane.lane_reason() == "authentication: refused"


def test_a_stop_for_all_who_bill_is_none_for_the_others():
    paid, free = (Stops("r1", "p", billed) for billed in (True, False))
    paid.stop_every_lane("budget: used up")
    assert (paid.reason(), free.reason()) == ("budget: used up", None)
    assert (stops_dir("r1") / EVERY_LANE).exists()


def settled(monkeypatch) -> list[float]:
    """The folder has been still for long; returns the clock, to be moved on."""
    os.utime(stops_dir("r1"), (1, 1))
    clock = [1000.0]
    monkeypatch.setattr(stops.time, "monotonic", lambda: clock[0])
    return clock


def test_what_another_host_has_written_is_seen_though_the_folders_time_is_an_old_one(monkeypatch):
    stops_dir("r1").mkdir(parents=True)
    clock = settled(monkeypatch)
    lane = Stops("r1", "p", billed=True)
    assert lane.reason() is None
    mark("r1", OWNER_GONE, "gone")
    # as a file server's client answers that has not asked for a while
    os.utime(stops_dir("r1"), (1, 1))
    assert lane.reason() is None
    clock[0] += stops.LISTED_EACH_S
    assert lane.reason() == RUN_STOPPED


def test_while_nothing_changes_the_folder_is_listed_once_a_second(monkeypatch):
    stops_dir("r1").mkdir(parents=True)
    clock = settled(monkeypatch)
    listed = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(path) or scandir(path))
    lane = Stops("r1", "p", billed=True)
    for _ in range(300):
        lane.reason()
        clock[0] += 0.01
    assert len(listed) in (3, 4)
