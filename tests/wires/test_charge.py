"""What a reply says of its bill: the charge to the digit, the tier that served, the provider's own sum."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.contracts.attempt import Usage
from dmb.contracts.price import PriceRow
from dmb.contracts.reply import Reply
from dmb.price_tiers import ordered_tier, tier_named
from dmb.pricing import attempt_cost_usd
from dmb.wires import WIRES

CHOICE = {"type": "choice", "choice": "Billing", "confidence": 0.9, "probabilities": {"Billing": 0.9, "other": 0.1}}
WRITTEN = '{"choice_index": 0, "confidence": 0.9}'
INTO_AND_OUT = {"input_tokens": 118, "output_tokens": 6}

#: Wire -> a reply of its server, and where its usage stands.
REPLIES = {
    "systemone": ({"answers": {"queue": CHOICE}, "usage": INTO_AND_OUT}, "usage"),
    "decisions": ({"answers": {"queue": CHOICE}, "usage": INTO_AND_OUT}, "usage"),
    "chat_completions": (
        {
            "choices": [{"finish_reason": "stop", "message": {"content": WRITTEN}}],
            "usage": {"prompt_tokens": 118, "completion_tokens": 6},
        },
        "usage",
    ),
    "responses": (
        {
            "status": "completed",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": WRITTEN}]}],
            "usage": INTO_AND_OUT,
        },
        "usage",
    ),
    "messages": (
        {"stop_reason": "end_turn", "content": [{"type": "text", "text": WRITTEN}], "usage": INTO_AND_OUT},
        "usage",
    ),
    "generate_content": (
        {
            "candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": WRITTEN}]}}],
            "usageMetadata": {"promptTokenCount": 118, "candidatesTokenCount": 6},
        },
        "usageMetadata",
    ),
}
#: Gemini's API has no gateway in front of it that would say what it charged.
CHARGED = sorted(set(WIRES) - {"generate_content"})


def used(name: str, more: str = "", beside: dict | None = None) -> Usage | None:
    """The usage of a wire's reply. ``more``: JSON text put inside its usage, digits and all."""
    reply, place = REPLIES[name]
    text = json.dumps(reply | (beside or {}))
    if more:
        counts = json.dumps(reply[place])
        assert counts in text
        text = text.replace(counts, f"{counts[:-1]}, {more}}}")
    read = WIRES[name].read(200, {}, text.encode(), ["queue"])
    assert isinstance(read, Reply) and read.answers
    return read.usage


def test_every_wire_has_a_reply_here():
    assert set(REPLIES) == set(WIRES)


# -- the charge


@pytest.mark.parametrize("name", CHARGED)
@pytest.mark.parametrize(
    "digits",
    [
        "0.000004956",
        # no float is any of these
        "0.1",
        "0.1000000000000000055",
        "0.30000000000000000000000001",
        "4.956e-06",
        "12",
        "0",
        "999999.999999",
    ],
)
def test_a_charge_is_what_its_digits_say(name, digits):
    found = used(name, f'"cost": {digits}')
    assert found.charged_usd == Decimal(digits) and found.input_tokens == 118


@pytest.mark.parametrize("name", CHARGED)
@pytest.mark.parametrize(
    "written",
    [
        "-0.01",
        "true",
        "false",
        '"0.01"',
        "null",
        "[0.01]",
        '{"total_cost": 0.01}',
        "1e999",
        "1e99999999999999999999999",
        "1e-99999999999999999999999",
        "1000000",
        "1" + "0" * 4000,
        "0." + "0" * 50 + "1",
        # the fee of a gateway that was given somebody's own key is not the bill
        '0.01, "is_byok": true',
    ],
)
def test_what_is_no_charge_is_not_reported(name, written):
    found = used(name, f'"cost": {written}')
    assert found is not None and found.charged_usd is None


def test_a_charge_is_below_nothing_only_in_its_sign():
    found = used("decisions", '"cost": -0.0')
    assert found.charged_usd == 0 and not found.charged_usd.is_signed()


@pytest.mark.parametrize("name", CHARGED)
def test_nan_is_no_json_and_no_answer_either(name):
    reply, _ = REPLIES[name]
    body = json.dumps(reply | {"usage": {"cost": float("nan")}}).encode()
    assert WIRES[name].read(200, {}, body, ["queue"]).malformed == "the reply is no JSON object"


@pytest.mark.parametrize("name", CHARGED)
def test_a_gateway_of_opencode_puts_it_deeper(name):
    assert used(name, '"opencode": {"list_cost": 0.00012}').charged_usd == Decimal("0.00012")
    # a charge is nearer to the bill than a list price
    assert used(name, '"opencode": {"list_cost": 0.2}, "cost": 0.1').charged_usd == Decimal("0.1")
    assert used(name, '"opencode": [0.2], "cost": null').charged_usd is None


