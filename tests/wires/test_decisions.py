"""The decision services' shapes, by hand: every case of the notes on their servers."""

from __future__ import annotations

import json
from decimal import Decimal

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
from dmb.wires.decisions import WIRE, authorise, call, read
from tests.conftest import PROJECT
from tests.wires.anything import any_json

REQUEST = Request(
    state="I was charged twice — è?",
    instructions="Pick the queue.",
    options=("billing", "a “bug”", "other"),
    slots=(Slot(id="queue", kind="choice"),),
    confidence_definition="p",
)
PROBABILITIES = {"billing": 0.95, "a “bug”": 0.03, "other": 0.02}
CHOICE = {"type": "choice", "choice": "billing", "confidence": 0.93}
PAIRS = [{"value": v, "probability": p} for v, p in PROBABILITIES.items()]
OPENAI = {
    "model": "gpt-6-luna",
    "answers": [CHOICE | {"name": "queue", "probabilities": PAIRS}],
    "usage": {
        "input_tokens": 96,
        "input_tokens_details": {"cached_tokens": 32, "cache_write_tokens": 0},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 100,
    },
}
GOOGLE = {
    "answers": {"queue": CHOICE | {"probabilities": PROBABILITIES}},
    "usage": {"total_input_tokens": 96, "total_output_tokens": 4, "total_tokens": 100},
}
CLOUDFLARE = {
    "result": {
        "model": "clef",
        "answers": {"queue": CHOICE | {"probabilities": PROBABILITIES}},
        "usage": {"input_tokens": 131, "output_tokens": 0},
    },
    "success": True,
    "errors": [],
    "messages": [],
}
OPENROUTER = {
    "id": "dec_01",
    "provider": "TypeSafe",
    "model": "typesafe/jev-1.14-20261014",
    "answers": {"queue": CHOICE | {"probabilities": PROBABILITIES}},
    "usage": {"input_tokens": 118, "output_tokens": 6, "cost": 0.000004956},
}
REPLIES = {"openai": OPENAI, "google": GOOGLE, "cloudflare": CLOUDFLARE, "openrouter": OPENROUTER}


def body(value) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def got(value, status: int = 200, slots=("queue",)) -> Reply | Failure:
    return read(status, {}, body(value), slots)


def answered(shape: str = "openai", **fields) -> Reply | Failure:
    """A reply whose one answer has other fields."""
    value = json.loads(json.dumps(REPLIES[shape]))
    holder = value["result"] if shape == "cloudflare" else value
    holder["answers"]["queue" if shape != "openai" else 0] |= fields
    return got(value)


# -- what is sent


def question(description) -> dict:
    criteria = dict.fromkeys(REQUEST.options, description)
    return {"queue": {"type": "choice", "instructions": "Pick the queue.", "criteria": criteria}}


@pytest.mark.parametrize(
    "dialect, model, path, sent",
    [
        (
            {},
            "gpt-6-luna",
            "/v1/decisions",
            {
                "model": "gpt-6-luna",
                "input": REQUEST.state,
                "questions": [
                    {
                        "type": "choice",
                        "name": "queue",
                        "instructions": "Pick the queue.",
                        "choices": [{"value": "billing"}, {"value": "a “bug”"}, {"value": "other"}],
                    }
                ],
            },
        ),
        (
            {"shape": "google"},
            "m",
            "/v1beta/decisions",
            {"model": "m", "input": REQUEST.state, "questions": question("")},
        ),
        (
            {"shape": "openrouter"},
            "typesafe/jev-1.14",
            "/api/v1/systemone",
            {"model": "typesafe/jev-1.14", "state": REQUEST.state, "questions": question(None)},
        ),
        (
            {"shape": "openrouter", "path": "/api/alpha/decisions"},
            "m",
            "/api/alpha/decisions",
            {"model": "m", "state": REQUEST.state, "questions": question(None)},
        ),
        (
            {"shape": "cloudflare"},
            "clef-flash",
            "/ai/run/@cf/cloudflare/clef-flash",
            {"model": "clef-flash", "state": REQUEST.state, "questions": question(None)},
        ),
        (
            {"shape": "cloudflare"},
            "@cf/other/clef",
            "/ai/run/@cf/other/clef",
            {"model": "clef", "state": REQUEST.state, "questions": question(None)},
        ),
    ],
)
def test_the_body_in_full(dialect, model, path, sent):
    c = call(REQUEST, model, {}, dialect)
    assert (c.method, c.path, c.headers) == ("POST", path, {"content-type": "application/json"})
    assert json.loads(c.body) == sent and c.unsupported is None
    # as JSON objects have no order to compare
    assert [c.body.index(f'"{o}"') for o in REQUEST.options] == sorted(c.body.index(f'"{o}"') for o in REQUEST.options)


