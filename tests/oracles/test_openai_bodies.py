"""The bodies of chat completions, responses and decisions, beside those that OpenAI's SDK sends when asked the same."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from dmb.contracts.request import Request
from dmb.prompting import language_model_prompt
from dmb.wires import WIRES
from tests.oracles import asking, replies
from tests.oracles.asking import KEY, Case

openai = asking.installed("openai", "what OpenAI is sent")

#: What only look-alikes take, under the names that they have on the wire.
LOOK_ALIKES = ("thinking", "do_sample", "cache_prompt")

CHAT = asking.entries("chat_completions") | {
    # settings that are not in every entry, and dialects, so that each is held against the SDK
    f"settings {n}": Case("chat_completions", "m", settings, dialect)
    for n, (settings, dialect) in enumerate(
        [
            *(
                ({"structured": s, "temperature": 0, "max_output_tokens": 200, "seed": 1, "service_tier": "flex"}, {})
                for s in ("json_schema", "json_mode", "plain")
            ),
            ({}, {}),
            ({"structured": "json_schema", "reasoning": "none", "logprobs": 20}, {"output_cap_field": "max_tokens"}),
            ({"max_output_tokens": 9, "thinking": "disabled"}, {"output_cap_field": "max_tokens"}),
            ({"do_sample": False, "cache_prompt": False}, {"path": "/api/paas/v4/chat/completions"}),
        ]
    )
}
RESPONSES = asking.entries("responses") | {
    f"settings {n}": Case("responses", "m", settings, {})
    for n, settings in enumerate(
        [
            {},
            {"structured": "plain", "temperature": 0},
            {
                "structured": "json_schema",
                "temperature": 0,
                "reasoning": "none",
                "max_output_tokens": 200,
                "service_tier": "flex",
            },
        ]
    )
}
DECISIONS = {"plain": Case("decisions", "gpt-6-luna", {}, {})} | {
    name: case for name, case in asking.entries("decisions").items() if case.dialect.get("shape", "openai") == "openai"
}


@pytest.mark.parametrize("wire, cases", [("chat_completions", CHAT), ("responses", RESPONSES)])
def test_every_setting_of_a_wire_is_in_a_case(wire: str, cases: dict[str, Case]) -> None:
    assert {name for case in cases.values() for name in case.settings} == WIRES[wire].settings


@cache
def client(address: str, **more: Any) -> Any:
    return asking.strict_client(openai.OpenAI, address, **more)


# -- chat completions


def sdk_chat(case: Case, request: Request) -> asking.Sent:
    """The same question through the SDK, in its own words."""
    model, settings, dialect = case.model, case.settings, case.dialect
    system, user = language_model_prompt(request)
    asked: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
    }
    names = {
        "temperature": "temperature",
        "seed": "seed",
        "service_tier": "service_tier",
        "reasoning": dialect.get("reasoning_field", "reasoning_effort"),
        "max_output_tokens": dialect.get("output_cap_field", "max_completion_tokens"),
    }
    asked |= {name: settings[setting] for setting, name in names.items() if setting in settings}
    if "logprobs" in settings:
        asked |= {"logprobs": True, "top_logprobs": settings["logprobs"]}
    extra = {name: settings[name] for name in LOOK_ALIKES if name in settings}
    if "thinking" in extra:
        extra["thinking"] = {"type": extra["thinking"]}
    if extra:
        asked["extra_body"] = extra

    path = dialect.get("path", "/v1/chat/completions")
    below = path.removesuffix("/chat/completions")

    def ask(address: str) -> None:
        completions = client(address + below).chat.completions
        structured = settings.get("structured", "plain")
        if structured == "json_schema":
            completions.parse(**asked, response_format=asking.answer_model(request))
        elif structured == "json_mode":
            completions.create(**asked, response_format={"type": "json_object"})
        else:
            assert structured == "plain"
            completions.create(**asked)

    sent = asking.captured(replies.chat(asking.answer_text(request)), ask)
    if sent.body.get("stream") is False:  # which is what it is when it is not said
        del sent.body["stream"]
    if "json_schema" in sent.body.get("response_format", {}):
        wrapped = sent.body["response_format"]["json_schema"]
        wrapped["schema"] = asking.plain_schema(wrapped["schema"])
    return sent


@pytest.mark.parametrize("name, question", asking.cases_and_questions(CHAT))
def test_chat_completions(name: str, question: str) -> None:
    case, request = CHAT[name], asking.QUESTIONS[question]
    asking.same(case.sent(request), sdk_chat(case, request))


# -- responses


def sdk_responses(case: Case, request: Request) -> asking.Sent:
    model, settings = case.model, case.settings
    system, user = language_model_prompt(request)
    asked: dict[str, Any] = {"model": model, "instructions": system, "input": user, "store": False}
    asked |= {name: settings[name] for name in ("temperature", "max_output_tokens", "service_tier") if name in settings}
    if "reasoning" in settings:
        asked["reasoning"] = {"effort": settings["reasoning"]}

    def ask(address: str) -> None:
        if settings.get("structured") == "json_schema":
            client(f"{address}/v1").responses.parse(**asked, text_format=asking.answer_model(request))
        else:
            assert settings.get("structured", "plain") == "plain"
            client(f"{address}/v1").responses.create(**asked)

    sent = asking.captured(replies.response(asking.answer_text(request)), ask)
    if "text" in sent.body:
        written = sent.body["text"]["format"]
        written["schema"] = asking.plain_schema(written["schema"])
    return sent


@pytest.mark.parametrize("name, question", asking.cases_and_questions(RESPONSES))
def test_responses(name: str, question: str) -> None:
    case, request = RESPONSES[name], asking.QUESTIONS[question]
    asking.same(case.sent(request), sdk_responses(case, request))


# -- decisions


def sdk_decisions(request: Request, model: str) -> asking.Sent:
    questions = [
        {
            "type": "choice",
            "name": slot.id,
            "instructions": request.instructions,
            "choices": [{"value": text} for text in request.options],
        }
        for slot in request.slots
    ]
    reply = replies.decision([s.id for s in request.slots])
    return asking.captured(
        reply,
        lambda address: client(f"{address}/v1").decisions.create(model=model, input=request.state, questions=questions),
    )


@pytest.mark.parametrize("name, question", asking.cases_and_questions(DECISIONS))
def test_decisions(name: str, question: str) -> None:
    case, request = DECISIONS[name], asking.QUESTIONS[question]
    asking.same(case.sent(request), sdk_decisions(request, case.model))


# -- who is called, and with what


def test_the_address_and_the_variable_of_the_credential_are_the_sdks(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = asking.project().providers["openai"]
    [variable] = provider.credential
    monkeypatch.setenv(variable, KEY)
    sdk = openai.OpenAI()
    assert (str(sdk.base_url), sdk.api_key) == (f"{provider.address}/v1/", KEY)


def test_a_body_that_differs_in_one_setting_is_seen() -> None:
    ours = Case("chat_completions", "m", {"structured": "json_schema"}, {}).sent(asking.QUESTION)
    for settings in ({}, {"structured": "json_mode"}, {"structured": "json_schema", "temperature": 0}):
        with pytest.raises(AssertionError):
            asking.same(ours, sdk_chat(Case("chat_completions", "m", settings, {}), asking.QUESTION))
