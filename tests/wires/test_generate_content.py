"""The Gemini format, by hand: every case of the notes on its servers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.canonical import text_digest
from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.reply import Reply
from dmb.inputs import parse_toml
from dmb.parsing import judge_reply
from dmb.wires.generate_content import WIRE, authorise, call, read
from tests.conftest import PROJECT
from tests.wires.anything import any_json
from tests.wires.test_messages import REQUEST, SCHEMA, SYSTEM

PROSE = {
    "systemInstruction": {"parts": [{"text": SYSTEM}]},
    "contents": [{"role": "user", "parts": [{"text": "charged twice\u2028— è?"}]}],
}
JSON = {"responseMimeType": "application/json"}
TEXT = '{"choice_index": 1, "confidence": 0.9}'
CANDIDATE = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [{"text": TEXT}]}}
OK = {
    "candidates": [CANDIDATE],
    "usageMetadata": {
        "promptTokenCount": 130,
        "cachedContentTokenCount": 0,
        "candidatesTokenCount": 15,
        "thoughtsTokenCount": 0,
        "totalTokenCount": 145,
    },
    "modelVersion": "gemini-2.5-flash",
    "responseId": "r1",
}


def body(value) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def reply(**fields) -> Reply:
    r = read(200, {}, body(OK | fields), ["queue"])
    assert isinstance(r, Reply)
    return r


def candidate(**fields) -> Reply | Failure:
    return read(200, {}, body(OK | {"candidates": [CANDIDATE | fields]}), ["queue"])


# -- what is sent


@pytest.mark.parametrize(
    "settings, config",
    [
        ({}, None),
        ({"structured": "plain"}, None),
        ({"structured": "json_mode"}, JSON),
        ({"structured": "json_schema"}, JSON | {"responseJsonSchema": SCHEMA}),
        ({"temperature": 0}, {"temperature": 0}),
        ({"max_output_tokens": 300}, {"maxOutputTokens": 300}),
        ({"thinking_budget": 0}, {"thinkingConfig": {"thinkingBudget": 0}}),
        ({"thinking_level": "LOW"}, {"thinkingConfig": {"thinkingLevel": "LOW"}}),
        (
            {"structured": "json_schema", "temperature": 0, "max_output_tokens": 300, "thinking_budget": 0},
            JSON
            | {
                "temperature": 0,
                "maxOutputTokens": 300,
                "responseJsonSchema": SCHEMA,
                "thinkingConfig": {"thinkingBudget": 0},
            },
        ),
    ],
)
def test_settings(settings, config):
    sent = call(REQUEST, "gemini-x", settings, {})
    assert (sent.method, sent.path) == ("POST", "/v1beta/models/gemini-x:generateContent")
    assert sent.headers == {"content-type": "application/json"}
    assert json.loads(sent.body) == PROSE | ({} if config is None else {"generationConfig": config})


def test_a_tier_is_ordered_beside_the_configuration():
    sent = call(REQUEST, "m", {"service_tier": "flex"}, {})
    assert json.loads(sent.body) == PROSE | {"serviceTier": "flex"}


def test_the_dialect_names_the_version():
    assert call(REQUEST, "m", {}, {"api_version": "v1"}).path == "/v1/models/m:generateContent"


def test_a_model_name_stays_within_its_place_in_the_path():
    assert call(REQUEST, "m?key=x#y", {}, {}).path == "/v1beta/models/m%3Fkey%3Dx%23y:generateContent"


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"structured": "forced_tool"}, "structured is 'forced_tool': give "),
        ({"thinking_budget": 0, "thinking_level": "LOW"}, "give one of the two"),
    ],
)
def test_settings_that_cannot_be_sent(settings, words):
    with pytest.raises(ValueError, match=words):
        call(REQUEST, "m", settings, {})


def test_the_credential_is_a_header_and_never_in_the_query():
    assert authorise("k", {}) == {"x-goog-api-key": "k"}


def test_the_provider():
    entry = parse_toml((PROJECT / "data/providers.toml").read_text(encoding="utf-8"), "")["google"]
    assert entry["credential"] == ["GEMINI_API_KEY", "GOOGLE_API_KEY"] and entry["address"].endswith("googleapis.com")
    assert set(entry.get("dialect", {})) <= WIRE.dialect


# -- what comes back


def test_success():
    r = reply()
    assert (r.model, r.refused, r.truncated, r.malformed) == ("gemini-2.5-flash", None, None, None)
    assert r.usage == Usage(input_tokens=130, cached_tokens=0, output_tokens=15, reasoning_tokens=0, total_tokens=145)
    shown = [(str(i), text_digest(t)) for i, t in enumerate(REQUEST.options)]
    out = judge_reply(r, shown, REQUEST.slots).outputs["queue"]
    assert (out.value, out.confidence, out.confidence_kind) == ("1", 0.9, "stated")


@pytest.mark.parametrize(
    "parts, malformed",
    [
        ([{"text": "hm {", "thought": True}, {"text": TEXT}], None),
        ([{"text": TEXT[:9]}, {"text": "no", "thought": True}, {"text": TEXT[9:], "thought": False}], None),
        ([{"text": TEXT, "thought": True}], "the reply is empty"),
        ([{"functionCall": {}}], "the reply is empty"),
        ([None, 1, {"text": 1}], "the reply is empty"),
        ([{"text": f"```json\n{TEXT}\n```"}], "the reply is no JSON"),
        ([{"text": "{}"}], "queue: no choice_index"),
        (None, "the reply is empty"),
    ],
)
def test_parts(parts, malformed):
    r = candidate(content={"role": "model", "parts": parts})
    if malformed is None:
        assert r.malformed is None and r.answers["queue"].index == 1
    else:
        assert r.malformed.startswith(malformed) and not r.answers


@pytest.mark.parametrize("content", [None, {}, [], "x"])
def test_content_that_is_missing(content):
    assert candidate(content=content).malformed == "the reply is empty"


@pytest.mark.parametrize(
    "reason, field, words",
    [
        ("MAX_TOKENS", "truncated", "MAX_TOKENS"),
        *(
            (r, "refused", f"finishReason {r}")
            for r in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE")
        ),
        ("MALFORMED_RESPONSE", "malformed", "finishReason MALFORMED_RESPONSE"),
        (None, "malformed", "the candidate has no finishReason"),
        (1, "malformed", "the candidate has no finishReason"),
    ],
)
def test_the_finish_reason_is_looked_at_before_the_text(reason, field, words):
    r = candidate(finishReason=reason)
    assert getattr(r, field) == words and not r.answers
    assert r.usage.input_tokens == 130 and r.model == "gemini-2.5-flash"


@pytest.mark.parametrize("reason", ["OTHER", "BRAND_NEW", "FINISH_REASON_UNSPECIFIED"])
def test_a_finish_reason_that_is_none_of_these_is_a_failure_with_the_word(reason):
    assert candidate(finishReason=reason) == Failure(kind="rejected", detail=f"HTTP 200: finishReason {reason}")


def test_a_blocked_prompt():
    value = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 130}}
    value["usageMetadata"]["totalTokenCount"] = 130
    r = read(200, {}, body(value), ["queue"])
    assert r.refused == "blockReason SAFETY"
    assert r.usage == Usage(input_tokens=130, cached_tokens=0, output_tokens=0, reasoning_tokens=0, total_tokens=130)


@pytest.mark.parametrize(
    "value, malformed",
    [
        ({}, "the reply has no candidates"),
        ({"candidates": []}, "the reply has no candidates"),
        ({"candidates": None, "promptFeedback": {}}, "the reply has no candidates"),
        ({"candidates": {"0": {}}}, "the candidate is no object"),
        ({"candidates": [1]}, "the candidate is no object"),
        ([], "the reply is no JSON object"),
        ([OK], "the reply is no JSON object"),
        (b"<html>", "the reply is no JSON object"),
    ],
)
def test_no_candidate_is_malformed(value, malformed):
    assert read(200, {}, body(value), ["queue"]).malformed == malformed


@pytest.mark.parametrize(
    "usage, read_as",
    [
        # thoughts stand beside the candidates; zero counts are omitted
        (
            {"promptTokenCount": 130, "candidatesTokenCount": 15, "thoughtsTokenCount": 40, "totalTokenCount": 185},
            Usage(input_tokens=130, cached_tokens=0, output_tokens=55, reasoning_tokens=40, total_tokens=185),
        ),
        (
            {"promptTokenCount": 130, "candidatesTokenCount": 15, "cachedContentTokenCount": 100},
            Usage(input_tokens=130, cached_tokens=100, output_tokens=15, reasoning_tokens=0),
        ),
        (
            {"promptTokenCount": 130, "thoughtsTokenCount": 40, "totalTokenCount": 170},
            Usage(input_tokens=130, cached_tokens=0, output_tokens=40, reasoning_tokens=40, total_tokens=170),
        ),
        (
            {"promptTokenCount": 130, "totalTokenCount": 130},
            Usage(input_tokens=130, cached_tokens=0, output_tokens=0, reasoning_tokens=0, total_tokens=130),
        ),
        # nothing says what was written
        ({"promptTokenCount": 130}, Usage(input_tokens=130, cached_tokens=0)),
        (
            {"promptTokenCount": 130, "totalTokenCount": 145},
            Usage(input_tokens=130, cached_tokens=0, total_tokens=145),
        ),
        # what is there and no count is unknown
        (
            {"promptTokenCount": 130, "candidatesTokenCount": "15"},
            Usage(input_tokens=130, cached_tokens=0, reasoning_tokens=0),
        ),
        ({"candidatesTokenCount": 15}, None),
        # a prompt is never without tokens
        ({"promptTokenCount": 0, "candidatesTokenCount": 15, "totalTokenCount": 15}, None),
        ({"promptTokenCount": 0, "candidatesTokenCount": 0, "totalTokenCount": 0}, None),
        ({}, None),
        (None, None),
        ([], None),
    ],
)
def test_usage(usage, read_as):
    assert reply(usageMetadata=usage).usage == read_as


def error(code: int, status: str, message: str = "m", *details) -> dict:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


INFO = "type.googleapis.com/google.rpc."
BAD_KEY = {"@type": f"{INFO}ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
WAIT = {"@type": f"{INFO}RetryInfo", "retryDelay": "17s"}
BUSY = {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}


def quota(name: str) -> dict:
    metric = "generativelanguage.googleapis.com/generate_requests"
    return {"@type": f"{INFO}QuotaFailure", "violations": [{"quotaMetric": metric, "quotaId": name}]}


@pytest.mark.parametrize(
    "status, value, kind, wait",
    [
        (400, error(400, "INVALID_ARGUMENT", "key not valid", BAD_KEY), "authentication", None),
        (401, error(401, "UNAUTHENTICATED"), "authentication", None),
        (403, {"error": {"code": 403, "message": "no access", "status": "PERMISSION_DENIED"}}, "permission", None),
        (404, {"error": {"code": 404, "message": "models/x not found", "status": "NOT_FOUND"}}, "rejected", None),
        (400, error(400, "INVALID_ARGUMENT", "schema has too many states"), "rejected", None),
        (400, error(400, "INVALID_ARGUMENT", "input token count over maximum"), "unsupported", None),
        (
            400,
            error(
                400, "INVALID_ARGUMENT", "The input token count (2) exceeds the maximum number of tokens allowed (1)."
            ),
            "unsupported",
            None,
        ),
        (400, error(400, "FAILED_PRECONDITION", "User location is not supported"), "permission", None),
        (400, error(400, "FAILED_PRECONDITION", "Please enable billing"), "budget", None),
        (429, error(429, "RESOURCE_EXHAUSTED", "quota", WAIT), "rate_limit", 17.0),
        (429, error(429, "RESOURCE_EXHAUSTED", "quota"), "rate_limit", None),
        (
            429,
            error(429, "RESOURCE_EXHAUSTED", "quota", quota("GenerateRequestsPerMinutePerProject"), WAIT),
            "rate_limit",
            17.0,
        ),
        (
            429,
            error(429, "RESOURCE_EXHAUSTED", "quota", quota("GenerateRequestsPerDayPerProject-FreeTier"), WAIT),
            "budget",
            17.0,
        ),
        (503, BUSY, "overloaded", None),
        (503, [BUSY], "overloaded", None),
        (500, error(500, "INTERNAL"), "overloaded", None),
        (504, error(504, "DEADLINE_EXCEEDED"), "timeout", None),
        (413, b"<html>", "unsupported", None),
        (200, BUSY, "overloaded", None),
        (200, [BUSY], "overloaded", None),
        (200, {"error": {"code": "9" * 5000}}, "rejected", None),
        (400, [], "rejected", None),
        (400, {"error": {"details": [1, {"reason": 1, "retryDelay": 17}], "status": 1}}, "rejected", None),
        (429, {"error": {"details": [{"violations": [1, {"quotaId": 1}]}]}}, "rate_limit", None),
    ],
)
def test_failures(status, value, kind, wait):
    f = read(status, {}, body(value), ["queue"])
    assert isinstance(f, Failure) and (f.kind, f.retry_after_s) == (kind, wait)


def test_the_detail_of_a_failure():
    bad_key = read(400, {}, body(error(400, "INVALID_ARGUMENT", "key not valid", BAD_KEY)), ["queue"])
    assert bad_key.detail == "HTTP 400 API_KEY_INVALID: key not valid"
    assert read(503, {}, body([BUSY]), ["queue"]).detail == "HTTP 503 UNAVAILABLE: busy"


@pytest.mark.parametrize(
    "written, seconds",
    [
        ("17s", 17.0),
        ("0.5s", 0.5),
        ("0s", 0.0),
        *((w, None) for w in ("17", "s", "-1s", "1e3s", "9" * 400 + "s", "٣s", "17s\n", 17, None, {"seconds": 17})),
    ],
)
def test_the_delay_that_a_body_asks_for(written, seconds):
    value = error(429, "RESOURCE_EXHAUSTED", "quota", {"retryDelay": written})
    assert read(429, {}, body(value), ["queue"]).retry_after_s == seconds


words = st.sampled_from(
    [
        *(*OK, *CANDIDATE, *OK["usageMetadata"], *WAIT, *BAD_KEY, *BUSY["error"], "error", "details", "parts", "text"),
        *("thought", "promptFeedback", "blockReason", "violations", "quotaId"),
    ]
)
values = st.sampled_from(["STOP", "SAFETY", "17s", "API_KEY_INVALID", "PerDay", TEXT, "{"])
json_values = any_json(words, values)


@given(
    status=st.sampled_from([200, 400, 429, 503]),
    value=json_values | st.dictionaries(words, json_values).map(lambda d: OK | d),
)
def test_reading_never_raises_on_json(status, value):
    assert isinstance(read(status, {}, body(value), ["queue"]), Reply | Failure)


@given(status=st.sampled_from([200, 400]), garbage=st.binary(max_size=80))
def test_reading_never_raises_on_bytes(status, garbage):
    assert isinstance(read(status, {}, garbage, ["queue"]), Reply | Failure)