@pytest.mark.parametrize("name", CHARGED)
def test_a_charge_without_counts_is_kept_and_counts_nothing(name):
    reply, _ = REPLIES[name]
    for counts in ({}, dict.fromkeys(reply["usage"], 0)):
        body = json.dumps(reply | {"usage": counts | {"cost": 0.5}}).encode()
        found = WIRES[name].read(200, {}, body, ["queue"]).usage
        assert (found.charged_usd, found.input_tokens, found.output_tokens) == (Decimal("0.5"), None, None)


def test_cloudflare_says_no_charge_whatever_stands_around_it():
    result = {"answers": {"queue": CHOICE}, "usage": INTO_AND_OUT | {"cost": 0.1}}
    body = json.dumps({"result": result, "success": True, "errors": []}).encode()
    found = WIRES["decisions"].read(200, {}, body, ["queue"]).usage
    assert found == Usage(input_tokens=118, output_tokens=6)


@given(st.decimals(min_value=0, max_value=99999, places=12))
def test_any_amount_comes_out_as_it_went_in(amount):
    assert used("chat_completions", f'"cost": {amount}').charged_usd == amount


# -- the tier


@pytest.mark.parametrize(
    "word, tier",
    [
        ("default", "standard"),
        ("standard", "standard"),
        ("Standard", "standard"),
        ("standard_only", "standard"),
        ("flex", "flex"),
        ("priority", "priority"),
        ("fast", "priority"),
        ("batch", "batch"),
        # known to nobody here: kept, so that its price is unknown instead of another tier's
        ("ultra_fast", "ultra-fast"),
        ("x" * 200, "x" * 60),
        # these name none
        ("auto", None),
        ("unspecified", None),
        ("", None),
        (" — ", None),
        (None, None),
        (7, None),
        (["flex"], None),
    ],
)
def test_words_for_tiers(word, tier):
    assert tier_named(word) == tier
    assert ordered_tier({"service_tier": word}) == (tier or "standard")


@pytest.mark.parametrize("name", ["chat_completions", "responses"])
def test_the_reply_says_which_tier_served(name):
    assert used(name, beside={"service_tier": "flex"}).tier == "flex"
    assert used(name, beside={"service_tier": "default"}).tier == "standard"
    assert used(name, beside={"service_tier": None}).tier is None


def test_others_say_it_in_the_usage():
    assert used("messages", '"service_tier": "batch"').tier == "batch"
    assert used("generate_content", '"serviceTier": "priority"').tier == "priority"


# -- the sum

ROW = PriceRow(provider="p", model="m", input="1", cached="0.1", output="2", source="s", checked_on="2026-11-30")
NO_SUM = "usage buckets do not sum to the provider's total"


@pytest.mark.parametrize(
    "name, more, cost",
    [
        # 118 in at 1 and 6 out at 2 USD per million
        ("chat_completions", '"total_tokens": 124', "0.00013"),
        ("chat_completions", '"total_tokens": 125', None),
        ("chat_completions", '"total_tokens": 0', None),
        ("chat_completions", '"total_tokens": null', "0.00013"),
        ("responses", '"total_tokens": 124', "0.00013"),
        ("responses", '"total_tokens": 118', None),
        ("decisions", '"total_tokens": 124', "0.00013"),
        ("decisions", '"total_tokens": 1240', None),
        # 30 thoughts stand beside the 6 of the candidates, and both are output
        ("generate_content", '"thoughtsTokenCount": 30, "totalTokenCount": 154', "0.00019"),
        ("generate_content", '"thoughtsTokenCount": 30, "totalTokenCount": 124', None),
        ("generate_content", '"toolUsePromptTokenCount": 5, "totalTokenCount": 129', None),
        # DeepSeek counts both parts of the prompt: 54 fresh ones, 64 from the cache
        ("chat_completions", '"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 54', "0.0000724"),
        ("chat_completions", '"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 118', None),
        # no total of its own, and the cache outside the input: 118 fresh ones and 10 from the cache
        ("messages", '"cache_read_input_tokens": 10', "0.000131"),
        ("systemone", '"total_tokens": 999', "0.00013"),
    ],
)
def test_buckets_sum_to_the_providers_own_total_or_the_cost_is_unknown(name, more, cost):
    found = attempt_cost_usd([ROW], used(name, more), dt.datetime(2026, 11, 30, tzinfo=dt.UTC))
    assert found == ((Decimal(cost), None) if cost else (None, NO_SUM))
