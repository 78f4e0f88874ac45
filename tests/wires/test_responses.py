"""The Responses format: what is sent, and how every way of ending is read."""

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
from dmb.parsing import judge_reply
from dmb.wires.responses import WIRE, authorise, call, read
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
PLAIN = {
    "model": "gpt-5.4-nano",
    "instructions": "You make one decision. Read the text, then pick exactly one option by its number.\n"
    "Question: Which queue?\n\nOptions:\n0. Billing\n1. A bug\n\n"
    'Answer as JSON: {"choice_index": <number of the option>, "confidence": <number>}, where confidence is P.',
    "input": "charged twice — è",
    "store": False,
}


def body_of(settings: dict) -> dict:
    return json.loads(call(REQUEST, "gpt-5.4-nano", settings, {}).body)


# -- what is sent


def test_the_whole_body():
    settings = {"structured": "json_schema", "temperature": 0, "reasoning": "none", "max_output_tokens": 200}
    sent = call(REQUEST, "gpt-5.4-nano", settings, {})
    assert (sent.method, sent.path, sent.headers) == ("POST", "/v1/responses", {"content-type": "application/json"})
    index = {"type": "integer", "description": "number of the chosen option, counted from 0 as listed"}
    assert json.loads(sent.body) == PLAIN | {
        "text": {
            "format": {
                "type": "json_schema",
                "name": "decision",
                "strict": True,
                "schema": {
                    "type": "object",
                    "properties": {
                        "choice_index": index,
                        "confidence": {"type": "number", "description": "confidence is P"},
                    },
                    "required": ["choice_index", "confidence"],
                    "additionalProperties": False,
                },
            }
        },
        "reasoning": {"effort": "none"},
        "temperature": 0,
        "max_output_tokens": 200,
    }


def test_nothing_that_was_not_set_is_sent_and_nothing_is_stored():
    assert body_of({}) == PLAIN == body_of({"structured": "plain"})


def test_every_setting_reaches_the_body():
    for setting in WIRE.settings:
        value = "json_schema" if setting == "structured" else 1
        assert body_of({setting: value}) != body_of({}), setting


@pytest.mark.parametrize("structured", ["json_mode", "json_shema"])
def test_a_way_of_structuring_that_there_is_not_is_no_plain_text(structured):
    with pytest.raises(ValueError, match=f"structured is '{structured}': use json_schema or plain"):
        body_of({"structured": structured})


def test_the_credential_is_a_bearer_token():
    assert authorise("k", {}) == {"authorization": "Bearer k"}


# -- what comes back

USAGE = {
    "input_tokens": 140,
    "input_tokens_details": {"cached_tokens": 20, "cache_write_tokens": 3},
    "output_tokens": 14,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 154,
}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "output_text", "text": "never read"}]}


def message(*parts, **fields) -> dict:
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": list(parts)} | fields


def text(value) -> dict:
    return {"type": "output_text", "text": value, "annotations": []}


def ok(*output, **fields) -> bytes:
    body = {
        **{"id": "resp_1", "object": "response", "status": "completed", "model": "gpt-5.4-nano-2026-03-17"},
        **{"error": None, "incomplete_details": None, "output": list(output), "usage": USAGE},
    }
    return json.dumps(body | fields).encode()


def reply(body: bytes) -> Reply:
    r = read(200, {}, body, ["queue"])
    assert isinstance(r, Reply)
    return r


def test_a_reply():
    r = reply(ok(REASONING, message(text(ANSWER))))
    assert r.model == "gpt-5.4-nano-2026-03-17"
    assert r.usage == Usage(
        input_tokens=140,
        cached_tokens=20,
        cache_write_tokens=3,
        output_tokens=14,
        reasoning_tokens=5,
        total_tokens=154,
    )
    judged = judge_reply(r, SHOWN, SLOTS)
    assert judged.outcome == "valid"
    out = judged.outputs["queue"]
    assert (out.value, out.confidence, out.confidence_kind) == ("bug", 0.9, "stated")


@pytest.mark.parametrize(
    "output",
    [
        [message(text(ANSWER))],
        [REASONING, REASONING, message(text(ANSWER))],
        [message(text(ANSWER[:9]), text(ANSWER[9:]))],
        [message(text(ANSWER)), message(text("a later one"))],
        [message(text("let me see"), phase="commentary"), message(text(ANSWER), phase="final_answer")],
        [message({"type": "new kind", "text": "x"}, text(ANSWER))],
        [None, 7, message(text(ANSWER), status=None)],
    ],
)
def test_the_first_message_is_read_whole(output):
    assert judge_reply(reply(ok(*output)), SHOWN, SLOTS).outcome == "valid"


def test_a_reply_without_a_status_is_taken_as_it_is():
    assert judge_reply(reply(ok(message(text(ANSWER)), status=None)), SHOWN, SLOTS).outcome == "valid"


def test_a_refusal_part():
    r = reply(ok(message({"type": "refusal", "refusal": "no " + "x" * 999})))
    assert r.refused is not None and r.refused.startswith("refusal: no xx") and len(r.refused) < 250
    assert reply(ok(message(text(ANSWER), {"type": "refusal", "refusal": None}))).refused == "refusal: "


@pytest.mark.parametrize(
    "reason, field",
    [
        ("max_output_tokens", "truncated"),
        ("max_messages", "truncated"),
        ("steered", "truncated"),
        ("content_filter", "refused"),
    ],
)
def test_an_incomplete_reply_is_never_read(reason, field):
    body = ok(message(text(ANSWER)), status="incomplete", incomplete_details={"reason": reason})
    r = reply(body)
    assert getattr(r, field) == f"incomplete: {reason}"
    assert r.answers == {} and r.usage is not None


