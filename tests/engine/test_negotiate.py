"""What a contender accepts is found out by asking, once a run, and never for anybody who is not asked."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest

from dmb.canonical import sha256_hex
from dmb.engine.cell import ask_cell
from dmb.engine.negotiate import _Ladder
from dmb.ledger.shelf import read_totals
from dmb.store.attempts import first_rows_sha256, read_attempts
from dmb.store.layout import budget_dir, probes_dir, raw_log, receipt_path, run_dir
from dmb.store.receipts import load_receipt
from dmb.store.runs import end_run
from tests.engine.made_up import Server, ask, begin, planned, receipt_of

STRUCTURES = ("json_schema", "json_mode", "plain")
PRICE = {"provider": "lab", "model": "m", "input": "1", "output": "1", "source": "s", "checked_on": "2026-11-30"}


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def chat(*refused: str, wordless: bool = False):
    """A Chat Completions server that turns away requests with one of these in their body, and says so or not."""

    def answer(_number: int, body: dict) -> tuple[int, dict, bytes]:
        text = json.dumps(body)
        if (word := next((w for w in refused if w in text), None)) is not None:
            error = {
                "error": {"message": "no" if wordless else f"{word} is not supported", "type": "invalid_request_error"}
            }
            return 400, {}, json.dumps(error).encode()
        message = {"role": "assistant", "content": json.dumps({"choice_index": 0, "confidence": 0.5})}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return 200, {}, json.dumps({"model": "m", "choices": [choice], "usage": usage}).encode()

    return answer


def auto(server: Server, contender: str = "m", **settings):
    entry = {
        "provider": "lab",
        "wire": "chat_completions",
        "model": "m",
        "settings": {"structured": "auto", "max_output_tokens": 64, **settings},
        "display": {"label": "M"},
    }
    return planned(contender, entry, {"address": server.address, "billed": True}, prices=[PRICE])


@pytest.mark.parametrize(
    "refused, wordless, found, probes",
    [
        ((), False, {"structured": "json_schema", "temperature": 0, "reasoning": "low"}, 1),
        (("json_schema",), False, {"structured": "json_mode", "temperature": 0, "reasoning": "low"}, 2),
        (("response_format",), False, {"structured": "plain", "temperature": 0, "reasoning": "low"}, 3),
        (("temperature",), False, {"structured": "json_schema", "reasoning": "low"}, 2),
        (("temperature", "reasoning_effort"), False, {"structured": "json_schema"}, 3),
        (("json_schema", "temperature"), False, {"structured": "json_mode", "reasoning": "low"}, 3),
        # a server that does not say what it does not like: all ways of structuring, then without a temperature
        (("temperature",), True, {"structured": "json_schema", "reasoning": "low"}, 4),
    ],
)
def test_what_is_accepted_is_asked_with(refused, wordless, found, probes):
    with Server(chat(*refused, wordless=wordless)) as server:
        cell = auto(server, temperature=0, reasoning="low")
        run = begin(cell)
        receipt = ask(run, cell)
        sent = [body for _, _, body in server.sent]
    assert (receipt.status, receipt.outcomes["valid"]) == ("complete", receipt.n_expected)
    assert len(sent) == probes + receipt.n_expected
    told = json.loads((probes_dir(run) / "m.json").read_text())
    assert told["settings"] == found | {"max_output_tokens": 64} and len(told["probes"]) == probes
    assert told["given_up"] == sorted({"temperature", "reasoning"} - set(found))
    for body in sent[probes:]:
        assert ("temperature" in body, "reasoning_effort" in body) == ("temperature" in found, "reasoning" in found)
    rows = list(read_attempts(probes_dir(run) / "m.jsonl"))
    assert [r.suite for r in rows] == ["negotiation"] * probes
    log = probes_dir(run) / "m.jsonl"
    assert [n.model_dump() for n in receipt.negotiation] == [
        {
            "run": run,
            "settings": told["settings"],
            "given_up": tuple(told["given_up"]),
            "n_probes": probes,
            "n_attempts": probes,
            "log": str(log),
            "log_sha256": sha256_hex(log.read_bytes()),
        }
    ]
    # none of them is among the attempts that are scored
    assert len(list(read_attempts(raw_log(run, "m", "s")))) == receipt.n_attempts == receipt.n_expected
    totals = read_totals(budget_dir("v9"))
    # 110 tokens at a dollar a million; what was turned away is not billed
    assert f"{totals.negotiation_usd:f}" == "0.00011" and totals.scored_usd * 1_000_000 == 110 * receipt.n_expected


def test_a_contender_that_accepts_nothing_stops_its_cell_alone():
    with Server(chat("messages")) as server:
        cell = auto(server)
        receipt = ask(begin(cell), cell)
        assert len(server.sent) == len(STRUCTURES)
    assert receipt.status == "stopped" and receipt.stop_reason.startswith(
        "execution: negotiation with m: nothing is accepted"
    )
    assert receipt.outcomes["skipped"] == receipt.n_expected
    (found,) = receipt.negotiation
    assert (found.settings, found.given_up, found.n_probes) == (None, (), len(STRUCTURES))


def test_where_nothing_was_found_the_next_cell_probes_on_and_both_receipts_hold():
    refusing = ["messages"]
    with Server(lambda *asked: chat(*refusing)(*asked)) as server:
        cells = [auto(server), auto(server, seed=1)]
        cells[1] = (cells[1][0], cells[1][1] | {"suite": "t"})
        run = begin(*cells)
        first = ask(run, cells[0])
        refusing.clear()
        ask_cell(run, cells[1][0][:16], (path := receipt_path("m", "t", cells[1][0], 1)))
    (found,), (later,) = first.negotiation, load_receipt(path).negotiation
    assert (found.settings, found.n_probes) == (None, 3) and (later.settings["structured"], later.n_probes) == (
        "json_schema",
        4,
    )
    for told in (found, later):
        assert first_rows_sha256(Path(told.log), told.n_attempts) == told.log_sha256
    assert first_rows_sha256(Path(later.log), 5) is None


def test_a_cell_that_is_continued_names_the_probes_of_every_run_that_asked_it():
    with Server(chat("json_schema")) as server:
        cell = auto(server)
        first = begin(cell)
        ask(first, cell)
        # as a kill leaves it: two rows, and no receipt
        log = raw_log(first, "m", "s")
        log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
        receipt_of(cell).unlink()
        end_run(first)
        second = begin(cell)
        receipt = ask(second, cell)
        third = begin(again := (cell[0], cell[1] | {"number": 2}))
        taken_over = ask(third, again)
        assert len(server.sent) == 2 * 2 + 2 * receipt.n_expected - 2
    assert [n.run for n in receipt.negotiation] == [first, second]
    # nothing was left to ask, so nobody was probed
    assert taken_over.n_imported == receipt.n_expected and not probes_dir(third).exists()
    assert taken_over.negotiation == receipt.negotiation
    # a run is deleted once its rows are imported, and another one's log of probes is damaged: no receipt hangs on that
    shutil.rmtree(run_dir(first))
    (probes_dir(second) / "m.jsonl").write_text("no row\n")
    fourth = begin(again := (cell[0], cell[1] | {"number": 3}))
    receipt = ask(fourth, again)
    assert (receipt.status, receipt.n_asked) == ("complete", 0)
    assert [(n.run, n.n_probes, n.log_sha256) for n in receipt.negotiation] == [
        (first, None, None),
        (second, None, None),
    ]


def test_two_cells_of_one_contender_probe_once():
    with Server(chat("json_schema")) as server:
        cells = [auto(server), auto(server, seed=1)]
        cells[1] = (cells[1][0], cells[1][1] | {"suite": "s"})
        other = auto(server, "other")
        run = begin(*cells, other)
        threads = [threading.Thread(target=ask, args=(run, c)) for c in (cells[0], other)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        before = len(server.sent)
        assert sorted(p.name for p in probes_dir(run).glob("*.json")) == ["m.json", "other.json"]
        second = ask(run, cells[1])
        assert len(server.sent) - before == cells[1][1]["n_expected"]
    assert second.negotiation == load_receipt(receipt_of(cells[0])).negotiation != ()


def test_an_entry_that_is_not_auto_is_never_probed():
    with Server(chat()) as server:
        cell = auto(server, structured="plain")
        run = begin(cell)
        assert len(server.sent) == 0
        receipt = ask(run, cell)
        assert len(server.sent) == receipt.n_expected and not probes_dir(run).exists()
        assert receipt.negotiation == ()


@pytest.mark.parametrize("settings", [{}, {"temperature": 0}, {"temperature": 0, "reasoning": "low", "thinking": "on"}])
def test_the_ladder_ends_and_tries_nothing_twice(settings):
    tried = [json.dumps(s, sort_keys=True) for s in _Ladder(settings, STRUCTURES)]
    assert len(tried) == len(set(tried)) == len(STRUCTURES) * (len(settings) + 1)
