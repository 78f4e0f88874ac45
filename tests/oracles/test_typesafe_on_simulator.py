"""TypeSafe's SDK talks to the simulator, accepts its replies, and finds in them what DMB finds."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from dmb.contracts.request import Request
from dmb.simulate import Simulator
from tests.oracles.asking import KEY, QUESTION, QUESTIONS, Case, installed, question
from tests.oracles.on_simulator import answers_in, dmb_reads, fault

typesafe_sdk = installed("typesafe_sdk", "what jev sends")

#: Provider -> how it is asked, and what stands before `/v1/systemone` in its path.
CASES = {
    "typesafe": (Case("systemone", "jev-1.14.0", {}, {}), ""),
    "openrouter": (Case("decisions", "typesafe/jev-1.14", {}, {"shape": "openrouter"}), "/api"),
}
MODELS = {"typesafe": ["jev-1.14.0", "jev-latest"], "openrouter": ["typesafe/jev-1.14"]}


@cache
def sdk(
    simulator: Simulator, provider: str = "typesafe", key: str = KEY, model: str | None = None, retries: int = 0
) -> Any:
    case, below = CASES[provider]
    return typesafe_sdk.TypeSafeClient(
        api_key=key,
        base_url=f"{simulator.address}/{provider}{below}",
        model=model or case.model,
        retry=typesafe_sdk.RetryPolicy(max_retries=retries),
        timeout=5,
    )


def sdk_asks(simulator: Simulator, request: Request = QUESTION, provider: str = "typesafe", **client: Any) -> Any:
    choice = typesafe_sdk.Choice(instructions=request.instructions, criteria=dict.fromkeys(request.options))
    by = sdk(simulator, provider, **client)
    return by.system_one(request.state, {slot.id: choice for slot in request.slots})


@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("provider", CASES)
def test_the_sdk_and_dmb_read_the_same(simulator: Simulator, provider: str, asked: str) -> None:
    request = QUESTIONS[asked]
    reply = sdk_asks(simulator, request, provider)
    verdict = dmb_reads(CASES[provider][0], request, f"{simulator.address}/{provider}")
    assert verdict.outcome == "valid", verdict
    theirs = {slot: (request.options.index(a.choice), a.confidence) for slot, a in reply.answers.items()}
    assert theirs == answers_in(verdict)
    assert reply.model == verdict.served_model
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (
        verdict.usage.input_tokens,
        verdict.usage.output_tokens,
    )


def test_every_kind_of_question(simulator: Simulator) -> None:
    questions = {
        "yes": typesafe_sdk.Noul(instructions="Is it about money?"),
        "how": typesafe_sdk.Score(instructions="How urgent?", criteria=["can wait", "today", "now"]),
        "which": typesafe_sdk.Choice(instructions="Which?", criteria={"a": "first", "b": None}),
    }
    answers = sdk(simulator).system_one({"ticket": "charged twice"}, questions).answers
    assert 0 <= answers["yes"].noul <= 1
    assert 0 <= answers["how"].score <= 2 and len(answers["how"].legend) == 3
    assert answers["which"].choice in ("a", "b")


def test_the_list_of_models(simulator: Simulator) -> None:
    assert {m.name for m in sdk(simulator).models.list().models} == {"jev-1.14.0", "jev-latest"}


@pytest.mark.parametrize("do", ["usage_missing", "usage_null", "confidence_missing", "nan", "html_200", "cut_json"])
def test_a_reply_of_a_wrong_form_is_seen(simulator: Simulator, do: str) -> None:
    """The oracle itself."""
    simulator.use(fault(do))
    with pytest.raises(typesafe_sdk.TypeSafeAPIResponseValidationError):
        sdk_asks(simulator)


#: Fault -> the SDK's exception, status, and the kind that DMB gives it.
ERRORS: dict[str, tuple[str, int, str]] = {
    "rate_limit": ("TypeSafeRateLimitError", 429, "rate_limit"),
    "no_key": ("TypeSafePermissionDeniedError", 403, "authentication"),
    "bad_key": ("TypeSafeAuthenticationError", 401, "authentication"),
    "permission": ("TypeSafePermissionDeniedError", 403, "permission"),
    "no_money": ("TypeSafeAPIError", 402, "budget"),
    "unknown_model": ("TypeSafeBadRequestError", 400, "rejected"),
    "context_too_long": ("TypeSafeAPIError", 413, "unsupported"),
    "overloaded": ("TypeSafeInternalServerError", 529, "overloaded"),
    "internal_error": ("TypeSafeInternalServerError", 500, "overloaded"),
    "html_502": ("TypeSafeInternalServerError", 502, "overloaded"),
    "gateway_timeout": ("TypeSafeInternalServerError", 504, "timeout"),
}


@pytest.mark.parametrize("do", ERRORS)
def test_errors(simulator: Simulator, do: str) -> None:
    simulator.use(fault(do))
    kind, status, ours = ERRORS[do]
    with pytest.raises(typesafe_sdk.TypeSafeAPIError) as caught:
        sdk_asks(simulator)
    assert (type(caught.value).__name__, caught.value.status) == (kind, status)
    verdict = dmb_reads(CASES["typesafe"][0], QUESTION, f"{simulator.address}/typesafe")
    assert verdict.failure.kind == ours


def test_a_wrong_key_an_unknown_model_and_too_many_options(simulator: Simulator) -> None:
    with pytest.raises(typesafe_sdk.TypeSafeAuthenticationError):
        sdk_asks(simulator, key="wrong")
    with pytest.raises(typesafe_sdk.TypeSafeBadRequestError):
        sdk_asks(simulator, model="jev-nope")
    with pytest.raises(typesafe_sdk.TypeSafeUnprocessableEntityError):
        sdk_asks(simulator, question(256, *QUESTION.slots))


def test_the_sdk_asks_once_more(simulator: Simulator) -> None:
    simulator.use(fault("rate_limit", first=1, seconds=0.01))
    before = simulator.counts()["requests"]
    asked = QUESTION._replace(state="another ticket")
    assert sdk_asks(simulator, asked, retries=1).answers["queue"].choice in QUESTION.options
    assert simulator.counts()["requests"] == before + 2
