"""What may stand in a recording: nothing but what is on the list, and everything that a wire reads."""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dmb.canonical import text_digest
from dmb.contracts.scenario import FaultRule, Scenario
from dmb.engine.judge import judge
from dmb.planning.project import load_project
from dmb.simulate import Simulator
from dmb.simulate.faults import FAULTS
from dmb.transport.allow_list import HEADERS_KEPT, NAMED_BY_REQUEST, NAMES_KEPT, AllowList
from dmb.transport.exchange import Exchange
from dmb.transport.identifiers import BLOT, blot_identifiers
from dmb.transport.live import LiveTransport
from dmb.transport.recordings import recordable, replayed
from dmb.wires import WIRES
from dmb.wires.strict_json import NotJson, read_json
from tests.conftest import PROJECT
from tests.simulate.asking import WAYS, Way, request
from tests.simulate.expected import ROWS

#: Option texts of the request, one with what JSON escapes, one that looks like an id.
OPTIONS = ("Billing", 'A "bug"\n— è', "org-AbCdEfGhIjKl0123", "x")
REQUEST = json.dumps(
    {"model": "m-1", "questions": {"queue": {"type": "choice", "criteria": dict.fromkeys(OPTIONS)}}}, ensure_ascii=False
)
ALLOWED = AllowList(REQUEST)

#: What must never reach a file, by what it is.
SECRETS = {
    "a key of OpenAI": "sk-proj-Zx81kLmNoPqRsTuVwXyZ0123456789abcd",
    "a key of Anthropic": "sk-ant-api03-q9W8e7R6t5Y4u3I2o1P0-AbCdEfGh_XyZ",
    "a key, half of it starred out": "sk-pr****************9abc",
    "a key of Google": "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
    "a token of Cloudflare": "v1Jk3Lm9Qr7Tz2Wx5Ab8Cd4Ef6Gh0Ij1Kl2Mn3Op",
    "a key of Z.ai": "0f3c2b1a9d8e7f6a5b4c3d2e1f0a9b8c.kLmNoPqRsTuV12",
    "a token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl",
    "an account id": "0123456789abcdef0123456789abcdef",
    "a number of a project": "987654321098",
    "an organisation id": "org-QwErTyUiOpAsDfGhJkLzXcVb",
    "a user id": "user-8Kd72hFq1ZpLmN",
    "a request id": "req_011CSHoEeqs5C35K2UUqR7Fy",
    "an id of a reply": "chatcmpl-BqW83nXz61LmPoRt",
    "a UUID": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "an address": "jane.doe+billing@mail.example.org",
}
SECRET = st.sampled_from(sorted(SECRETS.values()))


def body(text: str) -> str:
    return ALLOWED.body(text)


def is_valid(text: str) -> bool:
    """Whether a wire would read it as JSON."""
    try:
        read_json(text)
    except NotJson:
        return False
    return True


# -- the list has what is read


