"""google-genai talks to the simulator, accepts its replies, and finds in them what DMB finds."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from dmb.contracts.request import Request
from dmb.simulate import Simulator
from tests.oracles.asking import KEY, QUESTION, QUESTIONS, Case, installed
from tests.oracles.on_simulator import answers_in, dmb_reads, fault, written_answers

genai = installed("google.genai", "what Google sends")

# an unknown word in an enumeration only warns
pytestmark = pytest.mark.filterwarnings("error::UserWarning")

MODEL = "gemini-3.5-flash"
DECISIONS = Case("decisions", MODEL, {}, {"shape": "google"})
CASES = {
    name: Case("generate_content", MODEL, settings, {})
    for name, settings in (
        ("json_schema", {"structured": "json_schema", "temperature": 0, "thinking_budget": 0}),
        ("json_mode", {"structured": "json_mode", "thinking_level": "LOW", "max_output_tokens": 300}),
        ("plain", {"structured": "plain"}),
    )
}
MODELS = {"google": [MODEL]}


@cache
def sdk(simulator: Simulator, key: str = KEY, api_version: str = "v1beta", attempts: int = 1) -> Any:
    options = genai.types.HttpOptions(
        base_url=f"{simulator.address}/google",
        api_version=api_version,
        timeout=5000,
        retry_options=genai.types.HttpRetryOptions(attempts=attempts, initial_delay=0.01),
    )
    return genai.Client(api_key=key, http_options=options)


def sdk_asks(simulator: Simulator, case: Case, request: Request = QUESTION, **client: Any) -> Any:
    """The same question. The body is not byte for byte DMB's, so the simulated answer may be another."""
    body, by = case.sent(request).body, sdk(simulator, **client)
    if case.wire == "decisions":
        return by.decisions.create(**body)
    config = genai.types.GenerateContentConfig(
        system_instruction=body["systemInstruction"]["parts"][0]["text"], **body.get("generationConfig", {})
    )
    return by.models.generate_content(model=case.model, contents=request.state, config=config)


def same_bytes(simulator: Simulator, case: Case, request: Request) -> Any:
    """The reply to DMB's own body, read by the SDK's type for it."""
    import httpx

    sent = case.sent(request)
    reply = httpx.post(f"{simulator.address}/google{sent.path}", json=sent.body, headers=sent.headers, trust_env=False)
    return genai.types.GenerateContentResponse.model_validate(reply.json())


@pytest.mark.parametrize(
    "name, asked",
    # in words alone only one slot is asked for
    [(n, q) for n in CASES for q in QUESTIONS if q != "2 slots" or n == "json_schema"],
)
def test_the_sdk_and_dmb_read_the_same(simulator: Simulator, name: str, asked: str) -> None:
    case, request = CASES[name], QUESTIONS[asked]
    verdict = dmb_reads(case, request, f"{simulator.address}/google")
    assert verdict.outcome == "valid", verdict
    reply = same_bytes(simulator, case, request)
    assert written_answers(json.loads(reply.text), request) == answers_in(verdict)
    assert reply.model_version == verdict.served_model
    usage = reply.usage_metadata
    assert usage.prompt_token_count == verdict.usage.input_tokens
    assert (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0) == verdict.usage.output_tokens
    # and the SDK's own call comes back in the same form
    reply = sdk_asks(simulator, case, request)
    assert reply.candidates[0].finish_reason == "STOP"
    for index, _ in written_answers(json.loads(reply.text), request).values():
        assert 0 <= index < len(request.options)


@pytest.mark.parametrize("asked", QUESTIONS)
def test_the_sdk_and_dmb_read_the_same_decisions(simulator: Simulator, asked: str) -> None:
    request = QUESTIONS[asked]
    reply, verdict = (
        sdk_asks(simulator, DECISIONS, request),
        dmb_reads(DECISIONS, request, f"{simulator.address}/google"),
    )
    assert verdict.outcome == "valid", verdict
    theirs = {slot: (request.options.index(a.choice), a.confidence) for slot, a in reply.answers.items()}
    assert theirs == answers_in(verdict)
    usage = reply.usage
    assert (usage.total_input_tokens, usage.total_output_tokens) == (
        verdict.usage.input_tokens,
        verdict.usage.output_tokens,
    )


def test_both_versions_of_the_path(simulator: Simulator) -> None:
    for version in ("v1", "v1beta"):
        reply = sdk_asks(simulator, CASES["json_schema"], api_version=version)
        assert reply.candidates[0].finish_reason == "STOP"


