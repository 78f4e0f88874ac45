"""What a cell's attempts cost, from logged bytes to its score: every attempt counts, and unknown stays unknown."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from dmb.contracts.attempt import Failure
from tests.scoring.by_hand import attempt, chat, entry, price, score, tokens

TABLE = [price("m")]


@pytest.fixture(autouse=True)
def in_a_scratch_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_every_recorded_attempt_counts():
    found = score(
        "m",
        [
            attempt(chat(tokens(1000, 10), "no JSON"), outcome="malformed"),
            attempt(chat(tokens(2000, 20)), number=2, cause="malformed"),
            attempt(chat(tokens(3000, 30)), item=1),
        ],
        TABLE,
    )
    # 6,000 in at 1 and 60 out at 2 dollars a million; two decisions
    assert (found.cost_usd, found.cost_note) == ("0.00612", None)
    measure = found.metrics["cost_usd_per_1000"]
    assert (measure.value, measure.num, measure.den) == (3.06, 0.00612, 2)
    rate = found.metrics["cost_unknown_rate"]
    assert (rate.value, rate.num, rate.den) == (0, 0, 3)
    assert found.cost.model_dump() == {
        "n_attempts": 3,
        "n_priced": 3,
        "priced_usd": "0.00612",
        "unknown": {},
        "tiers": {"standard": 3},
        "n_charged": 0,
        "charged_usd": None,
        "n_compared": 0,
        "compared_priced_usd": None,
        "compared_charged_usd": None,
    }


def test_attempts_of_unknown_cost_are_counted_by_reason_and_make_the_whole_unknown():
    found = score(
        "m",
        [
            attempt(None),
            attempt(chat(tokens(1000, 10)), number=2, cause="failed"),
            attempt('{"error": {"code": "server_error"}}', item=1, status=500, outcome="failed"),
            attempt(chat(None), item=2),
            attempt(chat(tokens(9, 1, total_tokens=11)), item=3),
            attempt(chat(tokens(9, 1, prompt_tokens_details={"cached_tokens": 10})), item=4),
        ],
        TABLE,
    )
    reasons = {
        "usage not reported": 3,
        "usage buckets do not sum to the provider's total": 1,
        "usage buckets exceed the input": 1,
    }
    note = (
        "usage buckets do not sum to the provider's total (1 attempt); usage buckets exceed the input (1 attempt); "
        "usage not reported (3 attempts)"
    )
    assert (found.cost_usd, found.cost_note, found.cost.unknown) == (None, note, reasons)
    measure = found.metrics["cost_usd_per_1000"]
    assert (measure.value, measure.note) == (None, f"unknown cost for 5 of 5 decisions: {note}")
    rate = found.metrics["cost_unknown_rate"]
    assert (rate.num, rate.den) == (5, 6)
    # what is known of it is kept
    assert (found.cost.n_priced, found.cost.priced_usd) == (1, "0.00102")


def test_what_was_never_sent_costs_nothing():
    unsent = Failure(kind="unsupported", detail="256 options, and at most 255 are taken")
    found = score(
        "m",
        [
            attempt(chat(tokens(1000, 10, cached=0))),
            attempt(None, item=1, failure=unsent, body=None, sent=False, outcome="unsupported"),
            attempt(None, item=2, failure=Failure(kind="transport", detail="no connection"), sent=False),
        ],
        TABLE,
    )
    assert (found.cost_usd, found.cost_note, found.metrics["cost_unknown_rate"].num) == ("0.00102", None, 0)
    assert (found.metrics["cost_usd_per_1000"].den, found.cost.tiers) == (3, {"standard": 1})
    assert found.usage["input_tokens"] == 1000 and found.metrics["cached_share"].note is None
    # a time-out of what was sent may have been billed
    told = score("n", [attempt(None, sent=True)], [price("n")])
    assert (told.cost_usd, told.cost_note) == (None, "usage not reported (1 attempt)")


@pytest.mark.parametrize(
    "status, cost",
    [(429, "0"), (401, "0"), (413, "0"), (503, "0"), (529, "0"), (408, None), (499, None), (500, None), (502, None)],
)
def test_what_was_turned_away_unread_costs_nothing_as_the_ledger_has_it(status, cost):
    refused = attempt('{"error": "no"}', status=status, outcome="failed")
    found = score("m", [refused, attempt(chat(tokens(1_000_000, 0, cached=0)), item=1)], TABLE)
    assert found.cost_usd == (None if cost is None else "1")
    assert found.metrics["cost_unknown_rate"].num == (0 if cost else 1)
    # no tokens went into it, and none came from a cache
    assert found.usage["input_tokens"] == (1_000_000 if cost else None)
    assert (found.metrics["cached_share"].note is None) is (cost is not None)


def test_what_nobody_bills_has_no_record_of_costs():
    found = score("m", [attempt(chat(tokens(10, 1)))], [price("m", unbilled=True, input=None, output=None)])
    assert (found.cost_usd, found.cost_note, found.cost) == ("0", "not billed", None)


# -- charges


def test_charges_and_list_prices_are_summed_over_the_attempts_that_have_both():
    found = score(
        "m",
        [
            # both: 0.001 by the table
            attempt(chat('{"prompt_tokens": 1000, "completion_tokens": 0, "cost": 0.0008}')),
            attempt(chat('{"prompt_tokens": 1000, "completion_tokens": 0, "cost": 1e-4}'), item=1),
            # the table's alone
            attempt(chat('{"prompt_tokens": 5000, "completion_tokens": 0}'), item=2),
            attempt(chat('{"prompt_tokens": 5000, "completion_tokens": 0, "cost": -1}'), item=3),
            # the charge's alone
            attempt(chat('{"cost": 0.5}'), item=4),
        ],
        TABLE,
    )
    cost = found.cost
    assert (cost.n_priced, cost.priced_usd) == (4, "0.012")
    assert (cost.n_charged, cost.charged_usd) == (3, "0.5009")
    assert (cost.n_compared, cost.compared_priced_usd, cost.compared_charged_usd) == (2, "0.002", "0.0009")
    # the table stays what costs are made of
    assert found.cost_usd is None and found.cost.unknown == {"usage not reported": 1}


def test_not_one_digit_of_a_charge_is_lost():
    digits = ["0.1", "0.2", "0.000000000000000000000000000000000001", "100000.7"]
    rows = [
        attempt(chat(f'{{"prompt_tokens": 1, "completion_tokens": 0, "cost": {d}}}'), item=i)
        for i, d in enumerate(digits)
    ]
    assert score("m", rows, TABLE).cost.charged_usd == "100001.000000000000000000000000000000000001"


# -- the cached share


def test_the_cached_share_is_cached_tokens_over_input_tokens():
    found = score(
        "m",
        [attempt(chat(tokens(1000, 1, cached=0))), attempt(chat(tokens(3000, 1, cached=500)), item=1)],
        TABLE,
    ).metrics["cached_share"]
    assert (found.value, found.num, found.den, found.n, found.note) == (0.125, 500, 4000, 2, None)


def test_the_cached_share_is_over_those_who_say_and_counts_those_who_do_not():
    found = score(
        "m",
        [
            attempt(chat(tokens(1000, 1, cached=250))),
            attempt(chat(tokens(9000, 1)), item=1),
            attempt(None, item=2),
            # a cache larger than the prompt is no count
            attempt(chat(tokens(10, 1, cached=11)), item=3),
        ],
        TABLE,
    ).metrics["cached_share"]
    assert (found.num, found.den, found.n) == (250, 1000, 1)
    assert found.note == "3 of 4 attempts do not say how much of their input was cached"


@pytest.mark.parametrize(
    "attempts, note",
    [
        ([attempt(chat(tokens(9, 1)))], "1 of 1 attempts do not say how much of their input was cached"),
        ([attempt(None)], "1 of 1 attempts do not say how much of their input was cached"),
        ([], "no provider read a question"),
        ([attempt("{}", status=429, outcome="failed")], "no provider read a question"),
        (
            [attempt('{"choice_index": 0, "confidence": 1, "confidence_kind": "rule"}', asker="baseline:random")],
            "n/a: it answers in the asking process, without tokens",
        ),
    ],
)
def test_a_share_that_nobody_reports_is_unknown_and_not_nought(attempts, note):
    found = score("m", attempts, TABLE).metrics["cached_share"]
    assert (found.value, found.note) == (None, note)


# -- the tier

FLEX = price("m", tier="flex", input="0.5", cached="0.05", output="1")


@pytest.mark.parametrize(
    "ordered, served, cost, tiers",
    [
        (None, None, "1", {"standard": 1}),
        ("flex", None, "0.5", {"flex": 1}),
        ("flex", "flex", "0.5", {"flex": 1}),
        # the provider had no room in that tier, and bills what it did
        ("flex", "default", "1", {"standard": 1}),
        (None, "flex", "0.5", {"flex": 1}),
        ("auto", "flex", "0.5", {"flex": 1}),
        ("auto", None, "1", {"standard": 1}),
        ("default", "auto", "1", {"standard": 1}),
        ("flex", "priority", None, {"priority": 1}),
    ],
)
def test_the_tier_that_served_is_priced_and_else_the_one_that_was_ordered(ordered, served, cost, tiers):
    who = entry("m", **({"service_tier": ordered} if ordered else {}))
    reply = chat(tokens(1_000_000, 0), **({"service_tier": served} if served else {}))
    found = score("m", [attempt(reply)], [*TABLE, FLEX], who)
    assert (found.cost_usd, found.cost.tiers) == (cost, tiers)
    if cost is None:
        assert found.cost_note == "no price row for this model and date in the priority tier (1 attempt)"


# -- other wires


def test_gemini_thinks_beside_its_candidates_and_anthropic_caches_beside_its_input():
    gemini = {
        "candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": '{"choice_index": 0}'}]}}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "thoughtsTokenCount": 40},
    }
    gemini["usageMetadata"]["totalTokenCount"] = 150
    found = score("g", [attempt(json.dumps(gemini), asker="wire:generate_content")], [price("g")])
    # 100 in at 1 and 50 out at 2
    assert (found.cost_usd, found.usage["reasoning_tokens"]) == ("0.0002", 40)
    claude = {
        "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "no"}],
        "usage": {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 10},
    }
    found = score("a", [attempt(json.dumps(claude), asker="wire:messages")], [price("a")])
    # 100 fresh at 1, 900 cached at 0.1, 10 out at 2
    assert found.cost_usd == "0.00021"
    share = found.metrics["cached_share"]
    assert (share.num, share.den) == (900, 1000)


def test_a_sum_of_costs_is_exact():
    rows = [attempt(chat(tokens(1, 0)), item=i) for i in range(3)]
    found = score("m", rows, [price("m", input="0.1")])
    assert Decimal(found.cost_usd) == Decimal("0.0000003")
