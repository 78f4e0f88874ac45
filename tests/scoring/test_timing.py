"""How the times of a cell were taken, by hand: from logged attempts to the score, the cells file and the report."""

from __future__ import annotations

from typing import Any

import pytest

from dmb.contracts.attempt import Attempt, Failure, Timing
from dmb.contracts.release import Machine, RunFacts
from tests.scoring.by_hand import attempt, chat, price, published, release, score, tokens

AT = "2026-11-30T12:00:00Z"


@pytest.fixture(autouse=True)
def in_a_scratch_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def timed(item: int, request_ms: float | None = 100.0, reply: str | None = None, **more: Any) -> Attempt:
    """An answered attempt with these times; ``reply`` "none": the transport saw none."""
    fields = {k: more.pop(k) for k in ("number", "cause", "outcome", "asker", "sent", "failure") if k in more}
    body = None if reply == "none" else reply or chat(tokens(9, 1))
    return attempt(body, item=item, timing=Timing(sent_at=AT, request_ms=request_ms, **more), **fields)


def test_what_is_counted_and_over_which_attempts():
    attempts = [
        timed(0, first_byte_ms=60.0, connect_ms=5.0, tls_ms=11.0, new_connection=True, client_wait_ms=0.4, lag_ms=0.0),
        # above 10 % of its request
        timed(1, 90.0, first_byte_ms=80.0, new_connection=False, client_wait_ms=0.2, lag_ms=9.5),
        # above 10 ms
        timed(2, 900.0, first_byte_ms=70.0, new_connection=False, client_wait_ms=0.3, lag_ms=10.5),
        # a time-out waited for the network all the time, and its lag and connection are known
        timed(3, None, "none", connect_ms=9.0, tls_ms=13.0, new_connection=True, client_wait_ms=0.0, lag_ms=12.0),
        # its retry
        timed(3, 50.0, first_byte_ms=40.0, new_connection=False, client_wait_ms=0.1, lag_ms=0.0, number=2),
        # an old log: neither lag nor connection
        timed(4, 70.0, first_byte_ms=65.0),
        # never sent
        timed(5, None, "none", sent=False, outcome="unsupported", failure=Failure(kind="unsupported", detail="255")),
    ]
    found = score("m", attempts, [price("m")]).timing
    assert (found.n_attempts, found.n_timed) == (6, 5)
    assert (found.lagged.num, found.lagged.den, found.lagged.value) == (3, 5, 0.6)
    assert (found.new_connections.num, found.new_connections.den, found.new_connections.value) == (2, 5, 0.4)
    # nearest rank: of an even number the lower of the middle two
    medians = {
        n: (m.value, m.n) for n in ("connect", "tls", "first_byte", "client_wait") for m in [getattr(found, f"{n}_ms")]
    }
    # client wait of five whole replies: 0, 0.1, 0.2, 0.3, 0.4
    assert medians == {"connect": (5.0, 2), "tls": (11.0, 2), "first_byte": (65.0, 5), "client_wait": (0.2, 5)}
    assert (
        {m.low for m in (found.lagged, found.connect_ms)}
        == {m.high for m in (found.lagged, found.connect_ms)}
        == {None}
    )


def test_what_nobody_wrote_down_is_unknown_with_its_reason():
    found = score("m", [timed(0), timed(1, None, "none")], [price("m")]).timing
    said = {name: (m.value, m.note) for name, m in found if name not in ("n_attempts", "n_timed")}
    assert said == {
        "lagged": (None, "no lag was recorded"),
        "new_connections": (None, "connections were not recorded"),
        "connect_ms": (None, "no connection was opened"),
        "tls_ms": (None, "no connection was secured"),
        "first_byte_ms": (None, "no first byte was timed"),
        "client_wait_ms": (0.0, None),
    }
    gone = score("n", [timed(0, None, "none")], [price("n")]).timing
    assert (gone.n_attempts, gone.n_timed, gone.client_wait_ms.note) == (1, 0, "no whole reply came")


