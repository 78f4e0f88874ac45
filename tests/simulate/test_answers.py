"""What is answered depends on the request and the seed, and on nothing else."""

from __future__ import annotations

import json
from collections import Counter

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.contracts.price import PriceRow
from dmb.contracts.slot import Slot
from dmb.output_schema import answer_schema
from dmb.prompting import language_model_prompt
from dmb.simulate import Simulator
from dmb.simulate.answers import spread
from dmb.simulate.asked import Understood
from dmb.simulate.draws import Draw
from dmb.simulate.faults.answers import _Doubled
from dmb.simulate.tokens import tokens_of
from dmb.simulate.written import options_in, written_answer
from tests.simulate.asking import OPTIONS, PRICES, SERVICES, WAYS, ask, plain_client, request


@pytest.fixture(scope="module")
def client():
    with plain_client() as c:
        yield c


def raw(client: httpx.Client, address: str, way: str, state: str = "state") -> tuple[int, list, bytes]:
    r = ask(client, address, WAYS[way], request(state)).response
    return r.status_code, sorted(r.headers.multi_items()), r.content


@pytest.mark.parametrize("way", WAYS)
def test_two_servers_with_one_seed_send_the_same_bytes(client, way):
    with Simulator(seed=5) as a, Simulator(seed=5, prices=PRICES[:1]) as b:
        first = raw(client, a.address, way)
        # the order of questions and repeats change nothing
        raw(client, b.address, way, "something else")
        assert first == raw(client, b.address, way) == raw(client, b.address, way)


@pytest.mark.parametrize("way", WAYS)
def test_another_seed_or_another_question_gives_other_answers(client, way):
    with Simulator(seed=1) as a, Simulator(seed=2) as b:
        states = [f"state {i}" for i in range(20)]
        ours = [raw(client, a.address, way, s)[2] for s in states]
        theirs = [raw(client, b.address, way, s)[2] for s in states]
    assert all(x != y for x, y in zip(ours, theirs, strict=True))
    assert len(set(ours)) == 20


@pytest.mark.parametrize("way", ["jev", "gpt", "claude-tool"])
def test_every_option_is_chosen_at_some_time(client, way):
    from dmb.wires import WIRES

    chosen = Counter()
    with Simulator() as s:
        for i in range(60):
            r = ask(client, s.address, WAYS[way], request(f"state {i}")).response
            a = WIRES[WAYS[way].wire].read(200, {}, r.content, ["decision"]).answers["decision"]
            chosen[a.label if a.index is None else OPTIONS[a.index]] += 1
    assert set(chosen) == set(OPTIONS)


def test_the_order_of_the_options_is_part_of_the_question(client):
    """Canonical JSON sorts keys, and the options of a decision service are keys."""
    with Simulator() as s:
        for way in ("jev", "clef", "google-decisions", "openrouter"):
            ask(client, s.address, WAYS[way], request())
            ask(client, s.address, WAYS[way], request(options=OPTIONS[::-1]))
        assert s.counts()["distinct"] == 8


def test_the_order_of_other_keys_is_not(client):
    with Simulator() as s:
        call = WAYS["gpt"].call(request())
        body = json.loads(call.body)
        got = [
            client.post(
                f"{s.address}/openai{call.path}",
                content=json.dumps(dict(pairs)),
                headers={**call.headers, "authorization": "Bearer k"},
            ).content
            for pairs in (body.items(), reversed(body.items()))
        ]
        assert got[0] == got[1] and s.counts()["distinct"] == 1


@pytest.mark.parametrize("way", SERVICES)
def test_probabilities_are_rounded_as_the_service_rounds(client, way):
    decimals = {"jev": 2, "openrouter": 2, "clef": 4}.get(way, 6)
    options = tuple(f"option {i}" for i in range(40))
    with Simulator() as s:
        seen = ask(client, s.address, WAYS[way], request(options=options))
    assert seen.outcome == "valid"
    body = seen.response.json()
    answers = (body.get("result") or body)["answers"]
    one = answers[0] if isinstance(answers, list) else answers["decision"]
    written = one["probabilities"]
    p = [x["probability"] for x in written] if isinstance(written, list) else list(written.values())
    assert all(round(x, decimals) == x for x in p) and 0.9 < sum(p) < 1.1
    top = one["choice"]
    of_top = dict(zip(options, p, strict=True))[top]
    assert of_top == max(p)
    n = len(options)
    expected = of_top if way == "google-decisions" else (of_top - 1 / n) / (1 - 1 / n)
    assert one["confidence"] == pytest.approx(expected, abs=2 * 10**-decimals)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 255))
