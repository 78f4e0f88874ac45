"""Every fault over every wire: what comes back reads as what it is, and the server bills what a provider would."""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from collections.abc import Iterator
from decimal import Decimal

import httpx
import pytest

from dmb.contracts.scenario import FaultRule, Scenario
from dmb.simulate import Simulator
from dmb.simulate.errors import say
from dmb.simulate.faults import FAULTS, parameters_of
from dmb.simulate.speakers import SPEAKERS
from dmb.wires.retry_hint import retry_after_s
from tests.conftest import PROJECT
from tests.simulate.asking import PRICES, SERVICES, WAYS, ask, plain_client, request
from tests.simulate.expected import GROUPS, ROWS

#: Faults after which nobody is billed: the model did not work, or nobody can know that it did.
UNBILLED = {
    *("reset", "close", "rate_limit", "overloaded", "overload_in_200", "overload_in_500", "internal_error"),
    *("gateway_timeout", "status", "bad_key", "no_key", "permission", "no_money", "unknown_model", "context_too_long"),
    *("content_policy", "echo_key", "html_502", "html_200", "redirect"),
}


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with Simulator(seed=7, prices=PRICES) as s:
        yield s


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with plain_client() as c:
        yield c


def only(do: str, **parameters) -> Scenario:
    return Scenario(name=do, fault=(FaultRule(do=do, **parameters),))


def test_every_fault_has_its_row_and_every_row_its_fault():
    assert set(ROWS) == set(FAULTS)
    assert {n for row in ROWS.values() for n in row.but} <= {*GROUPS, *WAYS}
    assert {n for group in GROUPS.values() for n in group} <= set(WAYS)


@pytest.mark.parametrize("way", WAYS)
def test_without_a_fault_every_way_is_answered(simulator, client, way):
    simulator.use(Scenario(name="fair"))
    seen = ask(client, simulator.address, WAYS[way])
    assert (seen.outcome, seen.response.headers["x-simulated"]) == ("valid", "true")
    assert seen.usage is not None and seen.usage.input_tokens > 10