def test_openai_is_the_shape_without_a_dialect():
    assert call(REQUEST, "m", {}, {"shape": "openai"}) == call(REQUEST, "m", {}, {})


def test_a_shape_that_is_none():
    with pytest.raises(ValueError, match="shape is 'jev': give one of openai, google, cloudflare, openrouter"):
        call(REQUEST, "m", {}, {"shape": "jev"})


@pytest.mark.parametrize("shape", REPLIES)
@pytest.mark.parametrize(
    "n, settings, why",
    [
        (255, {}, None),
        (256, {}, "256 options, and at most 255 are taken"),
        (256, {"max_options": 512}, None),
        (3, {"max_options": 2}, "3 options, and at most 2 are taken"),
    ],
)
def test_too_many_options_are_not_sent(shape, n, settings, why):
    request = REQUEST._replace(options=tuple(f"o{i}" for i in range(n)))
    assert call(request, "m", settings, {"shape": shape}).unsupported == why


def test_several_slots_are_several_questions():
    request = REQUEST._replace(slots=(Slot(id="a", kind="choice"), Slot(id="b", kind="choice")))
    assert [q["name"] for q in json.loads(call(request, "m", {}, {}).body)["questions"]] == ["a", "b"]
    assert list(json.loads(call(request, "m", {}, {"shape": "google"}).body)["questions"]) == ["a", "b"]


def test_the_credential():
    for shape in ("openai", "cloudflare", "openrouter"):
        assert authorise("k", {"shape": shape}) == {"authorization": "Bearer k"}
    assert authorise("k", {}) == {"authorization": "Bearer k"}
    assert authorise("k", {"shape": "google"}) == {"x-goog-api-key": "k"}


@pytest.mark.parametrize(
    "name, credential",
    [("openrouter", ["OPENROUTER_API_KEY"]), ("cloudflare", ["CLOUDFLARE_API_TOKEN", "CF_API_TOKEN"])],
)
def test_the_providers(name, credential):
    entry = parse_toml((PROJECT / "data/providers.toml").read_text(encoding="utf-8"), "")[name]
    assert entry["credential"] == credential
    assert entry["dialect"]["shape"] == name and set(entry["dialect"]) <= WIRE.dialect


# -- what comes back


@pytest.mark.parametrize(
    "shape, model, usage",
    [
        (
            "openai",
            "gpt-6-luna",
            Usage(
                input_tokens=96,
                cached_tokens=32,
                cache_write_tokens=0,
                output_tokens=4,
                reasoning_tokens=0,
                total_tokens=100,
            ),
        ),
        ("google", None, Usage(input_tokens=96, output_tokens=4, total_tokens=100)),
        ("cloudflare", "clef", Usage(input_tokens=131, output_tokens=0)),
        (
            "openrouter",
            "typesafe/jev-1.14-20261014",
            Usage(input_tokens=118, output_tokens=6, charged_usd=Decimal("0.000004956")),
        ),
    ],
)
def test_success(shape, model, usage):
    r = got(REPLIES[shape])
    assert (r.model, r.usage) == (model, usage)
    shown = [(str(i), text_digest(t)) for i, t in enumerate(REQUEST.options)]
    j = judge_reply(r, shown, REQUEST.slots)
    out = j.outputs["queue"]
    assert (j.outcome, out.value, out.confidence_kind, out.native_confidence) == (
        "valid",
        "0",
        "native-probability",
        0.93,
    )
    assert out.confidence == pytest.approx(0.95)


@pytest.mark.parametrize("shape", REPLIES)
def test_without_probabilities_its_own_confidence_is_kept(shape):
    answer = answered(shape, probabilities=None).answers["queue"]
    assert (answer.probabilities, answer.confidence, answer.confidence_kind) == (None, 0.93, "native")


def test_a_refusal_is_per_question_inside_a_200():
    r = got(OPENAI | {"answers": [{"type": "refusal", "name": "queue"}]})
    assert (r.refused, r.answers) == ("queue: refusal", {}) and r.usage.input_tokens == 96


def test_a_blocked_prompt():
    r = got({"prompt_feedback": {"block_reason": "SAFETY"}, "usage": GOOGLE["usage"]})
    assert r.refused == "block_reason SAFETY" and r.usage.input_tokens == 96
    assert got(GOOGLE | {"prompt_feedback": {}}).answers


