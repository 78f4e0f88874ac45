"""One item to its attempts: what is retried, how often, after which wait."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from itertools import product

import pytest

from dmb.canonical import text_digest
from dmb.contracts.attempt import Attempt, Failure
from dmb.contracts.price import PriceRow
from dmb.contracts.reply import RawAnswer, Reply
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.engine.asked import Asked
from dmb.engine.decide import by_item, decide, is_finished
from dmb.engine.item import Rules, ask_item
from dmb.engine.judge import judge_row, reply_bytes
from dmb.engine.lane import Lane
from dmb.engine.protocol import RETRYABLE
from dmb.engine.purse import Purse
from dmb.engine.stopped import Stopped
from dmb.engine.task import Task
from dmb.ledger.ledger import Ledger
from dmb.wires import WIRES
from dmb.wires.exchange import Call, Wire

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
OPTIONS = ("yes", "no")
SLOTS = (Slot(id="decision", kind="choice"),)
REQUEST = Request(state="s", instructions="q", options=OPTIONS, slots=SLOTS, confidence_definition="p")
SHOWN = tuple((t, text_digest(t)) for t in OPTIONS)
TASK = Task("item-1", 0, 0, REQUEST, SHOWN)
IDS = {"cell": "c" * 64, "contender": "c", "suite": "s"}

STOPS = {"authentication": "authentication", "permission": "authentication", "budget": "budget"}
FINAL = ("valid", "refused", "unsupported", "rejected")
BAD_REPLIES = ("malformed", "truncated")
BY_WIRE = ("rate_limit", "overloaded", "timeout", "rejected", "unsupported", *STOPS)


def read_word(status: int, headers, body: bytes, slots) -> Reply | Failure:
    """The made-up wire: the first word of the reply says what it is."""
    word = body.decode("utf-8", "replace").split()[0]
    if word in BY_WIRE:
        return Failure(kind=word, detail="as asked")
    if word == "valid":
        return Reply(answers={"decision": RawAnswer(index=1, confidence=0.5)}, model="served")
    return Reply(**{word: "as asked"})


@pytest.fixture(autouse=True)
def word_wire(monkeypatch):
    wire = Wire(version=1, call=lambda *_: Call("/", ""), read=read_word, authorise=lambda *_: {})
    monkeypatch.setitem(WIRES, "word", wire)


class Script:
    """An asker that answers from a queue, and the clock that it runs by: each question takes 20 ms, 10 on the wire."""

    name, version, concurrency = "wire:word", 1, 1

    def __init__(self, *replies: str | tuple[str, dict], **rules) -> None:
        self.queue = [(r, {}) if isinstance(r, str) else r for r in replies]
        self.clock = NOON
        self.sleeps: list[float] = []
        self.rows: list[Attempt] = []
        self.rules = Rules(
            **{
                "retry_failed": 1,
                "retry_malformed": 1,
                "backoff_s": 1.0,
                "sleep": self.sleep,
                "now": lambda: self.clock,
                "may_ask": lambda: None,
            }
            | rules
        )

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.clock += dt.timedelta(seconds=seconds)

    def call(self, request) -> Call:
        return Call("/", "body")

    def ask(self, request, call, key, option_ids) -> Asked:
        assert (request, key, option_ids) == (REQUEST, ("item-1", 0, 0), OPTIONS)
        word, headers = self.queue.pop(0)
        self.clock += dt.timedelta(milliseconds=20)
        if word == "transport":
            return Asked(
                body="body",
                failure=Failure(kind="transport", detail="reset"),
                connect_ms=3.0,
                client_wait_ms=1.0,
                sent=True,
            )
        return Asked(
            body="body",
            status=200,
            headers=headers,
            reply=word.encode(),
            request_ms=10.0,
            first_byte_ms=5.0,
            connect_ms=3.0,
            client_wait_ms=1.0,
            sent=True,
        )

    def close(self) -> None:
        pass

    def run(self, earlier=()) -> list[Attempt]:
        last = ask_item(self, TASK, IDS, self.rules, lambda row, _: self.rows.append(row), False, earlier)
        assert last == [*earlier, *self.rows][-1]
        return self.rows

    @property
    def causes(self) -> list[str]:
        return [r.cause for r in self.rows]


def outcome(word: str) -> str:
    return word if word in ("valid", "refused", "unsupported", *BAD_REPLIES) else "failed"


# -- how often


@pytest.mark.parametrize(
    "replies, causes",
    [
        (["rate_limit", "valid"], ["first", "failed"]),
        (["rate_limit", "overloaded"], ["first", "failed"]),
        (["malformed", "valid"], ["first", "malformed"]),
        (["malformed", "malformed"], ["first", "malformed"]),
        (["truncated", "malformed"], ["first", "malformed"]),
        (["timeout", "truncated", "valid"], ["first", "failed", "malformed"]),
        (["malformed", "transport", "valid"], ["first", "malformed", "failed"]),
        (["transport", "malformed", "timeout"], ["first", "failed", "malformed"]),
        (["malformed", "overloaded", "truncated"], ["first", "malformed", "failed"]),
        (["malformed", "unsupported"], ["first", "malformed"]),
        *(([w], ["first"]) for w in FINAL),
    ],
)
def test_each_kind_of_retry_is_spent_once(replies, causes):
    script = Script(*replies)
    script.run()
    assert script.causes == causes and not script.queue
    assert [r.attempt for r in script.rows] == list(range(1, len(replies) + 1))
    assert [r.outcome for r in script.rows] == [outcome(w) for w in replies]


def test_no_order_of_replies_makes_a_fourth_attempt_or_follows_an_end():
    words = ["valid", "unsupported", *BAD_REPLIES, "rate_limit", "transport"]
    for replies in product(words, repeat=4):
        script = Script(*replies)
        script.run()
        assert len(script.rows) <= 3
        assert script.causes[0] == "first" and len(set(script.causes)) == len(script.causes)
        for word, cause in zip(replies, script.causes[1:], strict=False):
            assert cause == ("malformed" if word in BAD_REPLIES else "failed") and word not in FINAL


def test_every_retryable_failure_is_retried_and_no_other():
    assert {"rate_limit", "overloaded", "transport", "timeout"} == RETRYABLE
    for word in (*RETRYABLE, *FINAL[1:]):
        assert len(Script(word, "valid").run()) == (2 if word in RETRYABLE else 1)


def test_a_policy_of_no_retries():
    for word in (*RETRYABLE, *BAD_REPLIES):
        assert len(Script(word, retry_failed=0, retry_malformed=0).run()) == 1
    assert len(Script("malformed", "rate_limit", "valid", retry_failed=0).run()) == 2
    assert len(Script("rate_limit", "malformed", retry_malformed=0).run()) == 2


# -- how long


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ({}, 1.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:20 GMT"}, 19.98),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "in a while"}, 1.0),
        ({"retry-after": "-3"}, 1.0),
        ({"retry-after": "nan"}, 1.0),
        ({"retry-after": "3600"}, 60.0),
        ({"retry-after": "Mon, 30 Nov 2036 12:00:00 GMT"}, 60.0),
    ],
)
def test_the_server_says_how_long_to_wait_within_reason(headers, seconds):
    script = Script(("rate_limit", headers), "valid")
    script.run()
    assert sum(script.sleeps) == pytest.approx(seconds)


def test_nobody_waits_before_a_malformed_reply_is_asked_again_or_after_the_last_attempt():
    script = Script(
        ("malformed", {"retry-after": "9"}), ("timeout", {"retry-after": "2"}), ("timeout", {"retry-after": "9"})
    )
    script.run()
    assert sum(script.sleeps) == pytest.approx(2.0)


# -- stops


@pytest.mark.parametrize("word, reason", STOPS.items())
def test_a_refused_credential_stops_the_lane_and_is_written_down(word, reason):
    script = Script(word, "valid")
    with pytest.raises(Stopped, match=f"^{reason}$"):
        script.run()
    assert [r.failure.kind for r in script.rows] == [word] and script.sleeps == []
    assert not is_finished(script.rows, 1, 1)


def test_a_stop_of_the_provider_costs_the_item_no_retry():
    first = Script("authentication")
    with pytest.raises(Stopped):
        first.run()
    second = Script("rate_limit", "malformed", "valid")
    rows = second.run(earlier=first.rows)
    assert [r.attempt for r in rows] == [2, 3, 4] and second.causes == ["first", "failed", "malformed"]


def test_what_an_earlier_run_logged_counts():
    first = Script("rate_limit", "malformed", "valid").run()
    assert Script().run(earlier=first) == []
    second = Script("malformed", "valid")
    second.run(earlier=first[:1])
    assert second.causes == ["failed", "malformed"] and [r.attempt for r in second.rows] == [2, 3]
    assert [is_finished(first[:n], 1, 1) for n in range(4)] == [False, False, False, True]


def test_nothing_is_asked_when_it_may_not_be():
    script = Script("valid", may_ask=lambda: "deadline")
    with pytest.raises(Stopped, match="deadline"):
        script.run()
    assert script.rows == [] and len(script.queue) == 1


def test_permission_is_looked_at_before_every_attempt():
    answers = [None, "run stopped"]
    script = Script("rate_limit", "valid", may_ask=lambda: answers.pop(0))
    with pytest.raises(Stopped, match="run stopped"):
        script.run()
    assert script.causes == ["first"]


# -- what is written, and what it comes to


def test_every_row_can_be_judged_again_from_its_bytes_alone():
    words = [*FINAL, *BAD_REPLIES, *sorted(RETRYABLE), *STOPS, "valid \u2028 é"]
    for word in words:
        script = Script(word, retry_failed=0, retry_malformed=0)
        try:
            script.run()
        except Stopped:
            assert word in STOPS
        (row,) = script.rows
        verdict = judge_row(row, SHOWN, SLOTS)
        assert (verdict.outcome, verdict.reason, verdict.failure) == (row.outcome, row.reason, row.failure)
        assert reply_bytes(row) == (b"" if word == "transport" else word.encode())


def test_bytes_that_are_no_text_are_kept_as_they_are():
    script = Script("x")
    script.ask = lambda *_: Asked("body", 200, {}, b"valid \xff\x00", None, 10.0, 5.0, 3.0, 1.0)
    (row,) = script.run()
    assert row.reply is None and reply_bytes(row) == b"valid \xff\x00"
    assert judge_row(row, SHOWN, SLOTS).outcome == "valid"


def decided(script: Script, rows=None):
    return decide(TASK.key, SHOWN, script.rows if rows is None else rows, IDS, SLOTS)


def test_a_decision_is_its_last_attempt_and_its_latency_holds_the_back_off():
    script = Script(("rate_limit", {"retry-after": "1.5"}), "malformed", "valid")
    script.run()
    d = decided(script)
    assert (d.outcome, d.n_attempts, d.served_model) == ("valid", 3, "served")
    assert (d.outputs["decision"].value, d.outputs["decision"].confidence) == ("no", 0.5)
    # begun at 0, 1520 and 1540 ms; the last attempt connected for 3 and took 10
    assert d.latency_ms == 1540 + 3 + 10
    assert d.request_latency_ms == 10
    assert len(d.usage) == 3


def test_latency_is_unknown_where_nobody_waited_or_nothing_came():
    script = Script("rate_limit", "valid")
    rows = script.run()
    assert decided(script).latency_ms == 1020 + 13
    assert decided(script, [rows[0].model_copy(update={"origin": "r1"}), rows[1]]).latency_ms is None
    lost = Script("transport", "transport")
    lost.run()
    assert (decided(lost).latency_ms, decided(lost).outcome, decided(lost).reason) == (
        None,
        "failed",
        "transport: reset",
    )


def test_no_attempt_is_a_skipped_item():
    d = decided(Script(), [])
    assert (d.outcome, d.reason, d.n_attempts, d.latency_ms) == ("skipped", "not asked", 0, None)


def test_rows_are_grouped_in_the_order_of_their_attempts_and_a_second_row_is_an_error():
    rows = Script("rate_limit", "malformed", "valid").run()
    assert by_item(reversed(rows)) == {("item-1", 0, 0): rows}
    for bad in ([*rows, rows[1]], rows[1:], [rows[0], rows[2]]):
        with pytest.raises(ValueError, match="are numbered"):
            by_item(bad)


@pytest.mark.parametrize("reason", ["deadline", "run stopped", "authentication"])
def test_a_stop_that_comes_while_waiting_ends_the_wait(reason):
    script = Script(("rate_limit", {"retry-after": "30"}), "valid", may_ask=lambda: reason if script.sleeps else None)
    with pytest.raises(Stopped, match=f"^{reason}$"):
        script.run()
    assert sum(script.sleeps) < 1
    assert len(script.rows) == 1


def test_a_place_in_the_lane_is_kept_until_row_and_charge_are_written(tmp_path, monkeypatch):
    """Else a process that is killed could leave more open than the lane has places."""
    price = PriceRow(provider="p", model="m", input="1", output="1", source="s", checked_on="2026-11-30")
    lane = Lane(tmp_path / "lane", 1, lambda _: None, lambda: None)
    seen = []

    def look(what: str) -> None:
        other = Lane(tmp_path / "lane", 1, lambda _: None, lambda: None)
        seen.append((what, "free" if other._take() is not None else "taken"))
        other.close()

    with Ledger(tmp_path / "ledger", Decimal(1), Decimal(1)) as ledger:
        purse = Purse(ledger, (price,), "standard", "r", "c", 1)
        script = Script("rate_limit", "valid", lane=lane, purse=purse)
        settle = ledger.settle
        monkeypatch.setattr(ledger, "settle", lambda *a: (settle(*a), look("charge")))
        ask_item(script, TASK, IDS, script.rules, lambda *_: look("row"), False)
        assert ledger.totals().n_open == 0
    assert seen == [("row", "taken"), ("charge", "taken")] * 2
    look("end")
    assert seen[-1] == ("end", "free")
    lane.close()


def test_the_handshake_is_part_of_a_decisions_latency_and_a_clock_set_back_makes_it_unknown():
    script = Script("rate_limit", "valid", backoff_s=0.5)
    first, last = script.run()
    secured = last.model_copy(update={"timing": last.timing.model_copy(update={"tls_ms": 80.0})})
    assert decided(script, [first, secured]).latency_ms == decided(script, [first, last]).latency_ms + 80
    earlier = (dt.datetime.fromisoformat(first.timing.sent_at) - dt.timedelta(seconds=4)).isoformat()
    back = last.model_copy(update={"timing": last.timing.model_copy(update={"sent_at": earlier})})
    assert decided(script, [first, back]).latency_ms is None
