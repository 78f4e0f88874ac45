"""Anthropic's SDK talks to the simulator, reads its replies strictly, and finds in them what DMB finds."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from dmb.contracts.request import Request
from dmb.simulate import Simulator
from tests.oracles.asking import KEY, QUESTION, QUESTIONS, Case, installed, strict_client
from tests.oracles.on_simulator import Answers, answers_in, dmb_reads, fault, written_answers

anthropic = installed("anthropic", "what Anthropic sends")

MODEL = "claude-haiku-4-5"
NEWEST = "2026-10-21"
BEARER = {"auth": "bearer"}

CASES = {
    name: Case("messages", model, settings, BEARER)
    for name, model, settings in (
        ("forced tool", MODEL, {"structured": "forced_tool", "temperature": 0}),
        ("forced tool, newest", MODEL, {"structured": "forced_tool", "version": NEWEST}),
        ("native", MODEL, {"structured": "native", "temperature": 0}),
        ("native, thinking", "claude-sonnet-5-5", {"structured": "native", "version": NEWEST, "effort": "low"}),
        ("plain", MODEL, {"structured": "plain"}),
    )
}
ONE_OF_EACH = ("forced tool", "native")
MODELS = {"anthropic": [MODEL, "claude-sonnet-5-5"]}


@cache
def sdk(simulator: Simulator, key: str = KEY, max_retries: int = 0) -> Any:
    return strict_client(anthropic.Anthropic, f"{simulator.address}/anthropic", key, max_retries)


def sdk_asks(simulator: Simulator, case: Case, request: Request = QUESTION, **client: Any) -> Any:
    """The very body that DMB sends, through the SDK; so the simulator gives both the same answer."""
    sent = case.sent(request)
    known = {k: v for k, v in sent.body.items() if k != "temperature"}
    gone = {k: v for k, v in sent.body.items() if k == "temperature"}
    version = {"anthropic-version": sent.headers["anthropic-version"]}
    return sdk(simulator, **client).messages.create(**known, extra_body=gone or None, extra_headers=version)


def answers_of(case: Case, reply: Any, request: Request) -> Answers:
    """What the SDK reads."""
    if case.settings["structured"] == "forced_tool":
        [value] = [b.input for b in reply.content if b.type == "tool_use"]
    else:
        [value] = [json.loads(b.text) for b in reply.content if b.type == "text"]
    return written_answers(value, request)


@pytest.mark.parametrize(
    "name, asked",
    # in words alone only one slot is asked for
    [(n, q) for n in CASES for q in QUESTIONS if q != "2 slots" or n != "plain"],
)
def test_the_sdk_and_dmb_read_the_same(simulator: Simulator, name: str, asked: str) -> None:
    case, request = CASES[name], QUESTIONS[asked]
    reply, verdict = sdk_asks(simulator, case, request), dmb_reads(case, request, f"{simulator.address}/anthropic")
    assert verdict.outcome == "valid", verdict
    assert answers_of(case, reply, request) == answers_in(verdict)
    assert reply.model == verdict.served_model
    assert reply.usage.output_tokens == verdict.usage.output_tokens
    assert reply.usage.output_tokens_details.thinking_tokens == verdict.usage.reasoning_tokens


@pytest.mark.parametrize("do", ["cached_tokens", "cache_write_tokens"])
def test_buckets_of_usage(simulator: Simulator, do: str) -> None:
    simulator.use(fault(do, tokens=12))
    theirs = sdk_asks(simulator, CASES["native"]).usage
    ours = dmb_reads(CASES["native"], QUESTION, f"{simulator.address}/anthropic").usage
    buckets = (theirs.cache_read_input_tokens, theirs.cache_creation_input_tokens)
    assert buckets == (ours.cached_tokens, ours.cache_write_tokens) and sum(buckets) == 12
    # what is cached stands beside the input here, and is part of it in DMB's words
    assert theirs.input_tokens + sum(buckets) == ours.input_tokens


@pytest.mark.parametrize("name", ONE_OF_EACH)
@pytest.mark.parametrize(
    "do, stop, outcome",
    [
        ("refusal", "refusal", "refused"),
        ("truncated", "max_tokens", "truncated"),
        ("eaten_by_reasoning", "max_tokens", "truncated"),
    ],
)
def test_ends_that_are_no_answer(simulator: Simulator, do: str, stop: str, outcome: str, name: str) -> None:
    simulator.use(fault(do))
    assert sdk_asks(simulator, CASES[name]).stop_reason == stop
    assert dmb_reads(CASES[name], QUESTION, f"{simulator.address}/anthropic").outcome == outcome


@pytest.mark.parametrize("do", ["usage_missing", "html_200"])
def test_a_reply_of_a_wrong_form_is_seen(simulator: Simulator, do: str) -> None:
    """The oracle itself: strict reading is on."""
    simulator.use(fault(do))
    with pytest.raises((anthropic.APIResponseValidationError, json.JSONDecodeError)):
        sdk_asks(simulator, CASES["native"])


#: Fault -> the SDK's exception, status, type, and the kind that DMB gives it.
ERRORS: dict[str, tuple[str, int, str | None, str]] = {
    "rate_limit": ("RateLimitError", 429, "rate_limit_error", "rate_limit"),
    "bad_key": ("AuthenticationError", 401, "authentication_error", "authentication"),
    "permission": ("PermissionDeniedError", 403, "permission_error", "permission"),
    "no_money": ("PaymentRequiredError", 402, "billing_error", "budget"),
    "unknown_model": ("NotFoundError", 404, "not_found_error", "rejected"),
    "context_too_long": ("BadRequestError", 400, "invalid_request_error", "unsupported"),
    "overloaded": ("OverloadedError", 529, "overloaded_error", "overloaded"),
    "internal_error": ("InternalServerError", 500, "api_error", "overloaded"),
    "html_502": ("InternalServerError", 502, None, "overloaded"),
    "gateway_timeout": ("GatewayTimeoutError", 504, "timeout_error", "timeout"),
}


@pytest.mark.parametrize("do", ERRORS)
def test_errors(simulator: Simulator, do: str) -> None:
    simulator.use(fault(do))
    kind, status, name, ours = ERRORS[do]
    with pytest.raises(anthropic.APIStatusError) as caught:
        sdk_asks(simulator, CASES["native"])
    assert (type(caught.value).__name__, caught.value.status_code, caught.value.type) == (kind, status, name)
    assert dmb_reads(CASES["native"], QUESTION, f"{simulator.address}/anthropic").failure.kind == ours


def test_a_wrong_key_and_an_unknown_model(simulator: Simulator) -> None:
    with pytest.raises(anthropic.AuthenticationError):
        sdk_asks(simulator, CASES["native"], key="wrong")
    with pytest.raises(anthropic.NotFoundError):
        sdk_asks(simulator, Case("messages", "claude-nope", {}, BEARER))


def test_a_temperature_is_refused_under_the_newest_version(simulator: Simulator) -> None:
    with pytest.raises(anthropic.BadRequestError, match="temperature"):
        sdk_asks(simulator, Case("messages", MODEL, {"temperature": 0, "version": NEWEST}, BEARER))


def test_the_sdk_waits_as_the_reply_says_and_asks_once_more(simulator: Simulator) -> None:
    simulator.use(fault("overloaded", first=1))
    before = simulator.counts()["requests"]
    case = Case("messages", MODEL, {"max_output_tokens": 77}, BEARER)
    assert sdk_asks(simulator, case, max_retries=1).stop_reason == "end_turn"
    assert simulator.counts()["requests"] == before + 2
