"""Whatever goes wrong, the engine does what the protocol says, and `docs/failures.md` says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from dmb.simulate import Simulator
from dmb.simulate.faults import FAULTS
from tests.conftest import PROJECT
from tests.engine.failing import KEY_VARIABLE, PRICES, Case, Ended, Trials, WaitedClock, quick_folder
from tests.engine.failures_page import page
from tests.engine.failures_table import (
    CONDITIONS,
    DIFFERING,
    GIVEN,
    LINES,
    PRESCRIBED,
    PROVIDERS,
    RESERVED,
    TURNED_AWAY,
    WIRES,
    Line,
)
from tests.simulate.expected import ROWS

PAGE = PROJECT / "docs/failures.md"


@dataclass(frozen=True)
class Seen:
    """Everything that was tried."""

    lines: dict[str, Ended]
    over_wires: dict[tuple[str, str], Ended]
    told: dict[tuple[str, str], Ended]


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    time = WaitedClock()
    with (
        quick_folder() as folder,
        pytest.MonkeyPatch.context() as patch,
        Simulator(seed=7, prices=PRICES, now=time.now) as simulator,
    ):
        patch.setenv(KEY_VARIABLE, "not-a-real-key-0123456789")
        trials = Trials(simulator, time, folder)

        def once(fault: str, way: str) -> Ended:
            return trials.run(Case(fault, way, GIVEN[fault], n=1))

        yield Seen(
            {line.label: trials.run(line.case) for line in LINES},
            {(fault, way): once(fault, way) for fault in DIFFERING for way in WIRES.values()},
            {(condition, way): once(condition, way) for condition in CONDITIONS for way in PROVIDERS.values()},
        )


def test_every_fault_has_a_line_of_its_own():
    assert {line.case.fault for line in LINES} == {*FAULTS, None}
    assert len({line.label for line in LINES}) == len(LINES)
    assert set(FAULTS) >= RESERVED | TURNED_AWAY and not RESERVED & TURNED_AWAY


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.label)
def test_the_engine_does_what_the_protocol_says(seen: Seen, line: Line):
    e, says = seen.lines[line.label], PRESCRIBED[line.kind]
    asked = line.asked or min(says.asked, line.case.n)
    each = line.requests or says.requests
    outcome = line.kind.partition(":")[0]
    left = {"skipped": line.case.n - asked} if line.case.n > asked else {}
    assert e.outcomes == {outcome: asked} | left
    assert e.retries == asked * (each - 1)
    # nobody counts what reaches nobody
    assert e.requests == (0 if line.case.fault is None else asked * each)
    assert e.waited_s == pytest.approx(asked * line.wait_s if says.waits or line.requests else 0)
    assert e.exit_code == (says.exit_code if line.exit_code is None else line.exit_code)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.label)
def test_the_ledger_holds_the_bill(seen: Seen, line: Line):
    e = seen.lines[line.label]
    if line.money == "nothing":
        assert e.billed == e.settled == e.unsettled == 0
    elif line.money == "reserved":
        # what is read at last is settled; what is not stays at a reservation above any bill
        assert e.unsettled > 0 and e.unsettled + e.settled >= e.billed
        assert (e.settled > 0) == ("valid" in e.outcomes and line.requests == 2)
    elif line.label.endswith("untold"):
        assert e.billed == 2 * e.settled > 0 == e.unsettled
    else:
        assert e.billed == e.settled > 0 == e.unsettled


def ended(e: Ended, kind: str) -> None:
    """One question that came to this, with what follows from it."""
    says, outcome = PRESCRIBED[kind], kind.partition(":")[0]
    assert e.outcomes == {outcome: 1}
    assert e.kinds <= {kind.partition(": ")[2] or "unsupported"}
    assert (e.requests, e.retries) == (says.requests, says.requests - 1)
    assert e.waited_s == (1 if says.waits else 0)
    # one failure is no row of ten
    assert e.exit_code == (says.exit_code if says.exit_code in (4, 5) else 0)


def test_over_every_wire_an_outcome_has_the_same_consequences(seen: Seen):
    for (fault, way), e in seen.over_wires.items():
        ended(e, ROWS[fault].outcome(way))


def test_each_provider_is_understood_in_its_own_words(seen: Seen):
    for (condition, way), e in seen.told.items():
        ended(e, ROWS[condition].outcome(way))
        assert e.billed == e.settled == 0


def test_the_page_is_what_was_seen(seen: Seen, request: pytest.FixtureRequest):
    made = page(seen.lines, seen.over_wires, seen.told)
    if request.config.getoption("--fix", default=False):
        PAGE.write_text(made, encoding="utf-8")
    kept = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    assert made == kept, "docs/failures.md differs; `pytest tests/engine --fix` rewrites it"