def test_several_answers_are_told_apart_by_their_order():
    a, b = (CHOICE | {"choice": c} for c in ("billing", "other"))
    r = got({"answers": [a, b | {"name": "b"}]}, slots=["a", "b"])
    assert [r.answers[s].label for s in ("a", "b")] == ["billing", "other"]
    assert got({"answers": [a, b | {"name": "a"}]}, slots=["a", "b"]).malformed == "b: the answer has another name"
    assert got({"answers": [a]}, slots=["a", "b"]).malformed == "the reply has 1 answers to 2 questions"


def test_an_answer_that_the_server_calls_unsupported():
    assert answered("openrouter", type="unsupported").kind == "unsupported"


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "predicate", "probability": 0.5},
        {"type": None},
        {"choice": None},
        {"choice": True},
        {"choice": 1},
    ],
)
@pytest.mark.parametrize("shape", REPLIES)
def test_an_answer_that_is_no_choice_is_malformed(shape, fields):
    assert answered(shape, **fields).malformed == "queue: the answer is no choice"


@pytest.mark.parametrize(
    "probabilities",
    [
        [PAIRS[0], PAIRS[0], PAIRS[1]],
        [*PAIRS, 1],
        [*PAIRS, {"value": True, "probability": 0.5}],
        [*PAIRS, {"value": ["x"], "probability": 0.5}],
        [0.95, 0.03, 0.02],
    ],
)
def test_probabilities_that_are_no_pairs(probabilities):
    assert answered(probabilities=probabilities).malformed.startswith("queue: probabilities are no pairs")


@pytest.mark.parametrize(
    "value, malformed",
    [
        ([], "the reply is no JSON object"),
        (b"<html>", "the reply is no JSON object"),
        (CLOUDFLARE | {"result": None}, "the reply is no JSON object"),
        ({}, "the reply has no answers"),
        ({"answers": "x"}, "the reply has no answers"),
        ({"answers": {}}, "queue: no answer"),
        ({"answers": {"queue": []}}, "queue: the answer is no object"),
        ({"answers": [None]}, "queue: no answer"),
        ({"answers": []}, "the reply has 0 answers to 1 questions"),
    ],
)
def test_a_reply_without_answers_is_malformed(value, malformed):
    assert got(value).malformed == malformed


@pytest.mark.parametrize(
    "usage, read_as",
    [
        ({"total_input_tokens": 96, "total_tokens": 96}, Usage(input_tokens=96, output_tokens=0, total_tokens=96)),
        ({"total_input_tokens": 96, "total_tokens": 100}, Usage(input_tokens=96, total_tokens=100)),
        (
            {"total_input_tokens": 96, "total_output_tokens": 4, "total_thought_tokens": 30, "total_tokens": 130},
            Usage(input_tokens=96, output_tokens=34, reasoning_tokens=30, total_tokens=130),
        ),
        (
            {"total_input_tokens": 96, "total_cached_tokens": 64, "total_output_tokens": 4},
            Usage(input_tokens=96, cached_tokens=64, output_tokens=4),
        ),
        ({"total_input_tokens": 0, "total_output_tokens": 0}, None),
        ({"total_input_tokens": "96"}, None),
        ({"input_tokens": 0, "output_tokens": 0}, None),
        ({"input_tokens": 1.5}, None),
        ({}, None),
        (None, None),
        ([], None),
    ],
)
def test_usage(usage, read_as):
    assert got(GOOGLE | {"usage": usage}).usage == read_as


def openai_error(kind, code, message="m", param=None) -> dict:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def router_error(code: int, message: str, name: str | None = None) -> dict:
    return {"error": {"code": code, "message": message, **({"metadata": {"error_type": name}} if name else {})}}


def envelope(code: int, message: str) -> dict:
    return {"result": None, "success": False, "errors": [{"code": code, "message": message}], "messages": []}


INVALID = "invalid_request_error"
BAD_KEY = {
    "error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}
}