@pytest.mark.parametrize("details", [None, [], {}, {"reason": None}, {"reason": 7}])
def test_an_incomplete_reply_without_a_reason_is_truncated(details):
    assert str(reply(ok(status="incomplete", incomplete_details=details)).truncated).startswith("incomplete: ")


def test_an_incomplete_message_is_truncated():
    assert reply(ok(message(text(ANSWER), status="incomplete"))).truncated == "the message is incomplete"


@pytest.mark.parametrize("state", ["in_progress", "queued", "cancelled", "new"])
def test_a_reply_that_is_not_finished_is_malformed(state):
    assert reply(ok(message(text(ANSWER)), status=state)).malformed == f"the reply's status is {state}"


@pytest.mark.parametrize(
    "output, reason",
    [
        ([], "the reply has no message"),
        ([REASONING], "the reply has no message"),
        ([message()], "the reply is empty"),
        ([message(text(""))], "the reply is empty"),
        ([message(text(None))], "a part of the message is no text"),
        ([message(text(7), text(ANSWER))], "a part of the message is no text"),
        ([message(content=ANSWER)], "the reply is empty"),
        ([message(text("1"))], "the reply is int, not an object"),
    ],
)
def test_no_answer_is_malformed(output, reason):
    assert reply(ok(*output)).malformed == reason


@pytest.mark.parametrize("output", [None, {}, "text", 7])
def test_an_output_that_is_no_list_is_malformed(output):
    assert reply(ok(output=output, output_text=ANSWER)).malformed == "the reply has no message"


@pytest.mark.parametrize("bad", [True, 1.0, "1", -1, None, [], {}])
def test_what_is_no_count_is_not_reported(bad):
    one = message(text(ANSWER))
    assert reply(ok(one, usage={"input_tokens": 9, "output_tokens": bad})).usage == Usage(input_tokens=9)
    details = {"input_tokens_details": bad, "output_tokens_details": {"reasoning_tokens": bad}}
    assert reply(ok(one, usage={"input_tokens": 9} | details)).usage == Usage(input_tokens=9)
    assert reply(ok(one, usage=bad)).usage is None


# -- errors


@pytest.mark.parametrize(
    "error, kind",
    [
        ({"code": "server_error", "message": "m"}, "overloaded"),
        ({"code": "rate_limit_exceeded", "message": "m"}, "rate_limit"),
        ({"code": "vector_store_timeout", "message": "m"}, "timeout"),
        ({"code": "invalid_prompt", "message": "m"}, "rejected"),
        ({"code": "insufficient_quota", "message": "m"}, "budget"),
        ({"code": "context_length_exceeded", "message": "m"}, "unsupported"),
        ({"code": "invalid_prompt", "message": "over the maximum context length"}, "unsupported"),
        ({"code": "new", "message": "m"}, "rejected"),
        (None, "overloaded"),
        ({}, "overloaded"),
    ],
)
def test_a_failure_comes_as_a_200(error, kind):
    f = read(200, {}, ok(message(text(ANSWER)), status="failed", error=error), ["queue"])
    assert isinstance(f, Failure) and f.kind == kind and f.detail.startswith("HTTP 200")


@pytest.mark.parametrize("code", ["bio_policy", "misalignment_policy_violation"])
def test_a_policy_that_stopped_it_is_a_refusal(code):
    assert reply(ok(status="failed", error={"code": code, "message": "m"})).refused == f"HTTP 200 {code}: m"


def test_an_error_beside_an_answer_is_a_failure():
    f = read(200, {}, ok(message(text(ANSWER)), error={"code": "server_error", "message": "m"}), ["queue"])
    assert f == Failure(kind="overloaded", detail="HTTP 200 server_error: m")


@pytest.mark.parametrize(
    "status, code, kind",
    [
        (401, "invalid_api_key", "authentication"),
        (403, "unsupported_country_region_territory", "permission"),
        (404, "model_not_found", "rejected"),
        (400, None, "rejected"),
        (400, "context_length_exceeded", "unsupported"),
        (429, "rate_limit_exceeded", "rate_limit"),
        (429, "insufficient_quota", "budget"),
        (503, "server_is_overloaded", "overloaded"),
    ],
)
def test_errors(status, code, kind):
    body = json.dumps({"error": {"message": "m", "type": "t", "param": None, "code": code}}).encode()
    assert read(status, {}, body, ["queue"]) == Failure(kind=kind, detail=f"HTTP {status} {code or 't'}: m")


# -- whatever comes

FIELDS = st.sampled_from(
    ["error", "output", "content", "status", "type", "text", "refusal", "usage", "input_tokens", "incomplete_details"]
)
WORDS = st.sampled_from([ANSWER, "message", "output_text", "failed", "incomplete", "reason"])
VALUES = any_json(FIELDS, st.text(max_size=3) | WORDS, length=2, leaves=10)


@given(status=st.sampled_from([0, 200, 400, 401, 429, 500]), body=st.binary(max_size=40) | VALUES)
def test_reading_never_raises(status, body):
    r = read(status, {}, body if isinstance(body, bytes) else json.dumps(body).encode(), ["queue"])
    assert isinstance(r, Failure if status != 200 else Reply | Failure)


@given(state=VALUES, details=VALUES, content=VALUES, error=VALUES)
def test_reading_a_message_never_raises(state, details, content, error):
    body = ok(message(content=content), status=state, incomplete_details=details, error=error)
    r = read(200, {}, body, ["queue"])
    if isinstance(r, Reply):
        judge_reply(r, SHOWN, SLOTS)