def names_read() -> set[str]:
    """Texts that a wire looks up in a reply, as ``x.get("name")``, ``x["name"]`` or ``"name" in x``, from its code."""
    found: set[str] = set()
    asking = {"call", "authorise", "_structure", "_openai", "_google", "_openrouter", "_cloudflare", "_criteria"}
    for path in (PROJECT / "dmb/wires").glob("*.py"):
        if path.stem == "in_process":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        sent = {
            id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name in asking for n in ast.walk(f)
        }
        for node in ast.walk(tree):
            if id(node) in sent:
                continue
            looked_up: list[ast.expr] = []
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get":
                looked_up = node.args[:1]
            elif isinstance(node, ast.Subscript):
                looked_up = [node.slice]
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_text":
                looked_up = node.args[1:]
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
                looked_up = [node.left]
            found |= {n.value for n in looked_up if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return found


#: Compared with a message, not looked up in a reply.
IN_MESSAGES = {"billing", "perday", "credit balance", "prompt is too long", "prompt too long", "token count"}


def test_every_name_that_a_wire_reads_is_on_the_list() -> None:
    read = names_read() - IN_MESSAGES
    headers = {n for n in read if n.startswith("retry-after")}
    assert {"finish_reason", "opencode", "msg", "retry-after-ms"} - read == {"opencode"}
    assert headers <= HEADERS_KEPT
    assert read - headers <= NAMES_KEPT
    # put together from parts, or given in a tuple
    assert {"opencode", "list_cost", "cost", "quotaId", "quotaMetric", "prompt_tokens_details"} <= NAMES_KEPT
    assert NAMED_BY_REQUEST <= NAMES_KEPT


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with Simulator(seed=7) as s:
        yield s


@pytest.mark.parametrize("fault", ["fair", *FAULTS])
def test_what_is_written_down_reads_as_what_came(simulator: Simulator, fault: str) -> None:
    """Every fault over every wire: outcome, answers, usage, model and failure are the same before and after."""
    rules = () if fault == "fair" else (FaultRule(do=fault, **ROWS[fault].with_),)
    simulator.use(Scenario(name=fault, fault=rules))
    asked = request()
    for name, way in WAYS.items():
        wire, call = WIRES[way.wire], way.call(asked)
        headers = {**call.headers, **wire.authorise("a-key-that-nobody-knows-1", way.dialect)}
        live = LiveTransport(f"{simulator.address}/{way.provider}", 10.0)
        x = live.send(call.method, call.path, call.body, headers)
        live.close()
        if x.error is not None:
            continue
        again = replayed(recordable(x, call.body))
        assert (again.status, again.error) == (x.status, None)
        assert comes_to(way, again) == comes_to(way, x), (name, x.body, again.body)
        assert "a-key-that-nobody-knows-1" not in recordable(x, call.body).model_dump_json()


def comes_to(way: Way, x: Exchange) -> Any:
    asked = request()
    shown = [(f"o{i}", text_digest(text)) for i, text in enumerate(asked.options)]
    v = judge(f"wire:{way.wire}", x.status, x.headers, x.body, None, shown, asked.slots)
    kind = None if v.failure is None else (v.failure.kind, v.failure.retry_after_s)
    return v.outcome, v.outputs, v.usage, v.served_model, kind


# -- nothing else survives

#: Texts that no name, number or word of the list contains.
PLANTED = st.text('abcdefghijklmnopqrstuvwxyzABC ,:{}[]\\"\u2028è', min_size=3, max_size=12).map(lambda t: f"Ω{t}Ω")
NUMBER = st.integers(10**6, 10**8).map(lambda n: n * 10 + 7) | st.floats(2.0, 9.0).map(lambda f: f + 1e-7)
ATOM = PLANTED | NUMBER | st.booleans() | st.none()
VALUE = st.recursive(
    ATOM,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(sorted(NAMES_KEPT)) | st.sampled_from(OPTIONS) | PLANTED, inner, max_size=4)
    ),
    max_leaves=12,
)
UNLISTED = st.sampled_from(["id", "user", "organization", "created", "system_fingerprint", "Model", "x-request-id"])


