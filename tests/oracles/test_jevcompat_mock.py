"""jevcompat's mock server with each of its faults, asked by the real asker; what comes of it stands in a table."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.engine.askers import WireAsker
from dmb.engine.judge import Verdict
from tests.conftest import PROJECT
from tests.oracles.asking import CHOICE, KEY, Case, asked, asker, question
from tests.oracles.jevcompat_table import (
    BEGIN,
    CALLS,
    END,
    HIDDEN,
    NOTHING,
    ROWS,
    UNDETECTABLE,
    page_section,
    valid,
)

mock = pytest.importorskip("jevcompat.mock", reason="oracle for a System One client: jevcompat is not installed")

#: A capital and an accent, as one character; and neither.
THREE = question(3, CHOICE)._replace(options=("Billing", "R\u00e9clamation", "other"))
MANY = question(77, CHOICE)._replace(options=tuple(f"option {n}" for n in range(77)))

#: The mock knows neither jev-1.14.0 nor any later name.
MODEL = "jev-1.13.0"


class Mock:
    """One server whose faults can be changed, and who asks it."""

    def __init__(self) -> None:
        self.config = mock.MockConfig()
        self._http = mock.make_server(self.config)
        self._askers: dict[tuple[str, str | None], WireAsker] = {}
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def ask(
        self,
        request: Request,
        fault: str | None = None,
        model: str = MODEL,
        wants: str | None = None,
        key: str | None = None,
    ) -> Verdict:
        """``wants``: the key that the server wants; ``key``: the one that it gets."""
        self.config.faults = frozenset({fault} if fault else ())
        self.config.key = wants
        if (model, key) not in self._askers:
            address = f"http://127.0.0.1:{self._http.server_port}"
            self._askers[model, key] = asker(Case("systemone", model, {}, {}), address, key)
        return asked(self._askers[model, key], request)

    def call(self, name: str, fault: str | None = None) -> Verdict:
        """One of the calls that are not plain."""
        many = question(256, CHOICE)
        return {
            "no key": lambda: self.ask(THREE, fault, wants=KEY),
            "a wrong key": lambda: self.ask(THREE, fault, wants=KEY, key="wrong"),
            "the right key": lambda: self.ask(THREE, fault, wants=KEY, key=KEY),
            "a key that nobody wants": lambda: self.ask(THREE, fault, key=KEY),
            "an unknown model": lambda: self.ask(THREE, fault, model="jev-1.14.0"),
            "model jev-latest": lambda: self.ask(THREE, fault, model="jev-latest"),
            "256 options": lambda: self.ask(many, fault),
        }[name]()

    def close(self) -> None:
        for one in self._askers.values():
            one.close()
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture(scope="module")
def server() -> Iterator[Mock]:
    running = Mock()
    yield running
    running.close()


def differences(verdict: Verdict, sound: Verdict) -> list[str]:
    """In which parts a valid verdict is not the sound one."""
    one, other = verdict.outputs["queue"], sound.outputs["queue"]
    parts = {
        "choice": (one.value, other.value),
        "confidence": (one.confidence, other.confidence),
        "native confidence": (one.native_confidence, other.native_confidence),
        "usage": (verdict.usage, sound.usage),
        "model": (verdict.served_model, sound.served_model),
    }
    return [f"{'no' if a is None else 'another'} {name}" for name, (a, b) in parts.items() if a != b]


def check(verdict: Verdict, sound: Verdict, expected: str) -> None:
    if expected == NOTHING:
        assert verdict == sound
    elif expected == HIDDEN:
        assert verdict.outcome == "valid" and "another confidence" in differences(verdict, sound)
        assert verdict.usage == sound.usage
    elif expected.startswith("valid"):
        assert verdict.outcome == "valid" and valid(*differences(verdict, sound)) == expected
    elif verdict.outcome == "failed":
        assert f"failed, {verdict.reason}".startswith(expected)
    else:
        assert f"{verdict.outcome}: {verdict.reason}".startswith(expected)
        if verdict.outcome == "malformed" and "no JSON" not in expected:
            assert verdict.usage is not None and verdict.served_model == sound.served_model


def test_the_table_has_every_fault() -> None:
    assert set(ROWS) == set(mock.FAULTS) and len(ROWS) == 47


def test_the_sound_server_is_understood(server: Mock) -> None:
    for request in (THREE, MANY):
        verdict = server.ask(request)
        assert (verdict.outcome, verdict.served_model) == ("valid", "jevcompat-mock-0.1")
        assert verdict.outputs["queue"].confidence_kind == "native-probability"
        assert verdict.usage.input_tokens > 0 and verdict.usage.output_tokens == 2


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_is_not_plain_at_the_sound_server(server: Mock, name: str) -> None:
    check(server.call(name), server.ask(THREE), CALLS[name])


@pytest.mark.parametrize("fault", ROWS)
def test_a_fault_comes_to_what_the_table_says(server: Mock, fault: str) -> None:
    row = ROWS[fault]
    check(server.ask(THREE, fault), server.ask(THREE), row.three)
    check(server.ask(MANY, fault), server.ask(MANY), row.for_many)
    for call, expected in row.shows:
        check(server.call(call, fault), server.ask(THREE), expected)
    assert row.why or row.three != NOTHING or row.for_many != NOTHING, "why is there nothing to see?"


def test_what_one_reply_hides_a_second_call_shows(server: Mock) -> None:
    """Each of the three is seen when the same question is put with another id, beside another, or after another."""
    other = Slot(id="other", kind="choice")
    calls = {
        "id-leaks": (THREE._replace(slots=(other,)), "other"),
        "batch-leaks": (THREE._replace(slots=(CHOICE, other)), "queue"),
        "order-leaks": (THREE._replace(slots=(other, CHOICE)), "queue"),
    }
    assert set(calls) == set(UNDETECTABLE)
    for fault, (again, slot) in calls.items():
        first = server.ask(THREE).outputs["queue"]
        assert server.ask(again).outputs[slot] == first
        assert server.ask(again, fault).outputs[slot] != server.ask(THREE, fault).outputs["queue"]


def test_a_busy_server_is_a_rate_limit() -> None:
    busy = Mock()
    try:
        busy.config.busy_every = 2
        assert busy.ask(THREE).outcome == "valid"
        verdict = busy.ask(THREE)
    finally:
        busy.close()
    assert (verdict.outcome, verdict.failure.kind) == ("failed", "rate_limit")


def test_the_page_shows_the_table(request: pytest.FixtureRequest) -> None:
    path = PROJECT / "docs/jevcompat.md"
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    wanted = f"{before}{BEGIN}\n\n{page_section()}\n\n{END}{after}"
    if request.config.getoption("--fix"):
        path.write_text(wanted, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == wanted, "pytest tests/oracles --fix rewrites it"