@pytest.mark.parametrize(
    "status, value, kind, detail",
    [
        # openai
        (
            401,
            openai_error(INVALID, "invalid_api_key", "wrong key"),
            "authentication",
            "HTTP 401 invalid_api_key: wrong key",
        ),
        (403, openai_error("request_forbidden", "unsupported_country_region_territory"), "permission", None),
        (404, openai_error(INVALID, "model_not_found"), "rejected", None),
        (400, openai_error(INVALID, None, "schema not accepted", "questions"), "rejected", None),
        (400, openai_error(INVALID, "context_length_exceeded"), "unsupported", None),
        (400, openai_error(INVALID, None, "choices: at most 255 items"), "unsupported", None),
        (429, openai_error("tokens", "rate_limit_exceeded"), "rate_limit", None),
        (429, openai_error("insufficient_quota", "insufficient_quota"), "budget", "HTTP 429 insufficient_quota: m"),
        (429, openai_error("insufficient_quota", None), "budget", None),
        (429, openai_error("x", "credit_balance_exhausted"), "budget", None),
        (503, openai_error("service_unavailable_error", "server_is_overloaded", "busy"), "overloaded", None),
        # google
        (400, BAD_KEY, "authentication", "HTTP 400 API_KEY_INVALID: m"),
        (400, [BAD_KEY], "authentication", None),
        (503, [{"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}], "overloaded", None),
        (400, {"error": {"code": 400, "message": "input token count over maximum"}}, "unsupported", None),
        # openrouter
        (401, router_error(401, "no auth") | {"user_id": "u_1"}, "authentication", "HTTP 401: no auth"),
        (402, router_error(402, "credits used up"), "budget", None),
        (
            403,
            router_error(403, "not allowed", "permission_denied"),
            "permission",
            "HTTP 403 permission_denied: not allowed",
        ),
        (404, router_error(404, "no endpoint under your data policy"), "rejected", None),
        (429, router_error(429, "slow down", "rate_limit_exceeded"), "rate_limit", None),
        (529, router_error(529, "provider overloaded", "provider_overloaded"), "overloaded", None),
        (400, router_error(400, "context too long", "context_length_exceeded"), "unsupported", None),
        (413, router_error(413, "m"), "unsupported", None),
        (524, router_error(524, "m"), "timeout", None),
        (502, router_error(502, "m"), "overloaded", None),
        (200, router_error(502, "m"), "overloaded", None),
        (200, {"error": "no"}, "rejected", None),
        (200, {"error": {"code": "9" * 5000}}, "rejected", None),
        (200, {"error": {"code": "server_is_overloaded", "message": "m"}}, "overloaded", None),
        (200, router_error(200, "m", "provider_overloaded"), "overloaded", None),
        (200, {"error": {"code": "rate_limit_exceeded", "message": "m"}}, "rate_limit", None),
        # google: no billing, or a region that is not served
        (400, {"error": {"code": 400, "message": "no billing", "status": "FAILED_PRECONDITION"}}, "budget", None),
        (400, {"error": {"code": 400, "message": "region", "status": "FAILED_PRECONDITION"}}, "permission", None),
        # cloudflare
        (200, envelope(10000, "authentication failed"), "authentication", "HTTP 200 10000: authentication failed"),
        (401, envelope(10000, "authentication failed"), "authentication", None),
        (403, envelope(10000, "authentication failed"), "authentication", None),
        (403, envelope(7003, "no route"), "permission", None),
        (429, envelope(10429, "slow"), "rate_limit", None),
        (429, envelope(3036, "daily allocation used"), "budget", None),
        (200, envelope(3040, "no capacity"), "overloaded", None),
        (500, envelope(5000, "m"), "overloaded", None),
        (200, envelope(5007, "no such model"), "rejected", None),
        (400, envelope(5006, "criteria: at most 255"), "unsupported", None),
        (200, {"success": False, "errors": []}, "rejected", None),
        (200, {"success": False, "errors": None, "result": OPENAI}, "rejected", None),
        (502, {"success": True, "result": OPENAI}, "overloaded", None),
    ],
)
def test_failures(status, value, kind, detail):
    f = got(value, status)
    assert isinstance(f, Failure) and f.kind == kind
    assert detail is None or f.detail == detail


@pytest.mark.parametrize("name", ["refusal", "content_policy", "content_policy_violation"])
def test_a_refusal_that_is_told_as_an_error_does_not_stop_the_provider(name):
    assert got(router_error(403, "flagged", name), 403) == Reply(refused=f"{name}: flagged")


words = st.sampled_from(
    [*OPENAI, *CLOUDFLARE, *CHOICE, *OPENAI["usage"], *GOOGLE["usage"], "error", "code", "message", "metadata", "queue"]
)
values = st.sampled_from(["choice", "billing", "refusal", "unsupported", "API_KEY_INVALID", "at most"])
json_values = any_json(words, values)


@given(
    status=st.sampled_from([200, 400, 429, 529]),
    value=json_values
    | st.tuples(st.sampled_from(list(REPLIES.values())), st.dictionaries(words, json_values)).map(
        lambda t: t[0] | t[1]
    ),
)
def test_reading_never_raises_on_json(status, value):
    assert isinstance(got(value, status), Reply | Failure)


@given(status=st.sampled_from([200, 400]), garbage=st.binary(max_size=80))
def test_reading_never_raises_on_bytes(status, garbage):
    assert isinstance(got(garbage, status), Reply | Failure)
