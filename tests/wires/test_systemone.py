"""The System One format, by hand: every case of the notes on its servers."""

from __future__ import annotations

import json

import pytest

from dmb.canonical import text_digest
from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.reply import Reply
from dmb.contracts.slot import Slot
from dmb.parsing import judge_reply
from dmb.wires.systemone import authorise, read

ANSWER = {
    "type": "choice",
    "choice": "Billing",
    "confidence": 0.95,
    "probabilities": {"Billing": 0.97, "A bug": 0.02, "other": 0.01},
}
OK = {"model": "jev-1.14.0", "answers": {"queue": ANSWER}, "usage": {"input_tokens": 118, "output_tokens": 6}}


def body(value) -> bytes:
    return json.dumps(value).encode()


def reply(**fields) -> Reply:
    r = read(200, {}, body(OK | fields), ["queue"])
    assert isinstance(r, Reply)
    return r


def answered(**fields) -> Reply | Failure:
    return read(200, {}, body(OK | {"answers": {"queue": ANSWER | fields}}), ["queue"])


def failure(status: int, value) -> Failure:
    f = read(status, {}, value if isinstance(value, bytes) else body(value), ["queue"])
    assert isinstance(f, Failure)
    return f


def test_success():
    r = reply()
    assert (r.model, r.usage) == ("jev-1.14.0", Usage(input_tokens=118, output_tokens=6))
    assert (r.refused, r.truncated, r.malformed) == (None, None, None)
    answer = r.answers["queue"]
    assert (answer.label, answer.confidence, answer.confidence_kind) == ("Billing", 0.95, "native")
    assert answer.probabilities == ANSWER["probabilities"]
    shown = [(i, text_digest(t)) for i, t in (("bug", "A bug"), ("bill", "Billing"), ("other", "other"))]
    out = judge_reply(r, shown, [Slot(id="queue", kind="choice")]).outputs["queue"]
    assert (out.value, out.position, out.native_confidence) == ("bill", 1, 0.95)
    assert out.confidence == pytest.approx(0.97)


def test_a_server_that_gives_no_probabilities_keeps_its_own_confidence():
    shown = [("bill", text_digest("Billing")), ("bug", text_digest("A bug"))]
    out = judge_reply(answered(probabilities=None), shown, [Slot(id="queue", kind="choice")]).outputs["queue"]
    assert (out.confidence, out.confidence_kind, out.native_confidence) == (0.95, "native", None)


AUTH = "authentication_error"


@pytest.mark.parametrize(
    "status, value, kind, detail",
    [
        (403, {"detail": {"error_type": AUTH, "message": "no key"}}, "authentication", f"HTTP 403 {AUTH}: no key"),
        (401, {"detail": {"error_type": AUTH, "message": "wrong"}}, "authentication", f"HTTP 401 {AUTH}: wrong"),
        (401, {"detail": "Unauthorized"}, "authentication", "HTTP 401: Unauthorized"),
        (
            403,
            {"detail": {"error_type": "permission_error", "message": "m"}},
            "permission",
            "HTTP 403 permission_error: m",
        ),
        (403, {"error": {"type": "customer_verification_required", "message": "m"}}, "permission", None),
        (402, {"error": {"message": "no credit"}}, "budget", "HTTP 402: no credit"),
        (429, {"detail": {"error_type": "rate_limit_error", "message": "slow"}}, "rate_limit", None),
        (529, {"detail": {"error_type": "overloaded_error", "message": "later"}}, "overloaded", None),
        (503, b"upstream", "overloaded", "HTTP 503"),
        (500, {"error": {"message": "boom", "field": None}}, "overloaded", "HTTP 500: boom"),
        (504, b"", "timeout", "HTTP 504"),
        (501, {"error": "not a decision model"}, "unsupported", "HTTP 501: not a decision model"),
        (400, {"detail": {"error_type": "max_tokens_exceeded"}}, "unsupported", "HTTP 400 max_tokens_exceeded"),
        (422, {"detail": {"error_type": "max_tokens_exceeded"}}, "unsupported", "HTTP 422 max_tokens_exceeded"),
        (413, {"detail": {"error_type": "max_tokens_exceeded"}}, "unsupported", "HTTP 413 max_tokens_exceeded"),
        (400, {"detail": {"error_type": "api_usage_error", "message": "no such model"}}, "rejected", None),
        (404, {"detail": {"error_type": "api_usage_error", "message": "no such model"}}, "rejected", None),
        (422, {"detail": "choice has 300 entries, at most 255"}, "unsupported", None),
        (422, {"detail": "questions: at least one"}, "rejected", "HTTP 422: questions: at least one"),
        (400, {"error": {"message": "too many options", "field": "criteria"}}, "unsupported", None),
        (200, {"answers": {"queue": {"type": "unsupported"}}}, "unsupported", "queue: the server says unsupported"),
        # an error in the place of the answers
        (200, {"detail": {"error_type": "overloaded_error", "message": "later"}}, "overloaded", None),
        (200, {"detail": {"error_type": "rate_limit_error", "message": "slow"}}, "rate_limit", None),
        (200, {"detail": {"error_type": "authentication_error", "message": "no"}}, "authentication", None),
        (200, {"error": "boom"}, "rejected", "HTTP 200: boom"),
    ],
)
def test_failures(status, value, kind, detail):
    f = failure(status, value)
    assert f.kind == kind
    assert detail is None or f.detail == detail


