"""OpenAI's SDK talks to the simulator, reads its replies strictly, and finds in them what DMB finds."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from dmb.contracts.request import Request
from dmb.simulate import Simulator
from tests.oracles.asking import KEY, QUESTION, QUESTIONS, Case, installed, question, strict_client
from tests.oracles.on_simulator import Answers, answers_in, dmb_reads, fault, written_answers

openai = installed("openai", "what OpenAI sends")

MODEL = "gpt-5.4-nano"

CASES = {
    **{
        f"chat {settings['structured']}": Case("chat_completions", MODEL, settings, {})
        for settings in (
            {"structured": "json_schema", "temperature": 0, "reasoning": "none"},
            {"structured": "json_mode", "max_output_tokens": 200},
            {"structured": "plain", "logprobs": 5, "seed": 1},
        )
    },
    "responses json_schema": Case("responses", MODEL, {"structured": "json_schema", "reasoning": "low"}, {}),
    "responses plain": Case("responses", MODEL, {"structured": "plain", "temperature": 0}, {}),
    "decisions": Case("decisions", "gpt-6-luna", {}, {}),
}
SEVERAL = ("json_schema", None)
ONE_OF_EACH = ("chat json_schema", "responses json_schema", "decisions")
MODELS = {"openai": [MODEL, "gpt-6-luna"]}


@cache
def sdk(simulator: Simulator, key: str = KEY, max_retries: int = 0) -> Any:
    return strict_client(openai.OpenAI, f"{simulator.address}/openai/v1", key, max_retries)


def sdk_asks(simulator: Simulator, case: Case, request: Request = QUESTION, **client: Any) -> Any:
    """The very body that DMB sends, through the SDK; so the simulator gives both the same answer."""
    body, by = case.sent(request).body, sdk(simulator, **client)
    return {
        "chat_completions": by.chat.completions.create,
        "responses": by.responses.create,
        "decisions": by.decisions.create,
    }[case.wire](**body)


def answers_of(case: Case, reply: Any, request: Request) -> Answers:
    """What the SDK reads."""
    if case.wire == "decisions":
        return {a.name: (request.options.index(a.choice), a.confidence) for a in reply.answers}
    value = json.loads(reply.choices[0].message.content if case.wire == "chat_completions" else reply.output_text)
    return written_answers(value, request)


def counts_of(case: Case, reply: Any) -> tuple[int, int]:
    """Tokens read and written."""
    usage = reply.usage
    if case.wire == "chat_completions":
        return usage.prompt_tokens, usage.completion_tokens
    return usage.input_tokens, usage.output_tokens


@pytest.mark.parametrize(
    "name, asked",
    # in words alone only one slot is asked for
    [(n, q) for n, c in CASES.items() for q in QUESTIONS if q != "2 slots" or c.settings.get("structured") in SEVERAL],
)
def test_the_sdk_and_dmb_read_the_same(simulator: Simulator, name: str, asked: str) -> None:
    case, request = CASES[name], QUESTIONS[asked]
    reply, verdict = sdk_asks(simulator, case, request), dmb_reads(case, request, f"{simulator.address}/openai")
    assert verdict.outcome == "valid", verdict
    assert answers_of(case, reply, request) == answers_in(verdict)
    assert counts_of(case, reply) == (verdict.usage.input_tokens, verdict.usage.output_tokens)
    assert reply.model == verdict.served_model


@pytest.mark.parametrize("do", ["cached_tokens", "cache_write_tokens", "reasoning_tokens"])
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_buckets_of_usage(simulator: Simulator, name: str, do: str) -> None:
    simulator.use(fault(do, tokens=12))
    usage = sdk_asks(simulator, CASES[name]).usage
    chat = CASES[name].wire == "chat_completions"
    read_in = usage.prompt_tokens_details if chat else usage.input_tokens_details
    out = usage.completion_tokens_details if chat else usage.output_tokens_details
    ours = dmb_reads(CASES[name], QUESTION, f"{simulator.address}/openai").usage
    assert (read_in.cached_tokens, read_in.cache_write_tokens) == (ours.cached_tokens, ours.cache_write_tokens)
    assert out.reasoning_tokens == ours.reasoning_tokens
    assert usage.total_tokens == ours.input_tokens + ours.output_tokens


# -- ends that are no answer


def test_refusals(simulator: Simulator) -> None:
    simulator.use(fault("refusal"))
    message = sdk_asks(simulator, CASES["chat json_schema"]).choices[0].message
    assert message.refusal and message.content is None
    [part] = sdk_asks(simulator, CASES["responses json_schema"]).output[-1].content
    assert part.type == "refusal" and part.refusal
    [answer] = sdk_asks(simulator, CASES["decisions"]).answers
    assert (answer.type, answer.name) == ("refusal", "queue")
    for name in ONE_OF_EACH:
        assert dmb_reads(CASES[name], QUESTION, f"{simulator.address}/openai").outcome == "refused"


@pytest.mark.parametrize(
    "do, finish, reason, outcome",
    [
        ("truncated", "length", "max_output_tokens", "truncated"),
        ("eaten_by_reasoning", "length", "max_output_tokens", "truncated"),
        ("content_filter", "content_filter", "content_filter", "refused"),
    ],
)
def test_replies_that_stop_early(simulator: Simulator, do: str, finish: str, reason: str, outcome: str) -> None:
    simulator.use(fault(do))
    assert sdk_asks(simulator, CASES["chat json_schema"]).choices[0].finish_reason == finish
    reply = sdk_asks(simulator, CASES["responses json_schema"])
    assert (reply.status, reply.incomplete_details.reason) == ("incomplete", reason)
    for name in ONE_OF_EACH[:2]:
        assert dmb_reads(CASES[name], QUESTION, f"{simulator.address}/openai").outcome == outcome


def test_an_overload_told_inside_a_reply(simulator: Simulator) -> None:
    simulator.use(fault("overload_in_200"))
    reply = sdk_asks(simulator, CASES["responses json_schema"])
    assert reply.status == "failed" and reply.error.code


def test_a_reply_of_a_wrong_form_is_seen(simulator: Simulator) -> None:
    """The oracle itself: strict reading is on."""
    simulator.use(fault("html_200"))
    for name in ONE_OF_EACH:
        with pytest.raises((openai.APIResponseValidationError, json.JSONDecodeError)):
            sdk_asks(simulator, CASES[name])


# -- errors

#: Fault -> the SDK's exception, status, code, and the kind that DMB gives it.
ERRORS: dict[str, tuple[str, int, str | None, str]] = {
    "rate_limit": ("RateLimitError", 429, "rate_limit_exceeded", "rate_limit"),
    "no_money": ("RateLimitError", 429, "insufficient_quota", "budget"),
    "bad_key": ("AuthenticationError", 401, "invalid_api_key", "authentication"),
    "permission": ("PermissionDeniedError", 403, "unsupported_country_region_territory", "permission"),
    "unknown_model": ("NotFoundError", 404, "model_not_found", "rejected"),
    "context_too_long": ("BadRequestError", 400, "context_length_exceeded", "unsupported"),
    "overloaded": ("InternalServerError", 503, "server_is_overloaded", "overloaded"),
    "internal_error": ("InternalServerError", 500, None, "overloaded"),
    "html_502": ("InternalServerError", 502, None, "overloaded"),
    "gateway_timeout": ("InternalServerError", 504, None, "timeout"),
}


@pytest.mark.parametrize("name", ONE_OF_EACH)
@pytest.mark.parametrize("do", ERRORS)
def test_errors(simulator: Simulator, do: str, name: str) -> None:
    simulator.use(fault(do))
    kind, status, code, ours = ERRORS[do]
    with pytest.raises(openai.APIStatusError) as caught:
        sdk_asks(simulator, CASES[name])
    assert (type(caught.value).__name__, caught.value.status_code, caught.value.code) == (kind, status, code)
    verdict = dmb_reads(CASES[name], QUESTION, f"{simulator.address}/openai")
    assert verdict.failure.kind == ours


def test_a_wrong_key_and_an_unknown_model(simulator: Simulator) -> None:
    for name in ONE_OF_EACH:
        with pytest.raises(openai.AuthenticationError):
            sdk_asks(simulator, CASES[name], key="wrong")
        with pytest.raises(openai.NotFoundError):
            sdk_asks(simulator, Case(CASES[name].wire, "gpt-nope", {}, {}))


def test_more_options_than_a_decision_has(simulator: Simulator) -> None:
    many, case = question(256, QUESTION.slots[0]), CASES["decisions"]
    choices = [{"value": text} for text in many.options]
    with pytest.raises(openai.BadRequestError) as caught:
        sdk(simulator).decisions.create(
            model=case.model,
            input=many.state,
            questions=[{"type": "choice", "name": "q", "instructions": many.instructions, "choices": choices}],
        )
    assert caught.value.param.endswith("choices")


@pytest.mark.parametrize("form", ["seconds", "ms"])
def test_the_sdk_waits_as_the_reply_says_and_asks_once_more(simulator: Simulator, form: str) -> None:
    simulator.use(fault("rate_limit", first=1, form=form, seconds=0.01))
    case = Case("chat_completions", MODEL, {"seed": {"seconds": 11, "ms": 12}[form]}, {})
    before = simulator.counts()["requests"]
    assert sdk_asks(simulator, case, max_retries=1).choices[0].finish_reason == "stop"
    assert simulator.counts()["requests"] == before + 2


def test_the_list_of_models(simulator: Simulator) -> None:
    assert {m.id for m in sdk(simulator).models.list()} == {MODEL, "gpt-6-luna"}