@pytest.mark.parametrize(
    "do, finish, outcome",
    [
        ("truncated", "MAX_TOKENS", "truncated"),
        ("eaten_by_reasoning", "MAX_TOKENS", "truncated"),
        ("refusal", "SAFETY", "refused"),
    ],
)
def test_ends_that_are_no_answer(simulator: Simulator, do: str, finish: str, outcome: str) -> None:
    simulator.use(fault(do))
    assert sdk_asks(simulator, CASES["json_schema"]).candidates[0].finish_reason == finish
    assert dmb_reads(CASES["json_schema"], QUESTION, f"{simulator.address}/google").outcome == outcome


def test_a_blocked_prompt(simulator: Simulator) -> None:
    simulator.use(fault("content_filter"))
    reply = sdk_asks(simulator, CASES["json_schema"])
    assert reply.prompt_feedback.block_reason == "SAFETY" and not reply.candidates and reply.text is None
    assert sdk_asks(simulator, DECISIONS).prompt_feedback.block_reason
    for case in (CASES["json_schema"], DECISIONS):
        assert dmb_reads(case, QUESTION, f"{simulator.address}/google").outcome == "refused"


def test_buckets_of_usage(simulator: Simulator) -> None:
    simulator.use(fault("cached_tokens", tokens=12))
    assert sdk_asks(simulator, CASES["json_schema"]).usage_metadata.cached_content_token_count == 12
    simulator.use(fault("reasoning_tokens", tokens=12))
    assert sdk_asks(simulator, CASES["plain"]).usage_metadata.thoughts_token_count >= 12


def test_a_reply_of_a_wrong_form_is_seen(simulator: Simulator) -> None:
    """The oracle itself."""
    simulator.use(fault("html_200"))
    with pytest.raises((genai.errors.UnknownApiResponseError, ValueError)):
        sdk_asks(simulator, CASES["json_schema"])


#: Fault -> the SDK's exception, code, status, and the kind that DMB gives it.
ERRORS: dict[str, tuple[str, int, str | None, str]] = {
    "rate_limit": ("ClientError", 429, "RESOURCE_EXHAUSTED", "rate_limit"),
    "bad_key": ("ClientError", 400, "INVALID_ARGUMENT", "authentication"),
    "no_key": ("ClientError", 403, "PERMISSION_DENIED", "permission"),
    "permission": ("ClientError", 403, "PERMISSION_DENIED", "permission"),
    "no_money": ("ClientError", 400, "FAILED_PRECONDITION", "budget"),
    "unknown_model": ("ClientError", 404, "NOT_FOUND", "rejected"),
    "context_too_long": ("ClientError", 400, "INVALID_ARGUMENT", "unsupported"),
    "overloaded": ("ServerError", 503, "UNAVAILABLE", "overloaded"),
    "internal_error": ("ServerError", 500, "INTERNAL", "overloaded"),
    "gateway_timeout": ("ServerError", 504, "DEADLINE_EXCEEDED", "timeout"),
}


@pytest.mark.parametrize("do", ERRORS)
def test_errors(simulator: Simulator, do: str) -> None:
    simulator.use(fault(do))
    kind, code, status, ours = ERRORS[do]
    with pytest.raises(genai.errors.APIError) as caught:
        sdk_asks(simulator, CASES["json_schema"])
    assert (type(caught.value).__name__, caught.value.code, caught.value.status) == (kind, code, status)
    verdict = dmb_reads(CASES["json_schema"], QUESTION, f"{simulator.address}/google")
    assert verdict.failure.kind == ours
    if do == "rate_limit":
        assert verdict.failure.retry_after_s == 1.0


def test_a_wrong_key_and_an_unknown_model(simulator: Simulator) -> None:
    with pytest.raises(genai.errors.ClientError) as caught:
        sdk_asks(simulator, CASES["json_schema"], key="wrong")
    assert caught.value.code == 400
    with pytest.raises(genai.errors.ClientError) as caught:
        sdk_asks(simulator, Case("generate_content", "gemini-nope", {}, {}))
    assert caught.value.code == 404


def test_the_sdk_asks_once_more(simulator: Simulator) -> None:
    simulator.use(fault("overloaded", first=1))
    before = simulator.counts()["requests"]
    case = Case("generate_content", MODEL, {"max_output_tokens": 277}, {})
    assert sdk_asks(simulator, case, attempts=2).candidates[0].finish_reason == "STOP"
    assert simulator.counts()["requests"] == before + 2
