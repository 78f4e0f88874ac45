"""The bodies of generateContent and of Google's decisions, beside those that google-genai sends when asked the same."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from dmb.contracts.request import Request
from dmb.prompting import language_model_prompt
from dmb.wires import WIRES
from tests.oracles import asking, replies
from tests.oracles.asking import KEY, Case
from tests.wires import test_generate_content as gene

genai = asking.installed("google.genai", "what Google is sent")

HEADERS = ("x-goog-api-key", "content-type")

GENERATED = asking.entries("generate_content") | {
    f"settings {n}": Case("generate_content", "gemini-m", settings, dialect)
    for n, (settings, dialect) in enumerate(
        [
            ({}, {}),
            ({"structured": "json_schema", "temperature": 0, "max_output_tokens": 300, "thinking_budget": 0}, {}),
            ({"structured": "json_mode", "thinking_level": "LOW", "service_tier": "flex"}, {}),
            ({"structured": "plain", "temperature": 0}, {"api_version": "v1"}),
        ]
    )
}
DECISIONS = {"plain": Case("decisions", "m", {}, {"shape": "google"})} | {
    name: case for name, case in asking.entries("decisions").items() if case.dialect.get("shape") == "google"
}


@cache
def client(address: str, api_version: str) -> Any:
    """Milliseconds, and one attempt."""
    options = genai.types.HttpOptions(
        base_url=address,
        api_version=api_version,
        timeout=5000,
        retry_options=genai.types.HttpRetryOptions(attempts=1),
    )
    return genai.Client(api_key=KEY, http_options=options)


# -- generateContent


def sdk_generated(case: Case, request: Request) -> asking.Sent:
    """The same question through the SDK, in its own words."""
    settings = case.settings
    system, user = language_model_prompt(request)
    config: dict[str, Any] = {"system_instruction": system}
    names = ("temperature", "max_output_tokens", "service_tier")
    config |= {name: settings[name] for name in names if name in settings}
    if settings.get("structured", "plain") != "plain":
        config["response_mime_type"] = "application/json"
    if settings.get("structured") == "json_schema":
        config["response_json_schema"] = asking.plain_schema(asking.answer_model(request).model_json_schema())
    thinking = {name: settings[name] for name in ("thinking_budget", "thinking_level") if name in settings}
    if thinking:
        config["thinking_config"] = genai.types.ThinkingConfig(**thinking)

    def ask(address: str) -> None:
        # a client that nobody holds closes itself
        sdk = client(address, case.dialect.get("api_version", "v1beta"))
        sdk.models.generate_content(model=case.model, contents=user, config=genai.types.GenerateContentConfig(**config))

    sent = asking.captured(replies.generated(asking.answer_text(request)), ask)
    # the SDK gives the instruction a role, which the field does not have: who speaks is said by where it stands
    assert sent.body["systemInstruction"].pop("role") == "user"
    if not sent.body["generationConfig"]:
        del sent.body["generationConfig"]
    elif "thinkingConfig" in sent.body["generationConfig"]:
        # names of fields are read in both spellings; the SDK mixes them
        written = sent.body["generationConfig"]["thinkingConfig"]
        sent.body["generationConfig"]["thinkingConfig"] = {camel_case(k): v for k, v in written.items()}
    return sent


def camel_case(name: str) -> str:
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name)


@pytest.mark.parametrize("name, question", asking.cases_and_questions(GENERATED))
def test_generate_content(name: str, question: str) -> None:
    case, request = GENERATED[name], asking.QUESTIONS[question]
    asking.same(case.sent(request), sdk_generated(case, request), HEADERS)


def test_every_setting_of_the_wire_is_in_a_case() -> None:
    assert {name for case in GENERATED.values() for name in case.settings} == WIRES["generate_content"].settings


# -- decisions


def sdk_decisions(request: Request, model: str) -> asking.Sent:
    """Descriptions are texts, and an empty one says that there is none."""
    questions = {
        slot.id: {
            "type": "choice",
            "instructions": request.instructions,
            "criteria": dict.fromkeys(request.options, ""),
        }
        for slot in request.slots
    }

    def ask(address: str) -> None:
        sdk = client(address, "v1beta")
        sdk.decisions.create(model=model, input=request.state, questions=questions)

    return asking.captured(replies.system_one([s.id for s in request.slots]) | {"usage": None}, ask)


@pytest.mark.parametrize("name, question", asking.cases_and_questions(DECISIONS))
def test_decisions(name: str, question: str) -> None:
    case, request = DECISIONS[name], asking.QUESTIONS[question]
    asking.same(case.sent(request), sdk_decisions(request, case.model), HEADERS)


# -- the SDK's types: unknown values only warn there


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("name", GENERATED)
def test_the_parts_of_a_body_are_of_the_sdks_types(name: str) -> None:
    body = GENERATED[name].sent(asking.QUESTIONS["3 options"]).body
    assert set(body) <= {"systemInstruction", "contents", "generationConfig", "serviceTier"}
    if "serviceTier" in body:
        assert body["serviceTier"] in {tier.value for tier in genai.types.ServiceTier}
    for content in (body["systemInstruction"], *body["contents"]):
        genai.types.Content.model_validate(content)
    genai.types.GenerationConfig.model_validate(body.get("generationConfig", {}))


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize(
    "wrong", [{"maxTokens": 1}, {"thinkingConfig": {"thinkingLevel": "LOWEST"}}, {"temperature": "warm"}]
)
def test_the_types_see_a_wrong_config(wrong: dict) -> None:
    with pytest.raises((ValueError, UserWarning)):
        genai.types.GenerationConfig.model_validate(wrong)


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"candidates": [gene.CANDIDATE | {"finishReason": "MAX_TOKENS"}]},
        {"candidates": [gene.CANDIDATE | {"finishReason": "SAFETY", "content": None}]},
        {"candidates": None, "promptFeedback": {"blockReason": "SAFETY"}},
    ],
)
def test_the_replies_that_tests_are_made_of_are_the_vendors(changes: dict) -> None:
    genai.types.GenerateContentResponse.model_validate(gene.OK | changes)


# -- who is called, and with what


def test_the_address_and_the_variables_of_the_credential_are_the_sdks(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = asking.project().providers["google"]
    for variable in provider.credential:
        with monkeypatch.context() as patch:
            patch.setenv(variable, KEY)
            options = genai.Client()._api_client._http_options
        assert options.base_url == f"{provider.address}/"
        assert options.headers["x-goog-api-key"] == KEY
