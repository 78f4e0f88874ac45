"""The Chat Completions format: what each provider is sent, and how what each of them sends is read."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.canonical import text_digest
from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.reply import Reply
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.parsing import judge_reply
from dmb.wires.chat_completions import WIRE, authorise, call, read
from tests.conftest import PROJECT
from tests.wires.anything import any_json

SLOTS = (Slot(id="queue", kind="choice"),)
REQUEST = Request(
    state="charged twice — è",
    instructions="Which queue?",
    options=("Billing", "A bug"),
    slots=SLOTS,
    confidence_definition="confidence is P",
)
SHOWN = [("bill", text_digest("Billing")), ("bug", text_digest("A bug"))]
ANSWER = '{"choice_index": 1, "confidence": 0.9}'

MESSAGES = [
    {
        "role": "system",
        "content": "You make one decision. Read the text, then pick exactly one option by its number.\n"
        "Question: Which queue?\n\nOptions:\n0. Billing\n1. A bug\n\n"
        'Answer as JSON: {"choice_index": <number of the option>, "confidence": <number>}, where confidence is P.',
    },
    {"role": "user", "content": "charged twice — è"},
]
SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "decision",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "choice_index": {
                    "type": "integer",
                    "description": "number of the chosen option, counted from 0 as listed",
                },
                "confidence": {"type": "number", "description": "confidence is P"},
            },
            "required": ["choice_index", "confidence"],
            "additionalProperties": False,
        },
    },
}
JSON_MODE = {"type": "json_object"}


def sent(path: str, cap: str, entries: dict[str, tuple[str, int]], **more) -> dict[str, tuple[str, dict]]:
    """Entries that differ in the model and in the cap on its output: name -> (path, whole body without messages)."""
    return {name: (path, {"model": model, cap: n, **more}) for name, (model, n) in entries.items()}


_OPENAI, _ZAI, _DEEPSEEK = "/v1/chat/completions", "/api/paas/v4/chat/completions", "/chat/completions"
_NEW, _OLD = "max_completion_tokens", "max_tokens"
_NO_THINKING = {"thinking": {"type": "disabled"}}

#: Entry -> path and whole body. An entry that is new here is pinned here.
SENT = {
    **sent(
        _OPENAI,
        _NEW,
        {
            "gpt-5-4-nano": ("gpt-5.4-nano", 256),
            "gpt-5-4-mini": ("gpt-5.4-mini", 256),
            "qwen-3-8-27b-cerebras": ("qwen-3.8-27b", 256),
        },
        response_format=SCHEMA,
        temperature=0,
        reasoning_effort="none",
    ),
    **sent(_OPENAI, _NEW, {"gpt-4-1-nano": ("gpt-4.1-nano", 256)}, response_format=SCHEMA, temperature=0),
    **sent(
        _OPENAI,
        _NEW,
        {"gpt-oss-120b-cerebras": ("gpt-oss-120b", 1024)},
        response_format=JSON_MODE,
        temperature=0,
        reasoning_effort="low",
    ),
    **sent(
        _OPENAI,
        _NEW,
        {"mimo-v2-6-flash": ("mimo-v2.6-flash", 1024), "mimo-v2-6-pro": ("mimo-v2.6-pro", 1024)},
        response_format=JSON_MODE,
        temperature=0,
        **_NO_THINKING,
    ),
    **sent(
        _ZAI,
        _OLD,
        {
            "glm-5-3-flash": ("glm-5.3-flash", 2048),
            "glm-5-3-flashx": ("glm-5.3-flashx", 2048),
            "glm-5-3": ("glm-5.3", 2048),
        },
        response_format=JSON_MODE,
        do_sample=False,
        reasoning_effort="low",
    ),
    **sent(
        _DEEPSEEK,
        _OLD,
        {"deepseek-flash": ("deepseek-flash", 256), "deepseek-v4-pro": ("deepseek-v4-pro", 256)},
        response_format=JSON_MODE,
        temperature=0,
        **_NO_THINKING,
    ),
    **sent(_DEEPSEEK, _OLD, {"deepseek-chat": ("deepseek-chat", 256)}, response_format=JSON_MODE, temperature=0),
    # through a gateway
    **sent(
        _OPENAI,
        _OLD,
        {"deepseek-v4-1-flash-opencode": ("deepseek-v4.1-flash", 2048)},
        response_format=JSON_MODE,
        temperature=0,
        reasoning_effort="minimal",
    ),
    **sent(
        _OPENAI,
        _OLD,
        {"mimo-v2-6-flash-opencode": ("mimo-v2.6-flash", 1024)},
        response_format=JSON_MODE,
        temperature=0,
    ),
    **sent(
        _OPENAI,
        _OLD,
        {"glm-5-3-flash-opencode": ("glm-5.3-flash", 2048)},
        response_format=JSON_MODE,
        temperature=0,
        reasoning_effort="low",
    ),
    # on this machine
    **sent(
        _OPENAI,
        _OLD,
        {"smollm2-135m": ("SmolLM2-135M-Instruct.Q4_1", 48)},
        response_format=SCHEMA,
        temperature=0,
        seed=1,
        cache_prompt=False,
        logprobs=True,
        top_logprobs=20,
    ),
}


def table(name: str) -> dict:
    return tomllib.loads((PROJECT / "data" / name).read_text(encoding="utf-8"))


PROVIDERS = table("providers.toml")
ENTRIES = {n: e for n, e in table("contenders.toml").items() if e.get("wire") == "chat_completions"}


def body_of(settings: dict, dialect: dict | None = None) -> dict:
    return json.loads(call(REQUEST, "m", settings, dialect or {}).body)


# -- what is sent


@pytest.mark.parametrize("name", ENTRIES)
def test_what_each_entry_sends(name):
    entry = ENTRIES[name]
    dialect = PROVIDERS[entry["provider"]].get("dialect", {})
    sent = call(REQUEST, entry["model"], entry.get("settings", {}), dialect)
    path, body = SENT[name]
    assert (sent.method, sent.path) == ("POST", path)
    assert json.loads(sent.body) == body | {"messages": MESSAGES}
    assert sent.headers == {"content-type": "application/json"}


@pytest.mark.parametrize(
    "provider, cap",
    [("zai", "max_tokens"), ("deepseek", "max_tokens")]
    + [(p, "max_completion_tokens") for p in ("openai", "cerebras", "xiaomi")],
)
def test_the_field_of_the_output_cap(provider, cap):
    body = body_of({"max_output_tokens": 200}, PROVIDERS[provider].get("dialect"))
    assert body == {"model": "m", "messages": MESSAGES, cap: 200}


@pytest.mark.parametrize("name", ("zai", "deepseek", "openai", "cerebras", "xiaomi"))
def test_dialects_are_words_of_this_wire(name):
    assert set(PROVIDERS[name].get("dialect", {})) <= WIRE.dialect


def test_a_local_server():
    settings = {
        **{"structured": "json_schema", "temperature": 0, "seed": 1, "max_output_tokens": 64},
        **{"cache_prompt": False, "logprobs": 20},
    }
    assert body_of(settings, {"output_cap_field": "max_tokens"}) == {
        "model": "m",
        "messages": MESSAGES,
        "response_format": SCHEMA,
        "temperature": 0,
        "seed": 1,
        "cache_prompt": False,
        "max_tokens": 64,
        "logprobs": True,
        "top_logprobs": 20,
    }


def test_nothing_that_was_not_set_is_sent():
    assert body_of({}) == {"model": "m", "messages": MESSAGES} == body_of({"structured": "plain"})


@pytest.mark.parametrize(
    "settings, dialect, extra",
    [
        ({"reasoning": "low"}, {"reasoning_field": "effort"}, {"effort": "low"}),
        ({"thinking": "disabled"}, {}, {"thinking": {"type": "disabled"}}),
        ({"logprobs": True}, {}, {"logprobs": True}),
        ({"logprobs": False}, {}, {"logprobs": False}),
        ({"logprobs": 0}, {}, {"logprobs": True, "top_logprobs": 0}),
        ({"do_sample": False}, {}, {"do_sample": False}),
        ({"temperature": 0.5}, {}, {"temperature": 0.5}),
        ({"service_tier": "flex"}, {}, {"service_tier": "flex"}),
    ],
)
def test_settings(settings, dialect, extra):
    assert body_of(settings, dialect) == {"model": "m", "messages": MESSAGES} | extra


def test_every_setting_reaches_the_body():
    values = {"structured": "json_mode", "thinking": "disabled"}
    for setting in WIRE.settings:
        assert body_of({setting: values.get(setting, 1)}) != body_of({}), setting


def test_json_mode_finds_the_word_it_wants_in_the_prompt():
    body = body_of({"structured": "json_mode"})
    assert body["response_format"] == JSON_MODE
    assert "JSON" in body["messages"][0]["content"]


def test_a_way_of_structuring_that_there_is_not_is_no_plain_text():
    with pytest.raises(ValueError, match="structured is 'json_shema': use json_schema"):
        body_of({"structured": "json_shema"})


def test_the_credential_is_a_bearer_token_and_nowhere_else():
    assert authorise("k-secret", {}) == {"authorization": "Bearer k-secret"}
    sent = call(REQUEST, "m", {"structured": "json_schema"}, PROVIDERS["zai"]["dialect"])
    assert "authorization" not in sent.headers and "k-secret" not in sent.path + sent.body


# -- what comes back


def ok(finish="stop", usage=None, error=..., **message) -> bytes:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": ANSWER} | message}
    body = {"id": "c", "object": "chat.completion", "model": "m-1", "choices": [choice], "usage": usage}
    return json.dumps(body if error is ... else body | {"error": error}).encode()


def reply(body: bytes, status: int = 200) -> Reply:
    r = read(status, {}, body, ["queue"])
    assert isinstance(r, Reply)
    return r


OPENAI = {
    "prompt_tokens": 140,
    "completion_tokens": 14,
    "total_tokens": 154,
    "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0},
}
DEEPSEEK = {
    **{"prompt_tokens": 120, "completion_tokens": 14, "total_tokens": 134},
    **{"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 56},
    **{"prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 0}},
}
ZAI = {
    **{"prompt_tokens": 120, "completion_tokens": 60, "total_tokens": 180},
    **{"prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 44}},
}
CEREBRAS = {
    **{"prompt_tokens": 150, "completion_tokens": 70, "total_tokens": 220},
    **{"prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 50}},
}
MIMO = {"prompt_tokens": 120, "completion_tokens": 14, "total_tokens": 134}
MUSE = {
    **{"prompt_tokens": 120, "completion_tokens": 40, "total_tokens": 160},
    "completion_tokens_details": {"reasoning_tokens": 25},
}


def usage(sent, cached, written, got, reasoning, fresh=None) -> Usage:
    return Usage(
        input_tokens=sent,
        fresh_tokens=fresh,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=got,
        reasoning_tokens=reasoning,
        total_tokens=sent + got,
    )


@pytest.mark.parametrize(
    "written, message, counted",
    [
        (OPENAI, {"refusal": None}, usage(140, 0, 0, 14, 0)),
        (DEEPSEEK, {"reasoning_content": None}, usage(120, 64, None, 14, 0, fresh=56)),
        (ZAI, {"reasoning_content": "short"}, usage(120, 0, None, 60, 44)),
        (CEREBRAS, {"reasoning": "short"}, usage(150, 0, None, 70, 50)),
        (MIMO, {}, usage(120, None, None, 14, None)),
        (MUSE, {}, usage(120, None, None, 40, 25)),
    ],
    ids=["OpenAI", "DeepSeek", "Z.ai", "Cerebras", "MiMo", "Muse"],
)
def test_a_reply_of_each_provider(written, message, counted):
    r = reply(ok(usage=written, **message))
    assert (r.model, r.usage) == ("m-1", counted)
    judged = judge_reply(r, SHOWN, SLOTS)
    assert judged.outcome == "valid"
    out = judged.outputs["queue"]
    assert (out.value, out.position, out.confidence, out.confidence_kind) == ("bug", 1, 0.9, "stated")


@pytest.mark.parametrize("bad", [True, 1.0, "1", -1, None, [], {}])
def test_what_is_no_count_is_not_reported(bad):
    details = {"prompt_tokens_details": {"cached_tokens": bad}, "completion_tokens_details": {"reasoning_tokens": bad}}
    assert reply(ok(usage={"prompt_tokens": 9, "completion_tokens": bad} | details)).usage == Usage(input_tokens=9)
    assert reply(ok(usage={"prompt_tokens": bad, "completion_tokens": bad})).usage is None


@pytest.mark.parametrize("none", [None, {}, [], 7, "0", {"prompt_tokens": 0, "completion_tokens": 0}])
def test_usage_that_is_not_there_is_none(none):
    assert reply(ok(usage=none)).usage is None


def test_cached_tokens_in_the_words_of_deepseek_alone():
    assert reply(ok(usage=MIMO | {"prompt_cache_hit_tokens": 64})).usage == usage(120, 64, None, 14, None)
    assert reply(ok(usage=MIMO | {"prompt_tokens_details": None})).usage == usage(120, None, None, 14, None)


def test_a_model_that_is_no_name_is_unknown():
    assert reply(b'{"model": 7, "choices": []}').model is None


@pytest.mark.parametrize("finish", ["length", "max_tokens", "model_context_window_exceeded"])
@pytest.mark.parametrize("content", [ANSWER, ANSWER[:-5], "", None])
def test_the_stop_reason_is_looked_at_before_the_text(finish, content):
    r = reply(ok(finish, usage=OPENAI, content=content))
    assert (r.truncated, r.malformed, r.answers) == (f"finish_reason {finish}", None, {})
    assert r.usage is not None and r.model == "m-1"


@pytest.mark.parametrize("finish", ["content_filter", "sensitive"])
def test_filtered_content_is_refused(finish):
    r = reply(ok(finish, usage=OPENAI))
    assert (r.refused, r.answers) == (f"finish_reason {finish}", {})
    assert r.usage is not None


@pytest.mark.parametrize("finish", ["insufficient_system_resource", "network_error"])
def test_a_server_that_gave_up_is_overloaded(finish):
    assert read(200, {}, ok(finish), ["queue"]) == Failure(
        kind="overloaded", detail=f"HTTP 200: finish_reason {finish}"
    )


@pytest.mark.parametrize("content", [None, ANSWER])
def test_a_refusal_stops_with_stop(content):
    r = reply(ok(content=content, refusal="I cannot " + "x" * 999, usage=OPENAI))
    assert r.refused is not None and r.refused.startswith("refusal: I cannot xx") and len(r.refused) < 250
    assert r.answers == {} and r.usage is not None


@pytest.mark.parametrize("refusal", [None, "", " ", False, 7])
def test_a_refusal_that_says_nothing_is_none(refusal):
    assert judge_reply(reply(ok(refusal=refusal)), SHOWN, SLOTS).outcome == "valid"


@pytest.mark.parametrize("finish", [None, 7, [], "eos", "tool_calls"])
def test_an_unknown_stop_reason_leaves_it_to_the_text(finish):
    assert judge_reply(reply(ok(finish)), SHOWN, SLOTS).outcome == "valid"
    assert reply(ok(finish, content=None)).malformed == "the reply is empty"


@pytest.mark.parametrize(
    "content, reason",
    [
        (None, "the reply is empty"),
        ("", "the reply is empty"),
        (" \n", "the reply is empty"),
        ([{"type": "text", "text": ANSWER}], "the content is list, not a text"),
        (7, "the content is int, not a text"),
        ({"choice_index": 1, "confidence": 0.9}, "the content is dict, not a text"),
        ("1", "the reply is int, not an object"),
        ('{"confidence": 0.9}', "queue: no choice_index"),
    ],
)
def test_no_answer_is_malformed(content, reason):
    assert reply(ok(content=content)).malformed == reason


@pytest.mark.parametrize(
    "content", [f"```json\n{ANSWER}\n```", f"<think>x</think>{ANSWER}", ANSWER + "!", ANSWER[:-1], '{"a": NaN}']
)
def test_nothing_is_repaired_into_an_answer(content):
    assert str(reply(ok(content=content)).malformed).startswith("the reply is no JSON")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_is_never_read_for_an_answer(field):
    assert reply(ok(content=None, **{field: ANSWER})).malformed == "the reply is empty"
    other = '{"choice_index": 0, "confidence": 0.1}'
    assert reply(ok(**{field: other})).answers["queue"].index == 1


@pytest.mark.parametrize("choices", [None, [], {}, "x", [None], [[]]])
def test_a_reply_without_choices_is_malformed(choices):
    r = reply(json.dumps({"model": "m", "choices": choices, "usage": OPENAI}).encode())
    assert r.malformed == "the reply has no choices" and r.usage is not None and r.model == "m"


@pytest.mark.parametrize("message", [None, [], "text"])
def test_a_choice_without_a_message_is_malformed(message):
    body = json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}).encode()
    assert reply(body).malformed == "the reply has no message"


# -- errors


def error(message, kind=None, code=None, param=None) -> dict:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def bare(message, kind, code) -> dict:
    return {"message": message, "type": kind, "param": "p", "code": code}


INVALID = "invalid_request_error"
#: (status, body, kind): every sample of the notes on these servers, in their order.
ERRORS = [
    # OpenAI
    (401, error("wrong key", INVALID, "invalid_api_key"), "authentication"),
    (403, error("region not served", "request_forbidden", "unsupported_country_region_territory"), "permission"),
    (404, error("no such model", INVALID, "model_not_found"), "rejected"),
    (400, error("schema not accepted", INVALID, None, "response_format"), "rejected"),
    (400, error("bad schema", INVALID, "invalid_json_schema", "text.format.schema"), "rejected"),
    (400, error("too many tokens", INVALID, "context_length_exceeded", "messages"), "unsupported"),
    (429, error("too fast", "tokens", "rate_limit_exceeded"), "rate_limit"),
    (429, error("too fast", "rate_limit_error", "slow_down"), "rate_limit"),
    (429, error("no credit", "insufficient_quota", "insufficient_quota"), "budget"),
    (429, error("no credit", "insufficient_quota", None), "budget"),
    (429, error("no credit", None, "credit_balance_exhausted"), "budget"),
    (503, error("busy", "service_unavailable_error", "server_is_overloaded"), "overloaded"),
    (500, error("busy", "service_unavailable_error", "server_is_overloaded"), "overloaded"),
    # Z.ai
    (401, {"error": {"code": "1000", "message": "authentication failed"}}, "authentication"),
    (429, {"error": {"code": "1113", "message": "account in arrears"}}, "budget"),
    (429, {"error": {"code": 1113, "message": "account in arrears"}}, "budget"),
    (429, {"error": {"code": "1112", "message": "account locked"}}, "budget"),
    (429, {"error": {"code": "1121", "message": "account locked"}}, "budget"),
    (429, {"error": {"code": "1111", "message": "account"}}, "permission"),
    (429, {"error": {"code": "1302", "message": "too many concurrent requests"}}, "rate_limit"),
    (429, {"error": {"code": "1305", "message": "overload"}}, "overloaded"),
    (503, {"error": {"code": "1305", "message": "overload"}}, "overloaded"),
    (429, {"error": {"code": "1310", "message": "weekly quota"}}, "budget"),
    (429, {"error": {"code": "1313", "message": "plan key outside coding tools"}}, "permission"),
    (400, {"error": {"code": "1211", "message": "unknown model"}}, "rejected"),
    (400, {"error": {"code": "1210", "message": "wrong parameters"}}, "rejected"),
    (400, {"error": {"code": "1220", "message": "no permission for this API"}}, "permission"),
    (400, {"error": {"code": "1261", "message": "prompt too long"}}, "unsupported"),
    (500, {"error": {"code": "1234", "message": "network error"}}, "overloaded"),
    # DeepSeek: its code carries no news
    (401, error("authentication fails", "authentication_error", INVALID), "authentication"),
    (402, error("insufficient balance", "unknown_error", INVALID), "budget"),
    (400, error("model does not exist", INVALID, INVALID), "rejected"),
    (400, error("prompt must mention json", INVALID, INVALID), "rejected"),
    (422, error("wrong parameters", INVALID, INVALID), "rejected"),
    (400, error("context length exceeded", INVALID, INVALID), "unsupported"),
    (503, error("service busy", "service_unavailable_error", "service_unavailable_error"), "overloaded"),
    # Cerebras: no wrapper
    (401, bare("wrong API key", INVALID, "wrong_api_key"), "authentication"),
    (404, bare("model does not exist", "not_found_error", "model_not_found"), "rejected"),
    (429, bare("too many requests", "too_many_requests_error", "request_quota_exceeded"), "rate_limit"),
    (400, bare("schema not supported", INVALID, "wrong_api_format"), "rejected"),
    (400, bare("context length exceeded", INVALID, "context_length_exceeded"), "unsupported"),
    (429, bare("traffic high", "too_many_requests_error", "queue_exceeded"), "overloaded"),
    (503, bare("traffic high", "too_many_requests_error", "queue_exceeded"), "overloaded"),
    (402, bare("payment required", "payment_required_error", "payment_required"), "budget"),
    # MiMo: the code repeats the status
    (
        401,
        {"error": {"message": "key not valid", "param": "p", "code": "401", "type": "invalid_key"}},
        "authentication",
    ),
    (402, {"error": {"message": "balance too low", "code": "402", "type": "insufficient_balance"}}, "budget"),
    (429, {"error": {"message": "plan quota used up", "code": "429", "type": "too_many_requests"}}, "rate_limit"),
    # llama.cpp, vLLM, Ollama
    (401, {"error": {"code": 401, "message": "invalid key", "type": "authentication_error"}}, "authentication"),
    (
        400,
        {
            "error": {
                **{"code": 400, "message": "request exceeds the context size", "type": "exceed_context_size_error"},
                **{"n_prompt_tokens": 9000, "n_ctx": 8192},
            }
        },
        "unsupported",
    ),
    (503, {"error": {"code": 503, "message": "loading model", "type": "unavailable_error"}}, "overloaded"),
    (400, error("maximum context length is 8192 tokens", "BadRequestError", 400), "unsupported"),
    (404, error("model x does not exist", "NotFoundError", 404, "model"), "rejected"),
    (404, error("model not found", "not_found_error", None), "rejected"),
    (404, {"error": "model not found"}, "rejected"),
    # bodies of gateways
    (502, b"<html>Bad Gateway</html>", "overloaded"),
    (529, b"", "overloaded"),
    (403, b"\xff\xfe", "permission"),
    (504, b"", "timeout"),
    (408, {"error": "slow"}, "timeout"),
    (413, b"<html>", "unsupported"),
    (402, b"", "budget"),
    (429, b"", "rate_limit"),
    (429, [{"error": {"code": "1113", "message": "in a list"}}], "budget"),
    (422, {"detail": [{"type": "missing", "msg": "field required", "input": "the state"}]}, "rejected"),
]


@pytest.mark.parametrize("status, body, kind", ERRORS, ids=[f"{i}-{s}-{k}" for i, (s, _, k) in enumerate(ERRORS)])
def test_errors(status, body, kind):
    f = read(status, {}, body if isinstance(body, bytes) else json.dumps(body).encode(), ["queue"])
    assert isinstance(f, Failure) and f.kind == kind
    assert f.detail.startswith(f"HTTP {status}") and "the state" not in f.detail


@pytest.mark.parametrize("code", ["1300", "1301", 1301, "content_filter"])
@pytest.mark.parametrize("status", [400, 429, 500, 200])
def test_content_that_was_not_let_through_is_refused(code, status):
    r = reply(json.dumps({"error": {"code": code, "message": "content judged unsafe"}}).encode(), status)
    assert r.refused is not None and "content judged unsafe" in r.refused


@pytest.mark.parametrize(
    "value, kind",
    [
        ({"message": "m", "code": "rate_limit_exceeded"}, "rate_limit"),
        ({"message": "m", "type": "service_unavailable_error"}, "overloaded"),
        ({"message": "m", "code": "insufficient_quota"}, "budget"),
        ({"message": "m", "code": "1113"}, "budget"),
        ({"message": "m", "code": 502}, "overloaded"),
        ({"message": "m", "code": "429"}, "rate_limit"),
        ({"message": "maximum context length is 8192 tokens", "code": 400}, "unsupported"),
        ({"message": "m", "code": "something"}, "rejected"),
        ("text", "rejected"),
    ],
)
def test_an_error_inside_a_200_is_a_failure_even_beside_an_answer(value, kind):
    for body in (ok(error=value), json.dumps({"error": value}).encode()):
        f = read(200, {}, body, ["queue"])
        assert isinstance(f, Failure) and f.kind == kind and f.detail.startswith("HTTP 200")


@pytest.mark.parametrize(
    "code, kind", [("queue_exceeded", "overloaded"), ("wrong_api_key", "authentication"), ("x", "rejected")]
)
def test_an_error_without_its_wrapper_inside_a_200_is_one(code, kind):
    bare = {"message": "m", "type": "some_error", "param": "queue", "code": code}
    f = read(200, {}, json.dumps(bare).encode(), ["queue"])
    assert isinstance(f, Failure) and f.kind == kind
    beside = json.dumps({**json.loads(ok()), "message": "m"}).encode()
    assert judge_reply(reply(beside), SHOWN, SLOTS).outcome == "valid"


@pytest.mark.parametrize("none", [None, {}, "", []])
def test_an_error_that_says_nothing_is_none(none):
    assert judge_reply(reply(ok(error=none)), SHOWN, SLOTS).outcome == "valid"


# -- whatever comes

FIELDS = st.sampled_from(
    [
        *("error", "choices", "message", "content", "finish_reason", "refusal", "usage", "prompt_tokens", "model"),
        *("prompt_tokens_details", "cached_tokens", "code", "type", "detail", "choice_index", "confidence"),
    ]
)
VALUES = any_json(FIELDS, st.text(max_size=3) | st.sampled_from([ANSWER, "length"]), length=2, leaves=10)


@given(status=st.sampled_from([0, 200, 400, 401, 429, 500]), body=st.binary(max_size=40) | VALUES)
def test_reading_never_raises(status, body):
    r = read(status, {}, body if isinstance(body, bytes) else json.dumps(body).encode(), ["queue"])
    assert isinstance(r, Failure if status != 200 else Reply | Failure)


@given(finish=VALUES, message=VALUES, usage=VALUES, error=VALUES)
def test_reading_a_choice_never_raises(finish, message, usage, error):
    body = {"choices": [{"finish_reason": finish, "message": message}], "usage": usage, "error": error}
    r = read(200, {}, json.dumps(body).encode(), ["queue"])
    if isinstance(r, Reply):
        judge_reply(r, SHOWN, SLOTS)