def schema_error(kind: str) -> dict:
    loc = ["body", "questions", "queue", "choice", "criteria"]
    return {
        "detail": [{"loc": loc, "msg": "a message", "type": kind, "input": {"secret": "the whole state"}, "ctx": {}}]
    }


def test_a_list_that_is_too_long_is_an_option_cap_and_any_other_schema_error_a_fault():
    assert failure(422, schema_error("too_long")).kind == "unsupported"
    assert failure(422, schema_error("too_short")).kind == "rejected"
    assert failure(422, schema_error("too_short")).detail == "HTTP 422 too_short: a message"


def test_an_option_cap_counts_wherever_it_stands_in_the_list():
    value = {"detail": schema_error("missing")["detail"] + schema_error("too_long")["detail"]}
    assert failure(422, value).kind == "unsupported"


def test_echoed_input_is_never_read():
    assert "state" not in failure(422, schema_error("too_long")).detail


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": 0, "output_tokens": 0},
        {"input_tokens": 118.0, "output_tokens": 6.0},
        {"input_tokens": 118, "output_tokens": 6.5},
        {"input_tokens": True, "output_tokens": 1},
        {"input_tokens": -1, "output_tokens": 1},
        {"input_tokens": "118", "output_tokens": "6"},
        {"input_tokens": 118},
        {"inputTokens": 118, "outputTokens": 6},
        {},
        None,
        [],
        118,
    ],
)
def test_usage_that_is_no_count_is_not_reported(usage):
    assert reply(usage=usage).usage is None


def test_a_server_that_counts_only_its_input():
    assert reply(usage={"input_tokens": 118, "output_tokens": 0}).usage == Usage(input_tokens=118, output_tokens=0)


@pytest.mark.parametrize(
    "fields, reason",
    [
        ({"type": "noul", "noul": 0.5}, "queue: the answer is no choice"),
        ({"type": None}, "queue: the answer is no choice"),
        ({"choice": None}, "queue: the answer is no choice"),
        ({"choice": 1}, "queue: the answer is no choice"),
    ],
)
def test_an_answer_that_is_no_choice_is_malformed(fields, reason):
    assert answered(**fields).malformed == reason


@pytest.mark.parametrize(
    "value, reason", [([], "no JSON object"), ({"model": "m"}, "no answers"), ({"answers": []}, "no answers")]
)
def test_a_reply_without_answers_is_malformed(value, reason):
    assert (
        read(200, {}, body(value), ["queue"]).malformed == f"the reply {'is' if 'JSON' in reason else 'has'} {reason}"
    )


@pytest.mark.parametrize("answers", [None, [], {"queue": None}, {"queue": {"type": "noul", "noul": 0.5}}])
def test_what_a_malformed_reply_cost_is_known(answers):
    r = reply(answers=answers)
    assert r.malformed and (r.usage, r.model) == (reply().usage, reply().model) and r.usage and r.model


@pytest.mark.parametrize("extra", ["NaN", "-Infinity", '{"k": 1, "k": 1}', '"\\ud800"', "9" * 5000])
def test_what_is_no_json_anywhere_spoils_the_whole_reply(extra):
    sound = body(OK)
    assert read(200, {}, sound, ["queue"]).malformed is None
    spoilt = sound[:-1] + f', "extra": {extra}}}'.encode()
    assert read(200, {}, spoilt, ["queue"]).malformed == "the reply is no JSON object"


def test_a_model_that_is_no_name_is_unknown():
    assert reply(model=7).model is None


def test_the_credential_is_a_bearer_token():
    assert authorise("k", {}) == {"authorization": "Bearer k"}
