"""Scenario files: what is refused in one line, which requests a rule fits, and the ready ones."""

from __future__ import annotations

import pytest

from dmb.contracts.scenario import FaultRule, Scenario
from dmb.errors import InputError
from dmb.simulate import Simulator
from dmb.simulate.scenarios import read_scenario
from tests.conftest import PROJECT
from tests.simulate.asking import PRICES, WAYS, ask, plain_client, request

READY = sorted((PROJECT / "data/scenarios").glob("*.toml"))


@pytest.fixture(scope="module")
def client():
    with plain_client() as c:
        yield c


RULE = '[[fault]]\ndo = "rate_limit"\n'


@pytest.mark.parametrize(
    "text, words",
    [
        ("", ["name", "is missing"]),
        ('name = "x"\ndely_ms = 3', ["dely_ms", "line 2", "unknown field", "'delay_ms'"]),
        ('name = "x"\n[[fault]]\ndo = "rate_limits"', ["fault.0.do", "'rate_limits'", "did you mean 'rate_limit'?"]),
        ('name = "x"\n' + RULE + "shar = 0.5", ["fault.0.shar", "unknown field", "'share'"]),
        ('name = "x"\n' + RULE + "share = 1.5", ["fault.0.share", "less than or equal to 1"]),
        ('name = "x"\n' + RULE + "first = 0", ["fault.0.first", "greater than or equal to 1"]),
        ('name = "x"\n' + RULE + 'first = "1"', ["fault.0.first"]),
        ('name = "x"\n' + RULE + "mb = 1", ["fault.0.mb", "no parameter of rate_limit", "known: form, seconds"]),
        ('name = "x"\n[[fault]]\ndo = "reset"\nms = 1', ["fault.0.ms", "no parameter of reset", "it has none"]),
        ('name = "x"\n' + RULE + 'form = "dates"', ["fault.0.form", "'dates'", "did you mean 'date'?"]),
        ('name = "x"\n' + RULE + 'wire = "message"', ["fault.0.wire", "did you mean 'messages'?"]),
        ('name = "x"\n' + RULE + 'provider = "opnai"', ["fault.0.provider", "did you mean 'openai'?"]),
        ('name = "x"\n' + RULE + "from_request = 9\nto_request = 3", ["fault.0.to_request", "below from_request"]),
        ("name = x", ["no valid TOML", "line 1"]),
        ('name = "x"\ncontext_tokens = 3', ["context_tokens"]),
    ],
)
def test_a_wrong_scenario_is_refused_in_one_line(text, words):
    with pytest.raises(InputError) as e:
        read_scenario(text, "s.toml")
    line = str(e.value)
    assert line.startswith("s.toml: ") and "\n" not in line
    assert all(w in line for w in words), line


def test_a_provider_of_ones_own_can_be_named():
    text = 'name = "x"\n' + RULE + 'provider = "my-server"'
    assert read_scenario(text, "s.toml", ["my-server"]).fault[0].provider == "my-server"


@pytest.mark.parametrize("path", READY, ids=lambda p: p.stem)
def test_ready_scenarios_are_sound_and_explain_themselves(path):
    scenario = read_scenario(path.read_text(encoding="utf-8"), path.name)
    assert scenario.name == path.stem and len(scenario.notes) > 20


def test_there_are_ready_scenarios():
    assert {"rough-day", "overloaded", "bad-key", "no-money", "slow"} <= {p.stem for p in READY}


def statuses(client, rules, n=20, attempts=1, way="jev", seed=0) -> list[list[int]]:
    """Status of every attempt of n questions, asked in order."""
    with Simulator(scenario=Scenario(name="s", fault=tuple(rules)), seed=seed) as s:
        return [
            [ask(client, s.address, WAYS[way], request(f"state {i}")).response.status_code for _ in range(attempts)]
            for i in range(n)
        ]


def test_a_share_is_always_the_same_requests(client):
    rule = FaultRule(do="rate_limit", share=0.4)
    first = statuses(client, [rule], n=60)
    assert first == statuses(client, [rule], n=60)
    assert 12 <= sum(x == [429] for x in first) <= 36
    assert first != statuses(client, [rule], n=60, seed=1)
    # a larger share takes the same ones, and more
    more = statuses(client, [FaultRule(do="rate_limit", share=0.7)], n=60)
    assert all(b == [429] for a, b in zip(first, more, strict=True) if a == [429]) and more != first


def test_first_lets_a_retry_succeed(client):
    assert statuses(client, [FaultRule(do="rate_limit", first=2)], n=3, attempts=4) == [[429, 429, 200, 200]] * 3


def test_requests_are_numbered_over_the_whole_server(client):
    flat = [s for [s] in statuses(client, [FaultRule(do="rate_limit", from_request=3, to_request=5)], n=8)]
    assert flat == [200, 200, 429, 429, 429, 200, 200, 200]
    flat = [s for [s] in statuses(client, [FaultRule(do="rate_limit", every=3)], n=7)]
    assert flat == [200, 200, 429, 200, 200, 429, 200]


def test_the_first_rule_that_fits_applies_and_no_other(client):
    rules = [
        FaultRule(do="no_money", to_request=2),
        FaultRule(do="overloaded", to_request=4),
        FaultRule(do="rate_limit", from_request=6),
    ]
    assert [s for [s] in statuses(client, rules, n=7)] == [402, 402, 529, 529, 200, 429, 429]


def test_rules_match_by_provider_model_and_wire(client):
    rules = [
        FaultRule(do="overloaded", provider="typesafe"),
        FaultRule(do="rate_limit", model="claude-sonnet-4-6"),
        FaultRule(do="permission", wire="responses"),
    ]
    with Simulator(scenario=Scenario(name="s", fault=tuple(rules))) as s:
        got = {n: ask(client, s.address, w).response.status_code for n, w in WAYS.items()}
    assert {n: c for n, c in got.items() if c != 200} == {"jev": 529, "claude-native": 429, "responses": 403}


def test_a_scenario_is_replaced_while_the_server_runs(client):
    with Simulator(scenario=Scenario(name="ill", fault=(FaultRule(do="overloaded"),)), prices=PRICES) as s:
        assert ask(client, s.address, WAYS["jev"]).outcome == "failed: overloaded"
        healed = client.put(f"{s.address}/_simulate/scenario", content=b'name = "healed"')
        assert healed.status_code == 200 and healed.json()["scenario"]["name"] == "healed"
        assert ask(client, s.address, WAYS["jev"]).outcome == "valid"
        for wrong, word in ((b'name = "x"\nfoo = 1', "unknown field"), (b"\xff", "UTF-8")):
            r = client.put(f"{s.address}/_simulate/scenario", content=wrong)
            assert r.status_code == 400 and word in r.json()["error"]
        assert s.about()["scenario"]["name"] == "healed"
        # what was counted stays
        assert s.counts()["requests"] == 2
        assert client.get(f"{s.address}/_simulate/nothing").status_code == 404


def test_a_fault_that_there_is_not_is_refused_from_python_too():
    with pytest.raises(InputError, match="unknown fault"):
        Simulator(scenario=Scenario(name="s", fault=(FaultRule(do="rate-limit"),)))


def test_the_digest_of_a_scenario_is_of_its_meaning():
    a = read_scenario('name = "x"\n' + RULE, "a")
    b = read_scenario('# a comment\nnotes = ""\nname = "x"\n' + RULE, "b")
    with Simulator(scenario=a) as one, Simulator(scenario=b) as other:
        assert one.about()["scenario"] == other.about()["scenario"]