def test_what_answers_in_the_asking_process_has_no_socket_to_time():
    answer = '{"choice_index": 0, "confidence": 1, "confidence_kind": "rule"}'
    assert score("b", [timed(0, reply=answer, asker="baseline:random")], []).timing is None
    assert score("none", [], []).timing is None


def busy(name: str, n_lagged: int, n: int = 12) -> Any:
    return score(name, [timed(i, lag_ms=20.0 if i < n_lagged else 0.0) for i in range(n)], [price(name)])


def test_a_busy_machine_is_a_finding_above_five_per_cent():
    # 0 of 12, 1 of 12 (8.3 %)
    scores = [busy("calm", 0), busy("busy", 1), score("silent", [timed(0)], [price("silent")])]
    made = release(scores, [price(s.contender) for s in scores])
    check = "times are undisturbed"
    assert [(s.verdict, s.text) for s in made.sanity_lines if s.check == check] == [
        (
            "look",
            "Model busy on `by-hand`: 1 / 12 attempts lagged: this machine was too busy to time this contender.",
        )
    ]
    (table,) = made.time_tables
    (row,) = [r for r in table.rows if r.values[1].text == "Model busy"]
    assert (row.values[3].text, row.values[3].n) == ("8.3", "1 / 12")
    assert [table.notes[n - 1] for n in row.values[3].notes] == ["This machine was too busy to time this contender."]
    calm = release(scores[:1], [])
    assert [(s.verdict, s.text) for s in calm.sanity_lines if s.check == check] == [
        ("ok", "In no cell more than 5 % of the attempts lagged.")
    ]
    # nobody's lag is known: nothing is said of it
    assert not [s for s in release(scores[2:], []).sanity_lines if s.check == check]


@pytest.mark.parametrize("n_lagged, verdict", [(5, "ok"), (6, "look")])
def test_five_per_cent_is_not_above_it(n_lagged, verdict):
    # ten attempts of each item would be too many: retries of one kind, logged by hand, do
    rows = [
        timed(item, lag_ms=20.0 if 10 * item + n < n_lagged else 0.0, number=n + 1)
        for item in range(10)
        for n in range(10)
    ]
    made = release([score("m", rows, [price("m")])], [price("m")])
    assert [s.verdict for s in made.sanity_lines if s.check == "times are undisturbed"] == [verdict]


def test_machine_and_both_latencies_stand_beside_how_times_were_taken():
    run = RunFacts("r-1", AT, {}, {}, {}, Machine(2, "Linux-6.8-x86_64-with-glibc2.39"))
    old = RunFacts("r-0", AT, {}, {})
    made = release([score("m", [timed(0, lag_ms=0.0)], [price("m")])], [price("m")], runs=(run, old))
    markdown, page, cells = published(made)
    part = markdown.split("## How times were taken\n")[1].split("\n## ")[0]
    assert "* `r-1` was made on: 2 cores, Linux-6.8-x86\\_64-with-glibc2.39.\n" in part
    assert "* `r-0` was made on: not recorded.\n" in part
    assert "| `by-hand` | Model m | 1 / 1 | 0.0 0 / 1 | n/a<sup>1</sup> |" in part
    assert "that of a decision" in part and "that of a request" in part
    assert (
        "<code>r-1</code> was made on: 2 cores, Linux-6.8-x86_64-with-glibc2.39." in page and 'id="how-times"' in page
    )
    for scope in ("(decision)", "(request)"):
        assert all(f"### Latency {p} {scope}, ms" in markdown for p in ("p50", "p95", "p99"))
    assert [r["machine"] for r in cells["runs"]] == [
        {"cpu_count": 2, "platform": "Linux-6.8-x86_64-with-glibc2.39"},
        {"cpu_count": None, "platform": None},
    ]
    timing = cells["cells"][0]["timing"]
    assert (timing["n_attempts"], timing["n_timed"], timing["lagged"]["num"], timing["lagged"]["den"]) == (1, 1, 0, 1)
    assert (timing["tls_ms"]["value"], timing["tls_ms"]["note"]) == (None, "no connection was secured")
