"""The Anthropic Messages format, by hand: every case of the notes on its servers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.canonical import text_digest
from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.reply import Reply
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.inputs import parse_toml
from dmb.parsing import judge_reply
from dmb.wires.messages import WIRE, authorise, call, read
from tests.conftest import PROJECT
from tests.wires.anything import any_json

REQUEST = Request(
    state="charged twice\u2028— è?",
    instructions="Which queue?",
    options=("Billing", "A “bug”", "other"),
    slots=(Slot(id="queue", kind="choice"),),
    confidence_definition="confidence is p",
)
SYSTEM = (
    "You make one decision. Read the text, then pick exactly one option by its number.\nQuestion: Which queue?\n\n"
    "Options:\n0. Billing\n1. A “bug”\n2. other\n\n"
    'Answer as JSON: {"choice_index": <number of the option>, "confidence": <number>}, where confidence is p.'
)
SCHEMA = {
    "type": "object",
    "properties": {
        "choice_index": {"type": "integer", "description": "number of the chosen option, counted from 0 as listed"},
        "confidence": {"type": "number", "description": "confidence is p"},
    },
    "required": ["choice_index", "confidence"],
    "additionalProperties": False,
}
PROSE = {"system": SYSTEM, "messages": [{"role": "user", "content": "charged twice\u2028— è?"}]}
FORCED = {
    "tools": [{"name": "decide", "description": "record the decision", "input_schema": SCHEMA}],
    "tool_choice": {"type": "tool", "name": "decide", "disable_parallel_tool_use": True},
}

TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "decide", "input": {"choice_index": 1, "confidence": 0.9}}
TEXT = {"type": "text", "text": '{"choice_index": 1, "confidence": 0.9}'}
FORCED_REPLY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5-20251001",
    "content": [TOOL_USE],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 510,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 48,
        "output_tokens_details": {"thinking_tokens": 0},
        "service_tier": "standard",
    },
}
NATIVE_REPLY = FORCED_REPLY | {
    "content": [TEXT],
    "stop_reason": "end_turn",
    "usage": {
        "input_tokens": 160,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 17,
    },
}


def body_of(settings: dict, model: str = "m") -> dict:
    return json.loads(call(REQUEST, model, settings, {}).body)


def reply(**fields) -> Reply:
    r = read(200, {}, json.dumps(FORCED_REPLY | fields).encode(), ["queue"])
    assert isinstance(r, Reply)
    return r


# -- what is sent


_OLD, _NEW = "2023-06-01", "2026-10-21"
_NATIVE = {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"}}

#: Entry -> model, version, and the body without the prose. An entry that is new here is pinned here.
SENT = {
    "claude-haiku-4-5": ("claude-haiku-4-5", _OLD, {"max_tokens": 256, "temperature": 0, **FORCED}),
    "claude-sonnet-4-5": ("claude-sonnet-4-5", _OLD, {"max_tokens": 256, "temperature": 0, **FORCED}),
    "claude-sonnet-4-6": ("claude-sonnet-4-6", _OLD, {"max_tokens": 256, "temperature": 0, **FORCED}),
    "claude-haiku-5-5": ("claude-haiku-5-5", _NEW, {"max_tokens": 256, "thinking": {"type": "disabled"}, **FORCED}),
    "claude-sonnet-5-5": ("claude-sonnet-5-5", _NEW, {"max_tokens": 2048, **_NATIVE}),
    "claude-haiku-5-5-opencode": ("claude-haiku-5-5", _OLD, {"max_tokens": 2048, **FORCED}),
}
ENTRIES = {
    n: e
    for n, e in parse_toml((PROJECT / "data/contenders.toml").read_text(encoding="utf-8"), "").items()
    if e.get("wire") == "messages"
}


@pytest.mark.parametrize("name", SENT)
def test_the_body_of_each_contender_in_full(name):
    model, version, more = SENT[name]
    sent = call(REQUEST, ENTRIES[name]["model"], ENTRIES[name]["settings"], {})
    assert (sent.method, sent.path, sent.unsupported) == ("POST", "/v1/messages", None)
    assert sent.headers == {"content-type": "application/json", "anthropic-version": version}
    assert json.loads(sent.body) == {"model": model, **PROSE, **more}


def test_every_contender_of_this_format_is_pinned_above():
    assert set(ENTRIES) == set(SENT)


def test_the_index_is_asked_for_before_the_confidence():
    sent = call(REQUEST, "m", {"structured": "forced_tool"}, {}).body
    assert sent.index('"choice_index": {') < sent.index('"confidence": {')


@pytest.mark.parametrize(
    "settings, more",
    [
        ({}, {}),
        ({"structured": "plain"}, {}),
        ({"structured": "forced_tool"}, FORCED),
        ({"structured": "native"}, {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}),
        (
            {"structured": "native", "effort": "low"},
            {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"}},
        ),
        ({"effort": "low"}, {"output_config": {"effort": "low"}}),
        ({"thinking": "disabled"}, {"thinking": {"type": "disabled"}}),
        ({"thinking": "adaptive"}, {"thinking": {"type": "adaptive"}}),
        ({"temperature": 0.5}, {"temperature": 0.5}),
        ({"max_output_tokens": 300}, {"max_tokens": 300}),
        ({"service_tier": "standard_only"}, {"service_tier": "standard_only"}),
    ],
)
def test_settings(settings, more):
    assert body_of(settings) == {"model": "m", "max_tokens": 1024, **PROSE} | more


def test_the_version_is_a_header():
    sent = call(REQUEST, "m", {"version": "2026-10-21"}, {})
    assert sent.headers["anthropic-version"] == "2026-10-21" and "2026" not in sent.body


@pytest.mark.parametrize("settings", [{"structured": "json_mode"}, {"thinking": "enabled"}])
def test_words_that_it_does_not_know(settings):
    with pytest.raises(ValueError, match=r"is '(json_mode|enabled)': give "):
        call(REQUEST, "m", settings, {})


def test_every_setting_is_declared():
    found = {"structured", "temperature", "max_output_tokens", "thinking", "effort", "version", "service_tier"}
    assert found == WIRE.settings


def test_the_credential():
    assert authorise("k", {}) == {"x-api-key": "k"}
    assert authorise("k", {"auth": "x-api-key"}) == {"x-api-key": "k"}
    assert authorise("k", {"auth": "bearer"}) == {"authorization": "Bearer k"}
    with pytest.raises(ValueError, match="auth is 'basic'"):
        authorise("k", {"auth": "basic"})


def test_the_provider_takes_a_token_as_well_as_a_key():
    entry = parse_toml((PROJECT / "data/providers.toml").read_text(encoding="utf-8"), "")["anthropic"]
    assert authorise("k", entry["dialect"]) == {"authorization": "Bearer k"}
    assert set(entry["dialect"]) <= WIRE.dialect


# -- what comes back


@pytest.mark.parametrize("sent", [FORCED_REPLY, NATIVE_REPLY], ids=["forced tool", "native"])
def test_success(sent):
    r = read(200, {}, json.dumps(sent).encode(), ["queue"])
    assert (r.model, r.refused, r.truncated, r.malformed) == ("claude-haiku-4-5-20251001", None, None, None)
    shown = [(str(i), text_digest(t)) for i, t in enumerate(REQUEST.options)]
    j = judge_reply(r, shown, REQUEST.slots)
    out = j.outputs["queue"]
    assert (j.outcome, out.value, out.confidence, out.confidence_kind) == ("valid", "1", 0.9, "stated")


@pytest.mark.parametrize(
    "content, malformed",
    [
        ([{"type": "thinking", "thinking": "hm", "signature": "s"}, TOOL_USE], None),
        ([{"type": "redacted_thinking", "data": "x"}, TEXT], None),
        ([{"type": "text", "text": "I choose:"}, TOOL_USE], None),
        ([{"type": "text", "text": TEXT["text"][:9]}, {"type": "text", "text": TEXT["text"][9:]}], None),
        ([{"type": "thinking", "thinking": TEXT["text"]}], "the reply is empty"),
        ([{"type": "text", "text": f"```json\n{TEXT['text']}\n```"}], "the reply is no JSON: Expecting value"),
        ([TOOL_USE, TOOL_USE], "the reply has 2 tool calls"),
        ([TOOL_USE | {"name": "other"}], "the reply calls a tool that was not offered"),
        ([TOOL_USE | {"input": json.dumps(TOOL_USE["input"])}], "the reply is str, not an object"),
        ([TOOL_USE | {"input": {}}], "queue: no choice_index"),
        ([TOOL_USE | {"input": None}], "the reply is NoneType, not an object"),
        ([], "the reply is empty"),
        ([None, 1, "x"], "the reply is empty"),
        (None, "the reply has no content"),
        ("text", "the reply has no content"),
    ],
)
def test_content(content, malformed):
    r = reply(content=content)
    if malformed is None:
        assert r.malformed is None and r.answers["queue"].index == 1
    else:
        assert r.malformed.startswith(malformed) and not r.answers


def test_several_slots():
    answers = {"a": {"choice_index": 0, "confidence": 1}, "b": {"choice_index": 2}}
    r = read(200, {}, json.dumps(FORCED_REPLY | {"content": [TOOL_USE | {"input": answers}]}).encode(), ["a", "b"])
    assert [r.answers[s].index for s in ("a", "b")] == [0, 2]


@pytest.mark.parametrize(
    "stop, field, words",
    [
        ("max_tokens", "truncated", "max_tokens"),
        ("model_context_window_exceeded", "truncated", "model_context_window_exceeded"),
        ("refusal", "refused", "refusal"),
        ("pause_turn", "malformed", "stop_reason pause_turn"),
        ("brand_new", "malformed", "stop_reason brand_new"),
        (None, "malformed", "the reply has no stop_reason"),
        (7, "malformed", "the reply has no stop_reason"),
    ],
)
def test_the_stop_reason_is_looked_at_before_the_content(stop, field, words):
    r = reply(stop_reason=stop)
    assert getattr(r, field) == words and not r.answers
    # what was spent is known all the same
    assert r.usage.input_tokens == 510 and r.model == "claude-haiku-4-5-20251001"


@pytest.mark.parametrize("stop", ["end_turn", "tool_use", "stop_sequence"])
def test_reasons_to_stop_after_an_answer(stop):
    assert reply(stop_reason=stop).answers["queue"].index == 1


def test_a_refusal_says_of_which_category():
    r = reply(stop_reason="refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": "long"})
    assert r.refused == "refusal: cyber"


@pytest.mark.parametrize(
    "usage, read_as",
    [
        (
            {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 7},
            Usage(input_tokens=115, cached_tokens=100, cache_write_tokens=5, output_tokens=7),
        ),
        (
            {"input_tokens": 10, "cache_creation_input_tokens": None, "output_tokens": 7},
            Usage(input_tokens=10, cached_tokens=0, cache_write_tokens=0, output_tokens=7),
        ),
        (
            {"input_tokens": 10, "output_tokens": 70, "output_tokens_details": {"thinking_tokens": 60}},
            Usage(input_tokens=10, cached_tokens=0, cache_write_tokens=0, output_tokens=70, reasoning_tokens=60),
        ),
        # a cache count that is no count leaves the total unknown
        (
            {"input_tokens": 10, "cache_read_input_tokens": "9", "output_tokens": 7},
            Usage(cache_write_tokens=0, output_tokens=7),
        ),
        ({"output_tokens": 7}, Usage(output_tokens=7)),
        ({"cache_read_input_tokens": 3, "output_tokens": 7}, Usage(cached_tokens=3, output_tokens=7)),
        ({"input_tokens": 10}, Usage(input_tokens=10, cached_tokens=0, cache_write_tokens=0)),
        ({}, None),
        (None, None),
        ([], None),
        ({"input_tokens": -1, "output_tokens": 1.5}, None),
        # a prompt is never without tokens
        ({"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0, "service_tier": "standard"}, None),
    ],
)
def test_usage(usage, read_as):
    assert reply(usage=usage).usage == read_as


def error(kind: str, message: str = "m", **more) -> dict:
    return {"type": "error", "error": {"type": kind, "message": message, **more}, "request_id": "req_1"}


def spend(code: str, kind: str = "rate_limit_error") -> dict:
    return error(kind, details={"error_code": code})


INVALID = "invalid_request_error"


@pytest.mark.parametrize(
    "status, value, kind, detail",
    [
        (
            401,
            error("authentication_error", "key not valid"),
            "authentication",
            "HTTP 401 authentication_error: key not valid",
        ),
        (403, error("permission_error", "not allowed"), "permission", None),
        (402, error("billing_error"), "budget", None),
        (402, error(INVALID), "budget", None),
        (400, error(INVALID, "Your credit balance is too low to use this API"), "budget", None),
        (429, error("rate_limit_error", "too many tokens per minute"), "rate_limit", None),
        (429, spend("enforced_spend_limit_reached"), "budget", "HTTP 429 enforced_spend_limit_reached: m"),
        (429, spend("contract_spend_limit_reached"), "budget", None),
        (429, spend("linked_organization_spend_limit_reached"), "budget", None),
        (429, spend("ramp_limit_exceeded"), "rate_limit", "HTTP 429 ramp_limit_exceeded: m"),
        (400, spend("organization_on_hold", INVALID), "budget", "HTTP 400 organization_on_hold: m"),
        (529, error("overloaded_error", "busy"), "overloaded", None),
        (503, error("overloaded_error", "busy"), "overloaded", None),
        (500, error("api_error"), "overloaded", None),
        (504, error("timeout_error"), "timeout", None),
        (504, error("api_error"), "timeout", None),
        (400, error(INVALID, "output_config.format.schema: maximum not supported"), "rejected", None),
        (400, error(INVALID, "temperature: Extra inputs are not permitted"), "rejected", None),
        (400, error(INVALID, "prompt is too long: 210000 tokens > 200000 maximum"), "unsupported", None),
        (400, error(INVALID, "prompt too long: 210000 tokens, limit 200000"), "unsupported", None),
        (413, error("request_too_large"), "unsupported", None),
        (413, error(INVALID), "unsupported", None),
        (
            404,
            error("not_found_error", "model: claude-nope"),
            "rejected",
            "HTTP 404 not_found_error: model: claude-nope",
        ),
        # whatever stands in front may change the status
        (200, error("overloaded_error", "busy"), "overloaded", "HTTP 200 overloaded_error: busy"),
        (502, b"<html>", "overloaded", "HTTP 502"),
        (400, error(INVALID, details=[1]), "rejected", None),
        (400, error(INVALID, details={"error_code": 7}), "rejected", None),
        (400, {"type": "error", "error": None}, "rejected", None),
    ],
)
def test_failures(status, value, kind, detail):
    f = read(status, {}, value if isinstance(value, bytes) else json.dumps(value).encode(), ["queue"])
    assert isinstance(f, Failure) and f.kind == kind
    assert detail is None or f.detail == detail


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"<html>"])
def test_no_object_is_malformed(body):
    assert read(200, {}, body, ["queue"]).malformed == "the reply is no JSON object"


words = st.sampled_from(
    [*FORCED_REPLY, *TOOL_USE, *FORCED_REPLY["usage"], "error", "details", "error_code", "text", "message", "queue"]
)
values = st.sampled_from(["tool_use", "text", "end_turn", "refusal", "error", "decide", "{}", '{"choice_index": 1}'])
json_values = any_json(words, values)


@given(
    status=st.sampled_from([200, 400, 429, 529]),
    value=json_values | st.dictionaries(words, json_values).map(lambda d: FORCED_REPLY | d),
)
def test_reading_never_raises_on_json(status, value):
    assert isinstance(read(status, {}, json.dumps(value).encode(), ["queue"]), Reply | Failure)


@given(status=st.sampled_from([200, 400]), body=st.binary(max_size=80))
def test_reading_never_raises_on_bytes(status, body):
    assert isinstance(read(status, {}, body, ["queue"]), Reply | Failure)
