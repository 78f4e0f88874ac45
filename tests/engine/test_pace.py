"""Limits per minute and rolling allowances: never more in any window, over threads and processes."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.contracts.attempt import Usage
from dmb.contracts.contender import Allowance, Limits
from dmb.engine.pace import SLICES, Pace, Window, wait_s, windows_of
from dmb.engine.stopped import LaneStopped, Stopped
from tests.conftest import PROJECT


class Clock:
    """Time goes on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.slept = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def pace(folder: Path, clock: Clock, may_ask=lambda: None, cap: int = 0, **limits) -> Pace:
    return Pace([(folder / "pace.json", windows_of(Limits(**limits)))], cap, clock, clock.sleep, may_ask)


def test_the_windows_of_an_entry():
    limits = Limits(
        requests_per_minute=30,
        tokens_per_minute=9000,
        allowances=(Allowance(calls=100, hours=5), Allowance(usd="2.50", hours=24.0, when_used_up="stop")),
    )
    assert windows_of(limits) == (
        Window("calls", Decimal(30), 60.0, False),
        Window("tokens", Decimal(9000), 60.0, False),
        Window("calls", Decimal(100), 18000.0, False),
        Window("usd", Decimal("2.50"), 86400.0, True),
    )
    assert windows_of(Limits()) == ()
    assert [w.text for w in windows_of(limits)] == [
        "30 calls in a minute",
        "9000 tokens in a minute",
        "100 calls in 5 h",
        "2.5 usd in 24 h",
    ]


def test_the_request_above_the_limit_waits_for_the_minute_to_pass(tmp_path):
    clock = Clock()
    lane = pace(tmp_path, clock, requests_per_minute=3)
    for _ in range(3):
        lane.wait("{}")
    assert clock.slept == 0
    lane.wait("{}")
    # the slice in which the first three were asked leaves as a whole
    assert 60 <= clock.slept <= 60 + 60 / SLICES + 0.5


def test_tokens_are_counted_as_estimated_and_then_as_used(tmp_path):
    clock = Clock()
    lane = pace(tmp_path, clock, cap=700, tokens_per_minute=1000)
    ticket = lane.wait("x" * 300)
    assert ticket.tokens == 100 + 700
    # it really took 150, so there is room for the next estimate
    lane.note(ticket, Usage(input_tokens=140, output_tokens=10), None)
    lane.wait("x" * 300)
    assert clock.slept == 0
    lane.wait("x" * 300)
    assert clock.slept > 0


def test_a_request_larger_than_the_window_goes_alone(tmp_path):
    clock = Clock()
    lane = pace(tmp_path, clock, cap=5000, tokens_per_minute=1000)
    lane.wait("{}")
    lane.wait("{}")
    assert clock.slept >= 60


def test_an_allowance_that_is_used_up_stops_the_lane_where_its_entry_says_so(tmp_path):
    clock = Clock()
    lane = pace(tmp_path, clock, allowances=(Allowance(calls=2, hours=5, when_used_up="stop"),))
    lane.wait("{}")
    lane.wait("{}")
    with pytest.raises(LaneStopped, match=r"^budget: the allowance of 2 calls in 5 h is used up$"):
        lane.wait("{}")
    assert clock.slept == 0


def test_dollars_count_once_they_are_known(tmp_path):
    clock = Clock()
    lane = pace(tmp_path, clock, allowances=(Allowance(usd="1", hours=1, when_used_up="stop"),))
    lane.note(lane.wait("{}"), None, Decimal("0.60"))
    lane.note(lane.wait("{}"), None, Decimal("0.60"))
    with pytest.raises(LaneStopped, match=r"1 usd in 1 h"):
        lane.wait("{}")


def test_a_stop_that_comes_while_waiting_ends_the_wait(tmp_path):
    clock = Clock()
    lane = pace(tmp_path, clock, may_ask=lambda: "deadline" if clock.slept > 10 else None, requests_per_minute=1)
    lane.wait("{}")
    with pytest.raises(Stopped, match="deadline"):
        lane.wait("{}")
    assert 10 < clock.slept < 11


def test_both_the_lanes_and_the_contenders_limits_hold(tmp_path):
    clock = Clock()
    files = [
        (tmp_path / "pace.json", windows_of(Limits(requests_per_minute=10))),
        (tmp_path / "pace.m.json", windows_of(Limits(requests_per_minute=2))),
    ]
    lane = Pace(files, 0, clock, clock.sleep, lambda: None)
    for _ in range(3):
        lane.wait("{}")
    assert clock.slept >= 60


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        '{"calls/60": {"x',
        '{"calls/60": {"a": "b"}}',
        '{"calls/60": []}',
        '{"calls/60": {"99999999": "7"}}',
    ],
)
def test_a_lost_or_torn_file_forgets_and_goes_on(tmp_path, damage):
    clock = Clock()
    lane = pace(tmp_path, clock, requests_per_minute=1)
    lane.wait("{}")
    (tmp_path / "pace.json").write_text(damage)
    lane.wait("{}")
    assert clock.slept == 0


def test_the_file_stays_small(tmp_path):
    clock = Clock()
    lane = pace(tmp_path, clock, requests_per_minute=1000, allowances=(Allowance(calls=100_000, hours=1),))
    for _ in range(2000):
        lane.wait("{}")
        clock.now += 7
    assert (tmp_path / "pace.json").stat().st_size < 4000


@settings(max_examples=60, deadline=None)
@given(
    most=st.integers(1, 6),
    steps=st.lists(st.tuples(st.floats(0, 40), st.integers(1, 3)), min_size=1, max_size=40),
)
def test_no_window_ever_holds_more_than_the_limit(most, steps):
    window = Window("calls", Decimal(most), 60.0, False)
    used: dict[str, str] = {}
    now, asked = 5_000.0, []
    for pause, n in steps:
        now += pause
        for _ in range(n):
            seconds = wait_s(window, used, Decimal(1), now)
            assert seconds is not None
            now += seconds
            # what it says is enough
            assert wait_s(window, used, Decimal(1), now) == 0
            asked.append(now)
            place = str(int(now // (60 / SLICES)))
            used[place] = str(Decimal(used.get(place, 0)) + 1)
    for at in asked:
        assert sum(at - 60 < other <= at for other in asked) <= most


def test_processes_share_one_minute(tmp_path):
    code = (
        "import json, sys, time; from pathlib import Path; from dmb.contracts.contender import Limits;"
        "from dmb.engine.pace import Pace, windows_of;"
        "lane = Pace([(Path(sys.argv[1]) / 'pace.json', windows_of(Limits(requests_per_minute=12)))], 0, time.time,"
        " lambda s: sys.exit(json.dump(n, sys.stdout)), lambda: None)\n"
        "n = 0\n"
        "while True:\n    lane.wait('{}'); n += 1"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=PROJECT, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    counts = [json.loads(c.communicate(timeout=60)[0]) for c in children]
    assert sum(counts) == 12
