"""A simulated provider takes no more than the real one: each broken request gets that provider's own error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from dmb.contracts.scenario import Scenario
from dmb.simulate import Simulator
from dmb.wires import WIRES
from tests.simulate.asking import WAYS, ask, plain_client, request


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with Simulator(models=None) as s:
        yield s


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with plain_client() as c:
        yield c


def send(
    simulator, client, way: str, change: Callable[[dict[str, Any]], Any] = lambda b: b, **headers
) -> httpx.Response:
    """The request of a way with its body changed: in place, or to what is returned."""
    w = WAYS[way]
    call = w.call(request())
    body = json.loads(call.body)
    changed = change(body)
    sent = body if changed is None else changed
    all_headers = {**call.headers, **WIRES[w.wire].authorise("k", w.dialect), **headers}
    all_headers = {n: v for n, v in all_headers.items() if v is not None}
    content = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    return client.post(f"{simulator.address}/{w.provider}{call.path}", content=content, headers=all_headers)


def text_of(r: httpx.Response) -> str:
    return r.text.lower()


def without(*names):
    def change(body):
        for name in names[:-1]:
            body = body[name]
        del body[names[-1]]

    return change


def put(value, *names):
    def change(body):
        for name in names[:-1]:
            body = body[name]
        body[names[-1]] = value

    return change


def schema_of(body):
    if "response_format" in body:
        return body["response_format"]["json_schema"]["schema"]
    if "text" in body:
        return body["text"]["format"]["schema"]
    return body["output_config"]["format"]["schema"]


ROLES = [{"role": "assistant", "content": "I begin"}, {"role": "user", "content": "no"}]
OPENAI_400 = (400, "invalid_request_error")
ANTHROPIC_400 = (400, "invalid_request_error")
GOOGLE_400 = (400, "invalid_argument")
JEV_422 = (422, "detail")

#: way, what is done to its request, (status, word of the body), what the message speaks of
CASES = [
    # fields that must be there
    ("claude-tool", without("max_tokens"), ANTHROPIC_400, "max_tokens"),
    ("claude-tool", without("messages"), ANTHROPIC_400, "messages"),
    ("claude-tool", put([], "messages"), ANTHROPIC_400, "messages"),
    ("gpt", without("messages"), OPENAI_400, "messages"),
    ("gpt", put([], "messages"), OPENAI_400, "messages"),
    ("gpt", without("model"), OPENAI_400, "model"),
    ("gpt", put(3, "model"), OPENAI_400, "model"),
    ("responses", without("input"), OPENAI_400, "input"),
    ("gemini", without("contents"), GOOGLE_400, "contents"),
    ("gemini", put([{"role": "user", "parts": []}], "contents"), GOOGLE_400, "parts"),
    ("jev", without("state"), JEV_422, "state"),
    ("jev", without("questions"), JEV_422, "questions"),
    ("jev", put({}, "questions"), JEV_422, "questions"),
    ("jev", without("questions", "decision", "type"), JEV_422, "type"),
    ("jev", put("boolean", "questions", "decision", "type"), JEV_422, "type"),
    ("jev", put({}, "assets"), JEV_422, "assets"),
    ("openai-decisions", without("input"), OPENAI_400, "input"),
    ("openai-decisions", without("questions", 0, "instructions"), OPENAI_400, "instructions"),
    ("openai-decisions", put([], "questions"), OPENAI_400, "questions"),
    ("clef", without("questions", "decision", "instructions"), (400, '"success":false'), "instructions"),
    ("google-decisions", without("questions", "decision", "instructions"), GOOGLE_400, "instructions"),
    # fields that nobody knows
    ("gpt", put(1, "max_token"), OPENAI_400, "max_token"),
    ("responses", put(1, "seed"), OPENAI_400, "seed"),
    ("claude-tool", put(1, "response_format"), ANTHROPIC_400, "response_format"),
    ("gemini", put(1, "temperature"), GOOGLE_400, "temperature"),
    ("gemini", put(1, "generationConfig", "maxTokens"), GOOGLE_400, "maxtokens"),
    ("openai-decisions", put(0, "temperature"), OPENAI_400, "temperature"),
    ("openai-decisions", put(["a"], "questions", 0, "options"), OPENAI_400, "options"),
    ("google-decisions", put(0, "temperature"), GOOGLE_400, "temperature"),
    ("clef", put(0, "temperature"), (400, '"success":false'), "temperature"),
    ("deepseek", put(1, "max_token"), (400, "invalid_request_error"), "max_token"),
    ("glm", put(1, "max_token"), (400, "1210"), "max_token"),
    # roles
    ("claude-tool", put([{"role": "system", "content": "s"}], "messages"), ANTHROPIC_400, "system"),
    ("claude-tool", put(ROLES, "messages"), ANTHROPIC_400, "first"),
    ("claude-tool", put([{"role": "tool", "content": "t"}], "messages"), ANTHROPIC_400, "role"),
    ("gemini", put([{"role": "assistant", "parts": [{"text": "t"}]}], "contents"), GOOGLE_400, "role"),
    ("gemini", put([{"role": "model", "parts": [{"text": "t"}]}], "contents"), GOOGLE_400, "last"),
    ("gpt", put([{"role": "model", "content": "t"}], "messages"), OPENAI_400, "role"),
    ("gpt", put([{"role": "tool", "content": "t"}], "messages"), OPENAI_400, "tool"),
    ("responses", put([{"role": "model", "content": "t"}], "input"), OPENAI_400, "role"),
    # JSON mode wants the word
    ("deepseek", put([{"role": "user", "content": "no such word"}], "messages"), (400, "error"), "json"),
    # schemas
    ("gpt", lambda b: without("additionalProperties")(schema_of(b)), (400, "invalid_json_schema"), "additional"),
    ("gpt", lambda b: put(["choice_index"], "required")(schema_of(b)), (400, "invalid_json_schema"), "required"),
    ("gpt", lambda b: put(1, "properties", "confidence", "default")(schema_of(b)), (400, "schema"), "default"),
    ("responses", lambda b: without("required")(schema_of(b)), (400, "text.format.schema"), "required"),
    ("claude-native", lambda b: put(0, "properties", "confidence", "minimum")(schema_of(b)), ANTHROPIC_400, "minimum"),
    ("claude-native", lambda b: put(True, "additionalProperties")(schema_of(b)), ANTHROPIC_400, "additional"),
    ("gpt", put("a name", "response_format", "json_schema", "name"), OPENAI_400, "name"),
    ("deepseek", put({"type": "json_schema"}, "response_format"), (400, "error"), "json_schema"),
    ("gemini", without("generationConfig", "responseMimeType"), GOOGLE_400, "responsemimetype"),
    ("gemini", put({"type": "OBJECT"}, "generationConfig", "responseSchema"), GOOGLE_400, "one of"),
    # temperature and reasoning
    ("gpt", put("low", "reasoning_effort"), OPENAI_400, "temperature"),
    ("gpt", put("minimal", "reasoning_effort"), OPENAI_400, "minimal"),
    ("gpt", put(3, "temperature"), OPENAI_400, "temperature"),
    ("glm", put(0, "temperature"), (400, "1210"), "temperature"),
    ("glm", put("none", "reasoning_effort"), (400, "1210"), "none"),
    ("cerebras", put("none", "reasoning_effort"), (400, "wrong_api_format"), "none"),
    ("claude-plain", put(0, "temperature"), ANTHROPIC_400, "temperature"),
    ("claude-native", put({"type": "enabled", "budget_tokens": 2000}, "thinking"), ANTHROPIC_400, "budget"),
    ("claude-tool", put({"type": "adaptive"}, "thinking"), ANTHROPIC_400, "temperature"),
    ("claude-tool", put({"type": "tool", "name": "other"}, "tool_choice"), ANTHROPIC_400, "not offered"),
    ("gemini", put({"thinkingLevel": "LOW", "thinkingBudget": 0}, "generationConfig", "thinkingConfig"), GOOGLE_400, "one"),
    ("gpt", put(0, "max_completion_tokens"), OPENAI_400, "max_completion_tokens"),
    ("responses", put(15, "max_output_tokens"), OPENAI_400, "max_output_tokens"),
    ("gpt", put(21, "top_logprobs"), OPENAI_400, "top_logprobs"),
    ("gpt", put(True, "stream"), OPENAI_400, "stream"),
    # no JSON, and no object
    ("gpt", lambda b: b"{", OPENAI_400, "json"),
    ("gpt", lambda b: [b], OPENAI_400, "object"),
    ("gpt", lambda b: b'{"model": NaN}', OPENAI_400, "json"),
    ("gpt", lambda b: b'{"model": "\xff"}', OPENAI_400, "json"),
    ("gpt", lambda b: b'{"model": "m", "x": "\\ud800"}', OPENAI_400, "surrogate"),
    ("claude-tool", lambda b: b"{", ANTHROPIC_400, "json"),
    ("gemini", lambda b: b"[" * 100_000, GOOGLE_400, "json"),
    ("jev", lambda b: b"{", JEV_422, "json"),
    ("clef", lambda b: b"{", (400, '"success":false'), "json"),
    ("cerebras", lambda b: b"{", (400, "wrong_api_format"), "json"),
    ("mimo", lambda b: b"{", (400, "error"), "json"),
    ("openrouter", lambda b: b"{", (400, "invalid_request"), "json"),
    ("own-server", lambda b: b"{", (400, "invalid_request_error"), "json"),
]  # fmt: skip


@pytest.mark.parametrize("way, change, said, about", CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)])
def test_a_broken_request_is_refused_as_the_provider_does(simulator, client, way, change, said, about):
    before = simulator.counts()
    r = send(simulator, client, way, change)
    assert r.status_code == said[0], r.text
    assert said[1] in text_of(r).replace('": ', '":') and about in text_of(r), r.text
    after = simulator.counts()
    assert (after["requests"] - before["requests"], after["billed"] - before["billed"]) == (1, 0)
    # and DMB takes it for no answer
    got = WIRES[WAYS[way].wire].read(r.status_code, dict(r.headers), r.content, ["decision"])
    assert getattr(got, "kind", None) in ("rejected", "unsupported"), got


@pytest.mark.parametrize("way", WAYS)
def test_the_sound_request_is_not(simulator, client, way):
    assert send(simulator, client, way).status_code == 200


@pytest.mark.parametrize(
    "way, field",
    [("gpt", "max_completion_tokens"), ("claude-tool", "max_tokens"), ("responses", "max_output_tokens")],
)
def test_an_output_cap_cuts_the_answer_off(simulator, client, way, field):
    cap = 16 if way == "responses" else 3
    r = send(simulator, client, way, lambda b: put(cap, field)(b))
    got = WIRES[WAYS[way].wire].read(200, dict(r.headers), r.content, ["decision"])
    if way == "responses":
        # the answer is shorter than the least cap
        assert got.truncated is None and got.usage.output_tokens < cap
    else:
        assert got.truncated is not None and got.usage.output_tokens == cap


def test_the_version_of_messages_is_needed_and_takes_temperature_away(simulator, client):
    assert "anthropic-version" in send(simulator, client, "claude-tool", **{"anthropic-version": None}).text
    new = send(simulator, client, "claude-tool", **{"anthropic-version": "2026-10-21"})
    assert new.status_code == 400 and "temperature" in new.text
    assert send(simulator, client, "claude-native", **{"anthropic-version": "2026-10-21"}).status_code == 200


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-opus-5-5"])
def test_no_tool_is_forced_on_a_model_that_always_thinks(simulator, client, model):
    def change(body):
        body["model"] = model
        del body["temperature"]

    r = send(simulator, client, "claude-tool", change)
    assert r.status_code == 400 and "forced" in r.text


def test_system_one_ignores_what_it_does_not_know(simulator, client):
    plain = send(simulator, client, "jev").json()["answers"]
    assert send(simulator, client, "jev", put(7, "seed")).json()["answers"] == plain


def test_ones_own_server_ignores_it_too_and_wants_no_key(simulator, client):
    assert send(simulator, client, "own-server", put(7, "n_probs"), authorization=None).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", None])
@pytest.mark.parametrize("way", ["gpt", "jev", "gemini", "clef"])
def test_the_content_type_counts(simulator, client, way, kind):
    r = send(simulator, client, way, **{"content-type": kind})
    assert r.status_code in (400, 415, 422) and "content type" in r.text


@pytest.mark.parametrize(
    "way, word", [("claude-tool", "request_too_large"), ("jev", "request_too_large"), ("gpt", "limit")]
)
def test_a_body_above_32_megabytes_is_too_large(simulator, client, way, word):
    r = send(simulator, client, way, lambda b: b" " * (32 * 1024 * 1024 + 1))
    assert r.status_code == 413 and word in r.text


# -- option caps


def asked_of(n: int):
    return request(options=tuple(f"option {i}" for i in range(n)))


@pytest.mark.parametrize("way", ["jev", "openai-decisions", "google-decisions", "clef", "openrouter"])
@pytest.mark.parametrize("n, outcome", [(1, "failed: rejected"), (2, "valid"), (255, "valid")])
def test_decision_services_take_2_to_255_options(simulator, client, way, n, outcome):
    assert ask(client, simulator.address, WAYS[way], asked_of(n)).outcome == outcome


@pytest.mark.parametrize(
    "way, status, word",
    [
        ("jev", 422, "too_long"),
        ("openai-decisions", 400, "array_above_max_length"),
        ("google-decisions", 400, "INVALID_ARGUMENT"),
        ("clef", 400, '"success": false'),
        ("openrouter", 400, "invalid_request"),
    ],
)
def test_256_options_are_refused_each_in_its_own_way(simulator, client, way, status, word):
    w, asked = WAYS[way], asked_of(256)
    # the call is marked as not to be sent; sent all the same
    assert w.call(asked).unsupported is not None or w.wire == "systemone"
    seen = ask(client, simulator.address, w, asked)
    assert (seen.outcome, seen.response.status_code) == ("unsupported", status)
    assert word in seen.response.text


def test_language_models_take_512_options(simulator, client):
    for way in ("gpt", "claude-tool", "gemini", "deepseek"):
        assert ask(client, simulator.address, WAYS[way], asked_of(512)).outcome == "valid"


# -- context, models, keys


@pytest.mark.parametrize("way", WAYS)
def test_a_prompt_longer_than_the_context_is_unsupported(simulator, client, way):
    simulator.use(Scenario(name="short", context_tokens={WAYS[way].provider: 40}))
    try:
        seen = ask(client, simulator.address, WAYS[way], request(state="word " * 60))
    finally:
        simulator.use(Scenario(name="fair"))
    assert seen.outcome == "unsupported", seen.reason


@pytest.mark.parametrize("way", WAYS)
def test_models_that_are_not_served_are_unknown(client, way):
    w = WAYS[way]
    with Simulator(models={w.provider: ["another"]}) as s:
        seen = ask(client, s.address, w)
        assert (seen.outcome, seen.response.status_code) in (("failed: rejected", 404), ("failed: rejected", 400))
    with Simulator(models={w.provider: [w.model]}) as s:
        assert ask(client, s.address, w).outcome == "valid"


@pytest.mark.parametrize("way", [n for n, w in WAYS.items() if n != "own-server"])
def test_without_a_key_and_with_a_wrong_one(client, way):
    w = WAYS[way]
    with Simulator(key="right") as s:
        assert ask(client, s.address, w, key="right").outcome == "valid"
        wrong = ask(client, s.address, w, key="wrong")
        none = ask_without_key(client, s.address, way)
    statuses = {"typesafe": (401, 403), "google": (400, 403)}.get(w.provider, (401, 401))
    assert (wrong.response.status_code, none.status_code) == statuses
    assert wrong.outcome == "failed: authentication"


def ask_without_key(client, address, way):
    w = WAYS[way]
    call = w.call(request())
    return client.post(f"{address}/{w.provider}{call.path}", content=call.body, headers=dict(call.headers))


def test_any_key_will_do_but_there_must_be_one(simulator, client):
    assert ask(client, simulator.address, WAYS["gpt"], key="whatever").outcome == "valid"
    assert ask_without_key(client, simulator.address, "gpt").status_code == 401


def test_a_path_that_leads_nowhere(simulator, client):
    for path in ("/openai/v1/chat/completion", "/v1/nothing", "/", "/google/v1beta/models/m:countTokens"):
        r = client.post(simulator.address + path, json={})
        assert r.status_code == 404 and r.json(), path
    assert client.get(f"{simulator.address}/openai/v1/chat/completions").status_code == 405