def atoms(value: Any) -> Iterator[Any]:
    """Texts and numbers in a value, names apart."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from atoms(inner)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value


AROUND = ("{}", '{{"error": {}}}', "[{}]", '{{"answers": {{"queue": {}}}}}', '{{"input": {}}}')


@given(UNLISTED, VALUE, st.sampled_from(AROUND), st.booleans())
def test_no_value_below_a_name_that_is_not_on_the_list_survives(name, value, around, escaped) -> None:
    out = body(around.format(json.dumps({name: value, "status": "ok"}, ensure_ascii=escaped)))
    nothing: dict[type, Any] = {str: BLOT, int: 0, float: 0, bool: False, type(None): None, list: [], dict: {}}
    assert out == around.format(json.dumps({name: nothing[type(value)], "status": "ok"}))


@given(VALUE)
def test_of_what_is_broken_no_value_survives_either(value) -> None:
    """A key that stands twice makes it unreadable as a whole: it is blotted piece by piece, and stays unreadable."""
    inner = json.dumps({"a": value, "message": value}, ensure_ascii=False)
    text = f'{{"user": {inner[:-1]}, "a": 1}}, "status": "ok"}}'
    assert not is_valid(text)
    out = body(text)
    assert not is_valid(out)
    assert set(atoms(json.loads(out))) <= {BLOT, 0, "ok"}


@given(st.dictionaries(st.sampled_from(OPTIONS), st.floats(0, 1), min_size=1), st.sampled_from(OPTIONS))
def test_option_texts_and_their_probabilities_survive(probabilities, choice) -> None:
    answer = {"type": "choice", "choice": choice, "probabilities": probabilities, "confidence": 0.123456789012}
    text = json.dumps({"answers": {"queue": answer}}, ensure_ascii=False)
    assert body(text) == text
    as_list = [{"value": text, "probability": p} for text, p in probabilities.items()]
    text = json.dumps({"answers": [answer | {"name": "queue", "probabilities": as_list}]})
    assert body(text) == text


def test_a_name_among_the_options_that_nobody_asked_for_is_no_way_out() -> None:
    text = '{"answers": {"queue": {"probabilities": {"Billing": 0.5, "who": "Jane", "a b": 7}}, "jane@example.org": {"type": "choice"}}}'
    assert body(text) == (
        '{"answers": {"queue": {"probabilities": {"Billing": 0.5, "who": "[scrubbed]", "[scrubbed 1]": 0}}, "[scrubbed 2]": {}}}'
    )


def test_below_a_slot_and_below_an_option_names_are_fields_again() -> None:
    text = '{"answers": {"queue": {"queue": "Jane", "user": "Jane", "choice": "Billing"}}, "queue": "Jane"}'
    assert json.loads(body(text)) == {
        "answers": {"queue": {"queue": BLOT, "user": BLOT, "choice": "Billing"}},
        "queue": BLOT,
    }


@given(VALUE, st.data())
def test_what_reads_still_reads_and_what_does_not_still_does_not(value, data) -> None:
    """Cut off, with a byte too many or a word that is no JSON: a reader takes it after as before."""
    text = json.dumps({"user": value, "content": value, "choices": [value]}, ensure_ascii=data.draw(st.booleans()))
    at = data.draw(st.integers(0, len(text)))
    damage = data.draw(st.sampled_from(["", '"', "\\", "{", "]", ",", "NaN", '"a":', "\\ud800", "0", "\n", "\t", "é"]))
    text = text[:at] + damage + (text[at:] if data.draw(st.booleans()) else "")
    out = body(text)
    assert is_valid(out) == is_valid(text), (text, out)
    # once is enough
    assert not is_valid(text) or body(out) == out


@given(VALUE, st.text(max_size=20))
def test_a_body_of_listed_names_alone_is_written_byte_for_byte(value, around) -> None:
    def listed(v: Any) -> Any:
        if isinstance(v, dict):
            return {sorted(NAMES_KEPT)[len(k) % len(NAMES_KEPT)]: listed(inner) for k, inner in v.items()}
        return [listed(inner) for inner in v] if isinstance(v, list) else v

    for indent in (None, 3):
        text = json.dumps(listed({"content": value}), indent=indent)
        assert body(text) == text
    # a number stays as it was written, down to its last digit
    text = '{"usage": {"cost": 0.00000010, "input_tokens": 1.0E2}, "content": "\\u0041\\/", "status": -0}'
    assert body(text) == text


def test_keys_that_stand_twice_do_afterwards() -> None:
    text = '{"type": "choice", "type": "refusal", "choice": "x", "id": 5, "id": 6}'
    assert body(text) == '{"type": "choice", "type": "refusal", "choice": "x", "id": 0, "id": 0}'
    text = '{"jane doe": 1, "jane doe": 2, "john doe": 3}'
    assert body(text) == '{"[scrubbed 1]": 0, "[scrubbed 1]": 0, "[scrubbed 2]": 0}'


@given(st.text().filter(lambda t: blot_identifiers(t) == t and "\0" not in t and not re.match(r'[^\w<"{\[]*[{\[]', t)))
@example("<html><style>p {color: red}</style>upstream \u2028 error</html>")
def test_what_is_no_json_is_written_byte_for_byte(text) -> None:
    assert body(text) == text


@given(st.binary())
def test_bytes_that_are_no_utf8_are_replayed_as_they_are(raw) -> None:
    x = Exchange(
        200, body=b'{"choices": [{"text": "caf\xe9 ' + raw.replace(b'"', b"").replace(b"\\", b"").replace(b"\0", b"")
    )
    back = replayed(recordable(x, REQUEST))
    kept = blot_identifiers(x.body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    assert back.body == kept
    with pytest.raises(UnicodeDecodeError):
        back.body.decode("utf-8")


def test_a_byte_that_is_no_utf8_stays_one_where_its_text_goes() -> None:
    x = Exchange(200, body=b'{"user": "caf\xe9", "jane d\xff": 1, "content": "\xfe"}')
    assert replayed(recordable(x, REQUEST)).body == (
        b'{"user": "[scrubbed]\xff", "[scrubbed 1]\xff": 0, "content": "\xfe"}'
    )


@pytest.mark.parametrize(
    "text", ["[" * 5000, '{"id":' * 5000 + "NaN", '{"a":' + "[" * 3000 + "]" * 3000 + "}", "9" * 9000]
)
def test_nesting_and_numbers_without_end_end_nothing(text) -> None:
    assert is_valid(body(text)) == is_valid(text)


# -- planted

PLACES: dict[str, str] = {
    "a value of its own": '{{"user": {}, "status": "ok"}}',
    "a value in a list": '{{"ids": [{}]}}',
    "deep below": '{{"user": {{"message": {{"text": {}}}}}}}',
    "a value of a listed name": '{{"error": {{"message": {}}}}}',
    "an answer": '{{"choices": [{{"message": {{"content": {}}}}}]}}',
    "the model": '{{"model": {}}}',
    "a name": "{{{}: 1}}",
    "a name among answers": '{{"answers": {{{}: {{"type": "choice"}}}}}}',
    "a name among probabilities": '{{"answers": {{"queue": {{"probabilities": {{{}: 0.5}}}}}}}}',
    "cut off": '{{"error": {{"message": {}',
    "behind a guard": ')]}}\'\n{{"error": {{"message": {}}}}}',
    "a page": "<html><p>{}</p></html>",
    "a text alone": "{}",
    "a key that stands twice": '{{"message": {0}, "message": {0}}}',
}


@given(
    SECRET,
    st.sampled_from(sorted(PLACES)),
    st.sampled_from(["{}", "no {}.", "user={}, gone", "({})", "is {}\n"]),
    st.booleans(),
)
def test_what_is_planted_in_a_body_never_reaches_a_file(secret, place, around, is_latin) -> None:
    text = PLACES[place].format(json.dumps(around.format(secret)))
    if is_latin:
        text += " é"
    x = Exchange(400, body=text.encode("latin-1"))
    written = recordable(x, REQUEST)
    file = written.model_dump_json().encode() + base64.b64decode(written.body_base64 or "")
    assert secret.encode() not in file
    # no part of it that would open or name anything
    assert secret[-8:].encode() not in file


@pytest.mark.parametrize("what", SECRETS)
def test_what_is_planted_in_headers_and_errors_never_reaches_a_file(what) -> None:
    secret = SECRETS[what]
    headers = {
        **{
            n: secret
            for n in (
                "x-request-id",
                "openai-organization",
                "set-cookie",
                "cf-ray",
                "location",
                "anthropic-organization-id",
            )
        },
        **{n: f"application/json; by={secret}" for n in HEADERS_KEPT},
    }
    x = Exchange(None, headers=headers, error=f"BadStatusLine: HTTP/1.1 {secret} 200")
    written = recordable(x, REQUEST)
    assert set(written.headers) == HEADERS_KEPT
    assert secret not in written.model_dump_json() and secret[-8:] not in written.model_dump_json()


@pytest.mark.parametrize("what", SECRETS)
def test_escapes_hide_nothing(what) -> None:
    secret = SECRETS[what]
    for escaped in (
        "".join(f"\\u{ord(c):04x}" for c in secret),
        secret.replace("-", "\\u002d").replace("@", "\\u0040"),
        secret.replace("/", "\\/"),
    ):
        for place in ('{"message": "%s"}', '{"user": "%s"}', '{"%s": 1}'):
            out = body(place % escaped)
            assert secret not in json.dumps(json.loads(out)) and escaped not in out
    for encoding in ("utf-16-le", "utf-16", "utf-32"):
        x = Exchange(400, body=json.dumps({"error": {"message": secret}}).encode(encoding))
        file = recordable(x, REQUEST)
        raw = (file.body or "").encode() + base64.b64decode(file.body_base64 or "")
        assert secret not in raw.replace(b"\0", b"").decode("latin-1")


def test_what_the_request_holds_may_come_back() -> None:
    """It stands in the recording anyway, and a choice that was blotted out would be none."""
    text = '{"choice": "org-AbCdEfGhIjKl0123", "message": "no org-AbCdEfGhIjKl0123, but org-QwErTyUiOpAsDf0123"}'
    assert body(text) == f'{{"choice": "org-AbCdEfGhIjKl0123", "message": "no org-AbCdEfGhIjKl0123, but {BLOT}"}}'


@pytest.mark.parametrize(
    "text",
    [
        "Rate limit reached for gpt-5.4-nano-2026-03-17: Limit 200000, Used 199000. Please try again in 1.2s.",
        "the model claude-haiku-4-5-20251001 is overloaded",
        "prompt is too long: 1048576 tokens > 200000 maximum",
        '{"choice_index": 3, "confidence": 0.9312345678901}',
        "You can find your API key at https://platform.openai.com/account/api-keys.",
        "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        "credit balance is too low", "invalid x-api-key", "insufficient_quota", "wrong_api_key", "Wed, 21 Oct 2026 07:28:00 GMT",
    ],
)  # fmt: skip
def test_what_an_error_says_stays(text) -> None:
    assert blot_identifiers(text) == text


@pytest.mark.parametrize("name", sorted({e.model for e in load_project(PROJECT).contenders.values()}))
def test_names_of_models_stay(name) -> None:
    for served in (name, f"{name}-2026-03-17", f"{name}-20251001", f"@cf/lab/{name}", f"{name}-Instruct-Q4_K_M-FP8"):
        text = json.dumps({"model": served})
        assert AllowList("{}").body(text) == text