def test_probabilities_are_a_distribution_with_one_clear_top(seed, n):
    p = spread(Draw(seed, "q"), n)
    assert len(p) == n and all(x >= 0 for x in p)
    assert sum(p) == pytest.approx(1)
    assert n == 1 or sorted(p)[-1] - sorted(p)[-2] > 0.005


# -- what a language model writes


@given(
    options=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=12),
    instructions=st.text(max_size=40).filter(lambda t: "Options:" not in t),
)
def test_the_number_of_options_is_read_from_our_prompt(options, instructions):
    """Exactly, unless an option's own text goes on with the next number at the start of a line."""
    asked = request(options=tuple(options))._replace(instructions=instructions)
    found = options_in(language_model_prompt(asked)[0])
    if not any("\n" in o or "Answer as JSON" in o for o in options):
        assert found == len(options)


def test_a_prompt_of_somebody_else_numbers_nothing():
    assert options_in("1. first\n2. second") == 0 == options_in("")


def value(schema, n=0, form="schema"):
    return written_answer(Understood(texts=("t",), schema=schema, form=form, options=n), Draw(0, "d"))


def test_any_schema_gets_a_value_that_it_allows():
    import jsonschema

    schema = {
        "type": "object",
        "properties": {
            "choice": {"type": "string", "enum": ["a", "b"]},
            "level": {"type": "integer", "minimum": 3, "maximum": 5},
            "share": {"type": "number", "minimum": 10, "maximum": 20},
            "p": {"type": "number"},
            "flag": {"type": "boolean"},
            "nothing": {"type": "null"},
            "maybe": {"type": ["null", "string"]},
            "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "list": {"type": "array", "items": {"$ref": "#/$defs/item"}, "minItems": 2},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "const": {"const": 7},
        },
        "required": ["choice", "level", "share", "p", "flag", "nothing", "maybe", "either", "list", "pair", "const"],
        "additionalProperties": False,
        "$defs": {"item": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}},
    }
    made = value(schema)
    jsonschema.validate(made, schema)
    assert 0 <= made["p"] <= 1


def test_googles_upper_case_types_are_read():
    assert value({"type": "OBJECT", "properties": {"a": {"type": "STRING", "enum": ["x"]}}}) == {"a": "x"}


def test_a_schema_that_refers_to_itself_ends():
    schema = {"type": "object", "properties": {"again": {"$ref": "#"}}}
    assert json.dumps(value(schema)).count("again") < 20
    assert value({"$ref": "#/nowhere"}) is None


def test_several_slots_are_answered_under_our_schema():
    slots = (Slot(id="queue", kind="choice"), Slot(id="tone", kind="choice", confidence=False))
    made = value(answer_schema(slots, "c"), n=4)
    assert set(made) == {"queue", "tone"} and set(made["tone"]) == {"choice_index"}
    assert all(0 <= part["choice_index"] < 4 for part in made.values())


def test_without_json_there_is_a_text_and_with_it_an_object():
    assert isinstance(value(None, form="text"), str)
    assert isinstance(value(None, form="json"), dict)


@given(st.lists(st.text(max_size=40), max_size=6))
def test_a_token_is_four_characters_begun(texts):
    n = sum(len(t) for t in texts)
    assert tokens_of(texts) == max(1, (n + 3) // 4)


def test_the_writer_of_double_keys_writes_them():
    assert json.dumps(_Doubled({"a": 1, "b": 2})) == '{"a": 1, "b": 2, "a": 0}'
    assert json.dumps([_Doubled({"a": 1})], ensure_ascii=False) == '[{"a": 1, "a": 0}]'


def test_prices_need_not_be_there(client):
    row = PriceRow(provider="openai", model="other", input="1", output="1", source="s", checked_on="2026-11-30")
    with Simulator(prices=[row]) as s:
        ask(client, s.address, WAYS["gpt"])
        ask(client, s.address, WAYS["own-server"])
        counts = s.counts()
    assert (counts["billed"], counts["billed_usd"]) == (1, "0")
    assert counts["unpriced"] == {"openai gpt-5.4-nano": 1}