@pytest.mark.parametrize("fault", FAULTS)
def test_each_way_takes_the_fault_for_what_it_is(simulator, client, fault):
    row = ROWS[fault]
    simulator.use(only(fault, **row.with_))
    seen = {name: ask(client, simulator.address, way) for name, way in WAYS.items()}
    assert {n: s.outcome for n, s in seen.items()} == {n: row.outcome(n) for n in WAYS}, {
        n: s.reason for n, s in seen.items()
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_provider_would_bill_is_billed(simulator, client, fault):
    simulator.use(only(fault, **ROWS[fault].with_))
    way = WAYS["claude-tool"]
    before = simulator.counts()
    ask(client, simulator.address, way)
    after = simulator.counts()
    assert after["requests"] - before["requests"] == 1
    assert after["faults"][fault] - before["faults"].get(fault, 0) == 1
    assert after["billed"] - before["billed"] == (fault not in UNBILLED)
    more = Decimal(after["billed_usd"]) - Decimal(before["billed_usd"])
    assert (more > 0) == (fault not in UNBILLED)
    broken = fault in ("reset", "close", "reset_mid_body", "close_mid_body")
    assert after["answered"] - before["answered"] == (fault not in UNBILLED and not broken)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_says_what_it_does_and_has_typed_defaults(fault):
    assert FAULTS[fault].__doc__ and "\n" not in FAULTS[fault].__doc__
    known = set(FaultRule.model_fields)
    assert set(parameters_of(fault)) <= known


# -- how long to wait


@pytest.mark.parametrize("way", ["jev", "gpt", "claude-tool", "gemini", "clef", "openrouter"])
@pytest.mark.parametrize(
    "form, header, hint",
    [
        ("seconds", "retry-after", 1.5),
        ("ms", "retry-after-ms", 1.5),
        ("date", "retry-after", None),
        ("nonsense", "retry-after", None),
        ("none", None, None),
    ],
)
def test_a_rate_limit_says_how_long_in_every_form(simulator, client, way, form, header, hint):
    simulator.use(only("rate_limit", form=form, seconds=1.5))
    r = ask(client, simulator.address, WAYS[way]).response
    assert r.status_code == 429
    found = retry_after_s(dict(r.headers), dt.datetime.now(dt.UTC))
    if way == "gemini" and form == "seconds":
        assert "retry-after" not in r.headers
        assert r.json()["error"]["details"][0]["retryDelay"] == "1.5s"
        return
    assert {n for n in r.headers if n.startswith("retry-after")} == ({header} if header else set())
    if form == "date":
        # never sooner than meant, and at most the two seconds later that whole seconds cost
        assert 0 < found <= 3.5
    else:
        assert found == hint


# -- details that an outcome does not show


def read(simulator, client, way: str, fault: str, **parameters):
    simulator.use(only(fault, **parameters))
    return ask(client, simulator.address, WAYS[way])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", ["usage_missing", "usage_null", "usage_float", "usage_zero"])
def test_without_counts_the_usage_is_unknown_and_never_nothing(simulator, client, way, fault):
    usage = read(simulator, client, way, fault).usage
    counts = () if usage is None else (usage.input_tokens, usage.output_tokens)
    assert not any(counts) and 0 not in counts, usage


@pytest.mark.parametrize("way", WAYS)
def test_cached_tokens_are_a_part_of_the_prompt(simulator, client, way):
    simulator.use(Scenario(name="fair"))
    fair = ask(client, simulator.address, WAYS[way]).usage
    usage = read(simulator, client, way, "cached_tokens", tokens=5).usage
    assert usage.input_tokens == fair.input_tokens
    assert usage.cached_tokens == (None if way in ("jev", "clef", "openrouter") else 5)


def test_cache_writes_are_told_by_those_who_have_them(simulator, client):
    told = {n: read(simulator, client, n, "cache_write_tokens", tokens=6).usage.cache_write_tokens for n in WAYS}
    assert {n for n, count in told.items() if count == 6} == {
        *("openai-decisions", "gpt", "responses", "claude-tool", "claude-native", "claude-plain")
    }


@pytest.mark.parametrize("way", [n for n in WAYS if n not in SERVICES])
def test_reasoning_is_output(simulator, client, way):
    usage = read(simulator, client, way, "reasoning_tokens", tokens=500).usage
    assert usage.reasoning_tokens == 500 < usage.output_tokens < 600


@pytest.mark.parametrize("way", WAYS)
def test_another_model_may_serve(simulator, client, way):
    assert read(simulator, client, way, "wrong_model").model.endswith("-but-another")


def test_openrouter_tells_its_charge_and_it_may_differ_from_the_table(simulator, client):
    simulator.use(Scenario(name="fair"))
    fair = ask(client, simulator.address, WAYS["openrouter"]).response.json()["usage"]
    assert Decimal(str(fair["cost"])) == Decimal("0.042") * fair["input_tokens"] / 1_000_000
    more = read(simulator, client, "openrouter", "charge_factor", factor=Decimal("1.5")).response.json()["usage"]
    assert Decimal(str(more["cost"])) == Decimal(str(fair["cost"])) * Decimal("1.5")
    assert "cost" not in ask(client, simulator.address, WAYS["jev"]).response.json()["usage"]


@pytest.mark.parametrize("way", WAYS)
def test_a_key_is_repeated_by_nobody_but_who_is_told_to(simulator, client, way):
    simulator.use(Scenario(name="keyed", key="another"))
    refused = ask(client, simulator.address, WAYS[way], key="sk-planted-0123456789")
    assert refused.outcome in ("failed: authentication", "failed: permission")
    assert "planted" not in refused.response.text
    echoed = read_with_key(simulator, client, way, "sk-planted-0123456789")
    assert "sk-planted-0123456789" in echoed.response.text


def read_with_key(simulator, client, way, key):
    simulator.use(only("echo_key"))
    return ask(client, simulator.address, WAYS[way], key=key)


def test_a_huge_body_is_as_large_as_it_says(simulator, client):
    assert len(read(simulator, client, "gpt", "huge_body", mb=2.0).response.content) > 2_000_000


def test_line_separators_are_not_escaped(simulator, client):
    for way in WAYS:
        text = read(simulator, client, way, "line_separators").response.content.decode()
        assert "\u2028" in text and "\u2029" in text, way


def test_a_body_that_is_no_utf8_is_sent_as_it_is(simulator, client):
    with pytest.raises(UnicodeDecodeError):
        read(simulator, client, "jev", "non_utf8").response.content.decode()


def test_a_key_that_stands_twice_does(simulator, client):
    for way in WAYS:
        text = read(simulator, client, way, "duplicate_keys").response.text
        doubled = '"type"' if way in SERVICES else "choice_index"
        assert text.count(doubled) > request_once(simulator, client, way).count(doubled), way


def request_once(simulator, client, way):
    simulator.use(Scenario(name="fair"))
    return ask(client, simulator.address, WAYS[way]).response.text


def test_a_redirect_leads_where_nobody_listens(simulator, client):
    r = read(simulator, client, "jev", "redirect").response
    assert (r.status_code, r.headers["location"]) == (307, "http://127.0.0.1:9/moved")


def test_the_cap_holds_for_questions_above_it_alone(simulator, client):
    simulator.use(only("options_over_cap", options=52))
    for n, outcome in ((52, "valid"), (53, "unsupported")):
        asked = request(options=tuple(f"option {i}" for i in range(n)))
        assert ask(client, simulator.address, WAYS["jev"], asked).outcome == outcome


# -- the shapes of errors, against the reference

SHAPES = {
    ("typesafe", "no_key"): (403, {"detail": {"error_type": "authentication_error"}}),
    ("typesafe", "bad_key"): (401, {"detail": {"error_type": "authentication_error"}}),
    ("typesafe", "overloaded"): (529, {"detail": {"error_type": "overloaded_error"}}),
    ("openrouter", "no_money"): (402, {"error": {"code": 402}}),
    ("openrouter", "overloaded"): (529, {"error": {"metadata": {"error_type": "provider_overloaded"}}}),
    ("openai", "bad_key"): (401, {"error": {"code": "invalid_api_key"}}),
    ("openai", "no_money"): (429, {"error": {"type": "insufficient_quota", "code": "insufficient_quota"}}),
    ("openai", "unknown_model"): (404, {"error": {"code": "model_not_found"}}),
    ("openai", "overloaded"): (503, {"error": {"code": "server_is_overloaded"}}),
    ("anthropic", "bad_key"): (401, {"type": "error", "error": {"type": "authentication_error"}}),
    ("anthropic", "overloaded"): (529, {"error": {"type": "overloaded_error"}}),
    ("anthropic", "no_money"): (402, {"error": {"type": "billing_error"}}),
    ("google", "bad_key"): (400, {"error": {"code": 400, "status": "INVALID_ARGUMENT"}}),
    ("google", "no_key"): (403, {"error": {"status": "PERMISSION_DENIED"}}),
    ("google", "overloaded"): (503, {"error": {"status": "UNAVAILABLE"}}),
    ("cloudflare", "bad_key"): (401, {"success": False, "result": None}),
    ("zai", "no_money"): (429, {"error": {"code": "1113"}}),
    ("zai", "bad_key"): (401, {"error": {"code": "1000"}}),
    ("deepseek", "no_money"): (402, {"error": {"code": "invalid_request_error"}}),
    ("cerebras", "bad_key"): (401, {"code": "wrong_api_key"}),
    ("xiaomi", "no_money"): (402, {"error": {"code": "402"}}),
}


def holds(part, whole) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and holds(v, whole[k]) for k, v in part.items())
    return part == whole


@pytest.mark.parametrize("provider, fault", SHAPES)
def test_errors_have_each_providers_shape(simulator, client, provider, fault):
    name = next(n for n, w in WAYS.items() if w.provider == provider)
    r = read(simulator, client, name, fault).response
    status, part = SHAPES[provider, fault]
    assert r.status_code == status
    assert holds(part, r.json()), r.text


def test_every_vendor_has_its_errors():
    from dmb.simulate.asked import Refused

    for speaker in SPEAKERS.values():
        status, body = say(speaker.vendor, Refused("overloaded", "later"))
        assert status in (429, 503, 529) and "later" in json.dumps(body)


# -- the document


def test_the_page_lists_every_fault_with_its_parameters_and_words():
    page = (PROJECT / "docs/simulate.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `") and line.count(" | ") == 2]
    listed = {r[0].strip("| `"): (r[1].strip(), r[2].strip("| ")) for r in rows}
    made = {}
    for name, fault in FAULTS.items():
        given = ", ".join(f"`{p} = {_toml(v)}`" for p, v in parameters_of(name).items())
        made[name] = (given, fault.__doc__.rstrip("."))
    assert listed == made


def _toml(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str | Decimal) else str(value)
    assert tomllib.loads(f"x = {text}")
    return text
