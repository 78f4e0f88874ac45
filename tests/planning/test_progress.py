"""How far a run has come, by hand: rows, rates, time left, states."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest

from dmb.contracts.attempt import OUTCOMES
from dmb.planning.progress import CellPlan, RunFacts, Spend, as_json, run_now
from dmb.planning.tally import Tally
from tests.store.test_receipts import receipt

NOW = dt.datetime(2026, 11, 30, 12, 0, 0, tzinfo=dt.UTC)
KEYS = {name: name[0] * 64 for name in ("alpha", "beta", "gamma", "delta")}


def plan(name: str = "alpha", lane: str = "lab", n: int = 100, **more) -> CellPlan:
    known = {"contender": name, "suite": "s", "retries": (1, 1)}
    return CellPlan(**{"key": KEYS[name], "lane": lane, "n_expected": n} | known | more)


def facts(**changes) -> RunFacts:
    started = NOW - dt.timedelta(seconds=90)
    known = {"run": "r1", "release": "v9", "status": "running", "started_at": started, "ended_at": None, "host": None}
    none = {"gone": False, "receipts": {}, "begun": frozenset(), "stops": {}}
    return RunFacts(**known | none | changes)


def row(item: str = "i", ago: float = 1.0, outcome: str = "valid", ms: float | None = 0.0, **more) -> dict:
    sent = (NOW - dt.timedelta(seconds=ago)).isoformat().replace("+00:00", "Z")
    return {"item": item, "outcome": outcome, "timing": {"sent_at": sent, "request_ms": ms}} | more


def tally(*rows: dict) -> Tally:
    made = Tally((1, 1))
    for r in rows:
        made.take(r)
    return made


def now(*cells: tuple[CellPlan, Tally | None], **changes):
    tallies = {p.key: t for p, t in cells if t is not None}
    return run_now(facts(**changes), [p for p, _ in cells], tallies, NOW)


# -- rows


def test_a_row_is_done_when_the_protocol_asks_it_no_more():
    t = tally(row("a"), row("b", outcome="malformed"), row("c", outcome="failed", failure={"kind": "timeout"}))
    assert (t.n_done, dict(t.outcomes)) == (1, {"valid": 1})
    t.take(row("b", outcome="malformed", cause="malformed"))
    t.take(row("c", cause="failed"))
    t.take(row("d", outcome="failed", failure={"kind": "authentication"}))
    t.take(row("e", outcome="unsupported", failure={"kind": "unsupported"}))
    assert (t.n_done, dict(t.outcomes)) == (4, {"valid": 2, "malformed": 1, "unsupported": 1})


def test_repeats_and_permutations_are_rows_of_their_own():
    assert tally(row("a"), row("a", repeat=1), row("a", permutation=1), row("a")).n_done == 3


def test_rows_of_earlier_runs_are_taken_over_and_make_no_pace():
    t = tally(row("a", origin="r0"), row("b", origin="r0", outcome="failed", failure={"kind": "timeout"}))
    assert (t.n_done, t.n_taken_over, t.first_sent) == (1, 1, None)
    # what failed elsewhere is asked anew
    t.take(row("b", ago=2.0))
    assert (t.n_done, t.n_taken_over, t.done_since(NOW.timestamp() - 30, NOW.timestamp())) == (2, 1, 1)


@pytest.mark.parametrize("broken", [{}, {"item": "a"}, row() | {"timing": {}}, row() | {"item": []}, [], 7, None])
def test_what_is_no_attempt_is_refused(broken):
    with pytest.raises((KeyError, TypeError, ValueError)):
        tally(broken)


# -- pace


def test_the_rate_is_that_of_the_last_half_minute_by_when_rows_ended():
    # sent 31 s ago and ended 29 s ago: counts; sent and ended 31 s ago: does not
    rows = [row("old", 31), row("edge", 31, ms=2000.0), *(row(f"i{n}", 10) for n in range(14))]
    cell = now((plan(), tally(*rows))).cells[0]
    # the time left goes by all 16 rows of the last 31 s
    assert (cell.n_done, cell.rate, cell.left_s) == (16, 15 / 30, 84 / (16 / 31))


def test_a_pace_begins_with_the_first_attempt():
    cell = now((plan(), tally(*(row(f"i{n}", 5) for n in range(10))))).cells[0]
    assert (cell.rate, cell.left_s) == (2.0, 45.0)


def test_between_two_bursts_there_is_no_rate_and_yet_a_time_left():
    bursts = [row(f"i{n}", ago) for ago in (160, 100, 40) for n in range(ago, ago + 10)]
    run = now((plan(n=130), tally(*bursts)))
    # 20 rows in two minutes, 100 are left; the first burst is forgotten
    assert (run.cells[0].rate, run.cells[0].left_s, run.lanes[0].left_s, run.left_unknown) == (None, 600.0, 600.0, ())


@pytest.mark.parametrize("rows", [[], [row("a", 130)], [row("a", 3, outcome="malformed")]])
def test_without_a_row_in_two_minutes_nobody_can_tell(rows):
    run = now((plan(), tally(*rows)))
    assert (run.cells[0].rate, run.cells[0].left_s, run.rate, run.left_s) == (None, None, None, None)
    assert run.left_unknown == ("lab",)


def test_time_left_is_that_of_the_slowest_lane_and_cells_of_a_lane_share_it():
    quick = tally(*(row(f"i{n}", 10) for n in range(40)))  # 4 a second
    slow = tally(*(row(f"i{n}", 20) for n in range(8)))  # 0.4 a second
    run = now(
        (plan("alpha", "a", 100), quick),
        (plan("beta", "a", 100), None),
        (plan("gamma", "g", 20), slow),
    )
    lanes = {lane.id: (lane.n_left, lane.rate, lane.left_s) for lane in run.lanes}
    assert lanes == {"a": (160, 4.0, 40.0), "g": (12, 0.4, 30.0)}
    assert (run.left_s, run.left_unknown, run.n_left, run.rate) == (40.0, (), 172, 4.4)


def test_lanes_that_have_not_begun_make_it_at_least():
    run = now((plan("alpha", "a"), tally(*(row(f"i{n}", 10) for n in range(10)))), (plan("beta", "b"), None))
    assert (run.left_s, run.left_unknown) == (90.0, ("b",))


# -- states


def test_states_of_cells_that_are_to_be_asked():
    begun = frozenset({KEYS["beta"]})
    run = now((plan("alpha"), None), (plan("beta"), None), (plan("gamma"), tally(row())), begun=begun)
    assert [c.state for c in run.cells] == ["waiting", "preparing", "asking"]
    assert not run.ended and run.elapsed_s == 90.0


def test_a_receipt_has_the_last_word_and_another_run_may_have_written_it():
    counts = {"valid": 60, "malformed": 3, "skipped": 37}
    mine = receipt(cell_key=KEYS["alpha"], n_expected=100, n_imported=20, outcomes=counts, status="stopped")
    mine = mine.model_copy(update={"stop_reason": "budget"})
    other = receipt(cell_key=KEYS["beta"], run="r0")
    run = now(
        (plan("alpha"), tally(row())), (plan("beta", n=2), None), receipts={KEYS["alpha"]: mine, KEYS["beta"]: other}
    )
    a, b = run.cells
    assert (a.state, a.reason, a.n_done, a.n_taken_over, a.n_not_valid) == ("stopped", "budget", 63, 20, 3)
    assert (b.state, b.reason, b.n_done) == ("complete", "by run r0", 2)
    assert (run.n_left, run.left_s) == (0, None)


def test_cells_that_will_not_be_asked_are_not_waited_for():
    run = now((plan("alpha", skip="no-credential"), None), (plan("beta", n=10), tally(row())))
    assert (run.cells[0].state, run.cells[0].reason) == ("skipped", "no-credential")
    assert (run.n_expected, run.n_done, run.n_left) == (10, 1, 9)


@pytest.mark.parametrize("mark, billed", [("provider.lab", False), ("run", False), ("every-lane", True)])
def test_a_stopped_lane_has_nothing_left(mark, billed):
    run = now((plan("alpha", billed=billed), tally(row())), (plan("beta", billed=billed), None), stops={mark: "budget"})
    assert [(c.state, c.reason) for c in run.cells] == [
        ("asking", "stopping: budget"),
        ("waiting", "lane stopped: budget"),
    ]
    assert [(lane.n_left, lane.stopped) for lane in run.lanes] == [(0, "budget")]


def test_what_costs_nothing_goes_on_where_the_money_has_run_out_and_other_lanes_too():
    cells = [(plan("alpha", billed=False), tally(row())), (plan("beta", "other"), None)]
    free, billed = now(*cells, stops={"every-lane": "budget"}).lanes
    assert (free.stopped, free.n_left, billed.stopped, billed.n_left) == (None, 99, "budget", 0)
    assert now(*cells, stops={"provider.other": "authentication"}).lanes[0].stopped is None


def test_a_failure_mark_and_what_an_ended_run_left_undone():
    stops = {f"failed.{KEYS['alpha'][:16]}": "items are damaged"}
    cells = [(plan("alpha"), None), (plan("beta"), tally(row()))]
    running = now(*cells, stops=stops)
    assert (running.cells[0].state, running.cells[0].reason) == ("failed", "items are damaged")
    ended = now(*cells, stops=stops, status="failed", ended_at=NOW - dt.timedelta(seconds=30))
    assert [c.state for c in ended.cells] == ["failed", "unfinished"]
    assert (ended.ended, ended.elapsed_s, ended.n_left, ended.rate) == (True, 60.0, 0, None)


def test_a_run_whose_process_is_gone_has_ended():
    run = now((plan(), tally(row())), gone=True)
    assert (run.status, run.ended, run.cells[0].state) == ("gone", True, "unfinished")


def test_a_run_that_is_being_born_has_no_cells():
    run = now(started_at=None)
    assert (run.cells, run.elapsed_s, run.n_left, run.ended) == ((), None, 0, False)


def test_a_rehearsal_is_marked():
    assert now((plan(simulated=True), None), (plan("beta"), None)).simulated and not now((plan(), None)).simulated


def test_as_plain_data_unknown_is_null_and_money_is_text():
    spend = Spend(committed_usd=Decimal("1.50"), soft_usd=Decimal(40), problem=None)
    data = json.loads(json.dumps(as_json(now((plan(), tally(row())), spend=spend), None)))
    assert (data["at"], data["exit_code"], data["n_done"]) == ("2026-11-30T12:00:00Z", None, 1)
    assert data["spend"]["committed_usd"] == "1.50" and data["spend"]["hard_usd"] is None
    (cell,) = data["cells"]
    assert list(cell["outcomes"]) == list(OUTCOMES) and cell["outcomes"]["valid"] == 1
    assert (cell["rows_per_s"], cell["left_s"]) == (1.0, 99.0)
    assert data["lanes"] == [{"id": "lab", "n_left": 99, "rows_per_s": 1.0, "left_s": 99.0, "stopped": None}]
