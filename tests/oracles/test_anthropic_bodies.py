"""The bodies and versions of messages, beside those that Anthropic's SDK sends when asked the same."""

from __future__ import annotations

import datetime as dt
import inspect
import re
from functools import cache
from typing import Any

import pytest

from dmb.contracts.request import Request
from dmb.prompting import language_model_prompt
from dmb.wires import WIRES
from dmb.wires.messages import MAX_OUTPUT_TOKENS, VERSION
from tests.oracles import asking, replies
from tests.oracles.asking import KEY, Case

anthropic = asking.installed("anthropic", "what Anthropic is sent")

#: The version of which the SDK is a client: it has no temperature, no top_p and no top_k.
NEWEST = "2026-10-21"

HEADERS = ("anthropic-version", "content-type")
BEARER = {"auth": "bearer"}

CASES = asking.entries("messages") | {
    f"settings {n}": Case("messages", "m", settings, BEARER)
    for n, settings in enumerate(
        [
            {},
            {"structured": "plain", "temperature": 0, "max_output_tokens": 50},
            {"structured": "forced_tool", "version": NEWEST, "thinking": "disabled"},
            {"structured": "native", "temperature": 0},
            {"structured": "native", "version": NEWEST, "effort": "low", "thinking": "adaptive"},
            {"structured": "plain", "version": NEWEST, "effort": "low", "service_tier": "standard_only"},
        ]
    )
}


def sdk_messages(case: Case, request: Request) -> asking.Sent:
    """The same question through the SDK. What its version knows no more goes as an extra, as its users do it."""
    settings = case.settings
    system, user = language_model_prompt(request)
    asked: dict[str, Any] = {
        "model": case.model,
        "max_tokens": settings.get("max_output_tokens", MAX_OUTPUT_TOKENS),
        "system": system,
        "messages": [{"role": "user", "content": user}],
    }
    if (version := settings.get("version", VERSION)) != NEWEST:
        asked["extra_headers"] = {"anthropic-version": version}
    if "temperature" in settings:
        assert version != NEWEST
        asked["extra_body"] = {"temperature": settings["temperature"]}
    if "service_tier" in settings:
        asked["service_tier"] = settings["service_tier"]
    if "thinking" in settings:
        asked["thinking"] = {"type": settings["thinking"]}
    if "effort" in settings:
        asked["output_config"] = {"effort": settings["effort"]}
    text = replies.message({"type": "text", "text": asking.answer_text(request)}, "end_turn")
    structured = settings.get("structured", "plain")

    def ask(address: str) -> None:
        messages = client(address).messages
        if structured == "forced_tool":
            schema = asking.plain_schema(asking.answer_model(request).model_json_schema())
            tool = {"name": "decide", "description": "record the decision", "input_schema": schema}
            choice = {"type": "tool", "name": "decide", "disable_parallel_tool_use": True}
            messages.create(**asked, tools=[tool], tool_choice=choice)
        elif structured == "native":
            messages.parse(**asked, output_format=asking.answer_model(request))
        else:
            assert structured == "plain"
            messages.create(**asked)

    sent = asking.captured(text, ask)
    if "format" in sent.body.get("output_config", {}):
        written = sent.body["output_config"]["format"]
        written["schema"] = asking.plain_schema(written["schema"])
    return sent


@cache
def client(address: str) -> Any:
    return asking.strict_client(anthropic.Anthropic, address)


# the SDK warns of models that have an end
@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
@pytest.mark.parametrize("name, question", asking.cases_and_questions(CASES))
def test_messages(name: str, question: str) -> None:
    case, request = CASES[name], asking.QUESTIONS[question]
    ours, theirs = case.sent(request), sdk_messages(case, request)
    asking.same(ours, theirs, HEADERS)
    if case.dialect.get("auth") == "bearer":
        assert ours.headers["authorization"] == theirs.headers["authorization"]
    else:
        # as earlier SDKs sent it, and as a gateway may still want it
        assert ours.headers["x-api-key"] == KEY and "authorization" not in ours.headers


def test_every_setting_of_the_wire_is_in_a_case() -> None:
    assert {name for case in CASES.values() for name in case.settings} == WIRES["messages"].settings


def test_the_newest_version_has_no_temperature() -> None:
    create = anthropic.resources.messages.Messages.create
    assert not {"temperature", "top_p", "top_k"} & set(inspect.signature(create).parameters)
    text = replies.message({"type": "text", "text": "x"}, "end_turn")
    sent = asking.captured(
        text,
        lambda address: client(address).messages.create(
            model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}]
        ),
    )
    assert sent.headers["anthropic-version"] == NEWEST


@pytest.mark.parametrize("name", asking.entries("messages"))
def test_an_entry_with_a_temperature_names_a_version_that_knows_it(name: str) -> None:
    sent = CASES[name].sent(asking.QUESTION)
    assert "temperature" not in sent.body or sent.headers["anthropic-version"] < NEWEST


def test_the_address_and_the_variables_of_the_credential_are_the_sdks(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = asking.project().providers["anthropic"]
    for variable in provider.credential:
        with monkeypatch.context() as patch:
            patch.setenv(variable, KEY)
            sdk = anthropic.Anthropic()
        assert str(sdk.base_url) == provider.address
        assert sdk.auth_headers == {"Authorization": f"Bearer {KEY}"}
    assert WIRES["messages"].authorise(KEY, provider.dialect) == {"authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize(
    "name", [n for n in asking.entries("messages") if asking.project().contenders[n].provider == "anthropic"]
)
def test_a_model_with_an_end_is_retired_on_that_day(name: str) -> None:
    ends = pytest.importorskip("anthropic._data", reason="anthropic has moved its list of models").DEPRECATED_MODELS
    entry = asking.project().contenders[name]
    end = ends.get(entry.model)
    assert entry.retired_on == (None if end is None else date_of(end))


def date_of(written: str) -> dt.date:
    """``November 30th, 2026`` as a date."""
    return dt.datetime.strptime(re.sub(r"(?<=\d)(st|nd|rd|th)", "", written), "%B %d, %Y").date()  # noqa: DTZ007
