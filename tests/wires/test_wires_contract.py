"""What every registered wire keeps, whatever a server sends."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from dmb.canonical import json_line, text_digest
from dmb.contracts.attempt import Failure
from dmb.contracts.reply import Reply
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.parsing import judge_reply
from dmb.wires import WIRES

OPTIONS = ("Billing", "A “bug”", "other\nthings")
SLOTS = (Slot(id="decision", kind="choice"),)
REQUEST = Request(
    state="charged twice\u2028— è?", instructions="Which?", options=OPTIONS, slots=SLOTS, confidence_definition="p"
)
SHOWN = [(str(i), text_digest(t)) for i, t in enumerate(OPTIONS)]
SECRET = "sk-Secret0123456789"

#: Status -> kinds that a wire may give it when the body says nothing.
BARE_STATUS = {
    400: {"rejected"},
    401: {"authentication"},
    402: {"budget"},
    403: {"permission"},
    404: {"rejected"},
    408: {"timeout"},
    413: {"unsupported"},
    418: {"rejected"},
    422: {"rejected"},
    429: {"rate_limit"},
    500: {"overloaded"},
    502: {"overloaded"},
    503: {"overloaded"},
    504: {"timeout"},
    529: {"overloaded"},
    599: {"overloaded"},
    # a redirect is never followed, and is no answer
    302: {"rejected"},
    204: {"rejected"},
    0: {"rejected"},
}

GARBAGE = {
    "empty": b"",
    "space": b" \n",
    "HTML": b"<html><body>502 Bad Gateway</body></html>",
    "no UTF-8": b'{"answers": {"decision": "\xff\xfe"}}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "NUL": b"\x00" * 100,
    "cut off": b'{"answers": {"decision": {"type": "choi',
    "NaN": b'{"answers": {"decision": {"type": "choice", "choice": "Billing", "confidence": NaN}}}',
    "infinity": b'{"answers": {"decision": {"type": "choice", "choice": "Billing", "confidence": 1e999}}}',
    "a key twice": b'{"answers": {}, "answers": {"decision": {"type": "choice", "choice": "Billing", "confidence": 1}}}',
    "deep list": b"[" * 100_000,
    "deep list, closed": b"[" * 100_000 + b"]" * 100_000,
    "deep object": b'{"answers":' * 50_000 + b"1" + b"}" * 50_000,
    "long integer": b'{"usage": {"input_tokens": ' + b"9" * 5000 + b"}}",
    "lone surrogate": b'{"answers": {"decision": {"type": "choice", "choice": "\\ud800", "confidence": 1}}}',
    "lone surrogate in an error": b'{"detail": "\\udfff", "message": "\\udfff", "error": {"message": "\\udfff"}}',
    "lone surrogate in a model name": b'{"model": "\\ud800", "answers": {}}',
    **{f"JSON {t}": t.encode() for t in ("null", "[]", "{}", "1", '"text"', "true", '[{"type": "x"}]')},
    **{
        f"answers {t}": f'{{"answers": {t}}}'.encode()
        for t in ("null", "[]", "1", '{"decision": null}', '{"decision": []}')
    },
    **{f"detail {t}": f'{{"detail": {t}}}'.encode() for t in ("null", "[]", "[1]", "{}", "1", '{"error_type": 1}')},
    **{f"error {t}": f'{{"error": {t}}}'.encode() for t in ("null", "[]", "1", '{"message": {}}', '{"message": [1]}')},
    **{f"usage {t}": f'{{"answers": {{}}, "usage": {t}}}'.encode() for t in ("null", "[]", '{"input_tokens": "1"}')},
}


#: How a wire's server wraps a text that the model wrote; the other wires answer in fields of their own.
WRAPPED = {
    "chat_completions": lambda t: {"choices": [{"finish_reason": "stop", "message": {"content": t}}]},
    "responses": lambda t: {
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": t}]}],
    },
    "messages": lambda t: {"stop_reason": "end_turn", "content": [{"type": "text", "text": t}]},
    "generate_content": lambda t: {"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": t}]}}]},
}
OWN_FIELDS = {"systemone", "decisions"}

WRITTEN = '{"choice_index": 1, "confidence": 0.5}'
#: Texts that are no answer: each is near one, and none may be mended into one.
NO_ANSWER = {
    "empty": "",
    "space": " \n",
    "a fence": f"```json\n{WRITTEN}\n```",
    "a word before": f"Answer: {WRITTEN}",
    "a word after": f"{WRITTEN} I hope this helps.",
    "two answers": WRITTEN * 2,
    "in a list": f"[{WRITTEN}]",
    "in a string": json.dumps(WRITTEN),
    "cut off": WRITTEN[:-1],
    "the index alone": "1",
    "no confidence": '{"choice_index": 1}',
    "an index as text": '{"choice_index": "1", "confidence": 0.5}',
    "an index as fraction": '{"choice_index": 1.0, "confidence": 0.5}',
    "an index as bool": '{"choice_index": true, "confidence": 0.5}',
    "an index too large": '{"choice_index": 3, "confidence": 0.5}',
    "an index below 0": '{"choice_index": -1, "confidence": 0.5}',
    "percent": '{"choice_index": 1, "confidence": 50}',
    "confidence as text": '{"choice_index": 1, "confidence": "0.5"}',
    "confidence NaN": '{"choice_index": 1, "confidence": NaN}',
    "confidence infinite": '{"choice_index": 1, "confidence": 1e999}',
    "a number without end": '{"choice_index": 1, "confidence": 1' + "0" * 5000 + "}",
    "a key twice": '{"choice_index": 0, "choice_index": 1, "confidence": 0.5}',
    "half a surrogate pair": '{"choice_index": 1, "confidence": 0.5, "x": "\\ud800"}',
    "deep": "[" * 100_000,
    "single quotes": WRITTEN.replace('"', "'"),
}


def survives(name: str, status: int, body: bytes) -> Reply | Failure:
    """Read, judged, and written down without an exception."""
    read = WIRES[name].read(status, {}, body, ["decision"])
    assert isinstance(read, Reply | Failure)
    written = TypeAdapter(type(read)).dump_python(read, mode="json")
    assert json_line(written).isascii()
    json.dumps(written, ensure_ascii=False).encode("utf-8")
    if isinstance(read, Reply):
        judge_reply(read, SHOWN, SLOTS)
    return read


@pytest.mark.parametrize("name", WIRES)
def test_a_call_is_whole_and_holds_no_credential(name):
    wire = WIRES[name]
    assert isinstance(wire.version, int) and wire.version >= 1
    headers = wire.authorise(SECRET, {})
    assert any(SECRET in v for v in headers.values())
    sent = wire.call(REQUEST, "model-x", {}, {})
    assert sent.method in ("POST", "GET") and sent.path.startswith("/")
    assert SECRET.lower() not in (sent.path + sent.body + str(dict(sent.headers))).lower()
    assert not {k.lower() for k in headers} & {k.lower() for k in sent.headers}
    assert all(k == k.lower() for k in sent.headers)
    assert "model-x" in sent.body or "model-x" in sent.path
    # texts arrive as they are, in the order shown
    body = json.dumps(json.loads(sent.body), ensure_ascii=False)
    places = [body.index(json.dumps(t, ensure_ascii=False)[1:-1]) for t in OPTIONS]
    assert places == sorted(places)
    assert json.dumps(REQUEST.state, ensure_ascii=False)[1:-1] in body and REQUEST.instructions in body


@pytest.mark.parametrize("name", WIRES)
def test_a_call_is_the_same_each_time(name):
    assert WIRES[name].call(REQUEST, "m", {}, {}) == WIRES[name].call(REQUEST, "m", {}, {})


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("status", [200, 400, 422, 500])
@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_read_without_an_exception_and_is_never_valid(name, status, body):
    read = survives(name, status, body)
    if status != 200:
        assert isinstance(read, Failure)
    elif isinstance(read, Reply):
        assert judge_reply(read, SHOWN, SLOTS).outcome != "valid"


def test_every_wire_is_known_to_write_texts_or_fields():
    assert set(WIRES) == set(WRAPPED) | OWN_FIELDS


@pytest.mark.parametrize("name", WRAPPED)
def test_a_text_that_is_an_answer_is_valid(name):
    for text in (WRITTEN, f" {WRITTEN}\n", '{"confidence": 0.5, "why": "it is", "choice_index": 1}'):
        read = survives(name, 200, json.dumps(WRAPPED[name](text)).encode())
        judged = judge_reply(read, SHOWN, SLOTS)
        assert judged.outcome == "valid", judged.reason
        out = judged.outputs["decision"]
        assert (out.position, out.confidence, out.confidence_kind) == (1, 0.5, "stated")


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("text", NO_ANSWER.values(), ids=NO_ANSWER)
def test_a_text_that_is_nearly_an_answer_is_malformed(name, text):
    read = survives(name, 200, json.dumps(WRAPPED[name](text)).encode())
    assert isinstance(read, Reply)
    assert judge_reply(read, SHOWN, SLOTS).outcome == "malformed"


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("shape", WRAPPED)
def test_an_answer_in_the_shape_of_another_wire_is_not_valid(name, shape):
    read = survives(name, 200, json.dumps(WRAPPED[shape](WRITTEN)).encode())
    if name != shape and isinstance(read, Reply):
        assert judge_reply(read, SHOWN, SLOTS).outcome == "malformed"


@pytest.mark.parametrize("name", WIRES)
@given(status=st.sampled_from([200, *BARE_STATUS]), body=st.binary(max_size=60))
def test_random_bytes(name, status, body):
    survives(name, status, body)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["choice", "Billing", "", "\ud800", "too_long", "message", "output_text", "failed", WRITTEN]),
    lambda v: (
        st.lists(v, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "answers",
                    "decision",
                    "type",
                    "choice",
                    "confidence",
                    "probabilities",
                    "usage",
                    "input_tokens",
                    "output_tokens",
                    "model",
                    "detail",
                    "error",
                    "error_type",
                    "message",
                    "msg",
                    "loc",
                    "code",
                    "choices",
                    "content",
                    "candidates",
                    "output",
                    "text",
                    "parts",
                    "status",
                    "finish_reason",
                    "stop_reason",
                    "refusal",
                    "incomplete_details",
                    "prompt_tokens",
                    "usageMetadata",
                    "choice_index",
                    "Billing",
                ]
            ),
            v,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", WIRES)
@given(status=st.sampled_from([200, 400, 422, 429]), value=json_values)
def test_any_json(name, status, value):
    survives(name, status, json.dumps(value).encode())


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("status, kinds", BARE_STATUS.items())
@pytest.mark.parametrize("body", [b"", b"<html>no</html>"])
def test_each_class_of_status_is_a_failure_of_its_kind(name, status, kinds, body):
    read = WIRES[name].read(status, {}, body, ["decision"])
    assert isinstance(read, Failure) and read.kind in kinds
    assert str(status) in read.detail


@pytest.mark.parametrize("name", WIRES)
def test_a_long_error_text_is_cut(name):
    body = json.dumps({"detail": "x" * 10_000, "error": {"message": "x" * 10_000}, "message": "x" * 10_000}).encode()
    assert len(WIRES[name].read(500, {}, body, ["decision"]).detail) < 400
