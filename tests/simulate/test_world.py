"""Every contender of the table that is asked over a network can be rehearsed against the simulator."""

from __future__ import annotations

import dataclasses

import pytest

from dmb.planning.project import load_project
from dmb.simulate import Simulator
from dmb.simulate.routes import find_route
from dmb.simulate.world import world_of
from dmb.wires import WIRES
from tests.conftest import PROJECT
from tests.simulate.asking import Way, ask, plain_client, request

TABLES = load_project(PROJECT)
ASKED = {n: c for n, c in TABLES.contenders.items() if c.wire is not None and c.serve is None}


@pytest.fixture(scope="module")
def serving():
    world = world_of(TABLES.contenders, TABLES.providers)
    with (
        Simulator(prices=TABLES.prices.price, models=world.models, routes=world.routes) as s,
        plain_client() as c,
    ):
        yield s, c


@dataclasses.dataclass(frozen=True)
class Entry(Way):
    """A contender as its tables say."""

    @property
    def dialect(self):
        return TABLES.providers[self.provider].dialect


@pytest.mark.parametrize("name", ASKED)
def test_what_the_entry_sends_is_answered(serving, name):
    simulator, client = serving
    c = ASKED[name]
    seen = ask(client, simulator.address, Entry(c.provider, c.wire, c.model, c.settings), request(f"for {name}"))
    assert seen.outcome == "valid", (seen.reason, seen.response and seen.response.text)
    assert seen.usage is not None and seen.usage.input_tokens


def test_all_of_it_is_priced_where_the_table_has_prices(serving):
    simulator, client = serving
    for c in ASKED.values():
        ask(client, simulator.address, Entry(c.provider, c.wire, c.model, c.settings))
    have = {f"{r.provider} {r.model}" for r in TABLES.prices.price}
    assert not set(simulator.counts()["unpriced"]) & have


def test_the_world_of_a_release_is_its_contenders_alone():
    chosen = {n: TABLES.contenders[n] for n in ("random", "sparrow-nano", "jev", "claude-haiku-4-5")}
    world = world_of(chosen, TABLES.providers)
    assert world.models == {"typesafe": {"jev-1.14.0"}, "anthropic": {"claude-haiku-4-5"}}
    assert world.served == {"jev": ("typesafe", "jev-1.14.0"), "claude-haiku-4-5": ("anthropic", "claude-haiku-4-5")}
    assert world.routes == {}


def test_a_path_of_an_entrys_own_is_served_too():
    contender = TABLES.contenders["deepseek-flash"].model_copy(update={"provider": "mine"})
    provider = TABLES.providers["deepseek"].model_copy(update={"dialect": {"path": "/chat"}})
    world = world_of({"x": contender}, {"mine": provider})
    assert list(world.routes) == ["/mine/chat"]
    with Simulator(models=world.models, routes=world.routes) as s, plain_client() as c:
        call = WIRES["chat_completions"].call(request(), contender.model, contender.settings, provider.dialect)
        assert call.path == "/chat"
        assert c.post(f"{s.address}/mine/chat", content=call.body, headers=dict(call.headers)).status_code == 200


@pytest.mark.parametrize(
    "path, provider, wire, shape, model",
    [
        ("/v1/systemone", "typesafe", "systemone", "typesafe", None),
        ("/v1/decisions", "openai", "decisions", "openai", None),
        ("/v1beta/decisions", "google", "decisions", "google", None),
        ("/api/v1/systemone", "openrouter", "decisions", "openrouter", None),
        ("/openrouter/api/alpha/decisions", "openrouter", "decisions", "openrouter", None),
        ("/v1/chat/completions", "openai", "chat_completions", "", None),
        ("/deepseek/chat/completions", "deepseek", "chat_completions", "", None),
        ("/zai/api/paas/v4/chat/completions", "zai", "chat_completions", "", None),
        ("/my-server/v1/chat/completions", "my-server", "chat_completions", "", None),
        ("/v1/responses", "openai", "responses", "", None),
        ("/v1/messages?beta=true", "anthropic", "messages", "", None),
        ("/v1/models/m:generateContent", "google", "generate_content", "", "m"),
        (
            "/google/v1beta/models/gemini-3.6-flash:generateContent",
            "google",
            "generate_content",
            "",
            "gemini-3.6-flash",
        ),
        ("/cloudflare/ai/run/@cf/cloudflare/clef", "cloudflare", "decisions", "cloudflare", "@cf/cloudflare/clef"),
        ("/cloudflare/ai/run/%40cf/cloudflare/clef", "cloudflare", "decisions", "cloudflare", "@cf/cloudflare/clef"),
    ],
)
def test_paths(path, provider, wire, shape, model):
    r = find_route(path)
    assert (r.provider, r.wire, r.shape, r.model) == (provider, wire, shape, model)


def test_who_is_still_to_negotiate_is_served_all_the_same():
    entries = {
        n: c.model_copy(update={"settings": c.settings | {"structured": "auto"}})
        for n, c in ASKED.items()
        if "structured" in c.settings
    }
    as_it_stands = world_of({n: ASKED[n] for n in entries}, TABLES.providers)
    assert entries and world_of(entries, TABLES.providers) == as_it_stands
