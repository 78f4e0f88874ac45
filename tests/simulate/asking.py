"""One question, asked over every wire and provider with a plain client, and what the wire makes of the reply."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import Any

import httpx

from dmb.canonical import text_digest
from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.price import PricesFile
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.parsing import judge_reply
from dmb.wires import WIRES
from dmb.wires.exchange import Call
from tests.conftest import PROJECT

OPTIONS = ("Billing", "A bug", "Sales", "Other: anything\n2. else")
SLOTS = (Slot(id="decision", kind="choice"),)


def request(state: str = "charged twice — è 🙂", options: tuple[str, ...] = OPTIONS) -> Request:
    """The question."""
    return Request(
        state=state,
        instructions="Which queue?",
        options=options,
        slots=SLOTS,
        confidence_definition="confidence is P",
    )


def table(name: str) -> dict[str, Any]:
    """A file of data/."""
    return tomllib.loads((PROJECT / "data" / name).read_text(encoding="utf-8"))


PRICES = PricesFile.model_validate(table("prices.toml")).price
_PROVIDERS = table("providers.toml")


def plain_client(timeout_s: float = 10.0) -> httpx.Client:
    """Without certificates, which take longer to load than a hundred questions."""
    return httpx.Client(timeout=timeout_s, trust_env=False, verify=False)


@dataclass(frozen=True)
class Way:
    """Who is asked, how."""

    provider: str
    wire: str
    model: str
    settings: dict[str, Any] = field(default_factory=dict)
    shape: str | None = None

    @property
    def dialect(self) -> dict[str, Any]:
        """What the provider's entry says, or the shape that was given."""
        return {"shape": self.shape} if self.shape else _PROVIDERS.get(self.provider, {}).get("dialect", {})

    def call(self, asked: Request) -> Call:
        """What would be sent."""
        return WIRES[self.wire].call(asked, self.model, self.settings, self.dialect)


WAYS: dict[str, Way] = {
    "jev": Way("typesafe", "systemone", "jev-1.14.0"),
    "openai-decisions": Way("openai", "decisions", "gpt-6-luna", shape="openai"),
    "google-decisions": Way("google", "decisions", "decider-1", shape="google"),
    "clef": Way("cloudflare", "decisions", "clef"),
    "openrouter": Way("openrouter", "decisions", "typesafe/jev-1.14"),
    "gpt": Way(
        "openai",
        "chat_completions",
        "gpt-5.4-nano",
        {"structured": "json_schema", "temperature": 0, "reasoning": "none"},
    ),
    "glm": Way(
        "zai", "chat_completions", "glm-5.3", {"structured": "json_mode", "reasoning": "low", "do_sample": False}
    ),
    "deepseek": Way(
        "deepseek",
        "chat_completions",
        "deepseek-flash",
        {"structured": "json_mode", "temperature": 0, "thinking": "disabled"},
    ),
    "cerebras": Way(
        "cerebras",
        "chat_completions",
        "gpt-oss-120b",
        {"structured": "json_mode", "temperature": 0, "reasoning": "low"},
    ),
    "mimo": Way("xiaomi", "chat_completions", "mimo-v2.6-flash", {"structured": "json_mode"}),
    "own-server": Way(
        "my-server", "chat_completions", "anything", {"temperature": 0, "seed": 1, "cache_prompt": False}
    ),
    "responses": Way("openai", "responses", "gpt-5.4-nano", {"structured": "json_schema", "reasoning": "none"}),
    "claude-tool": Way("anthropic", "messages", "claude-haiku-4-5", {"structured": "forced_tool", "temperature": 0}),
    "claude-native": Way("anthropic", "messages", "claude-sonnet-4-6", {"structured": "native"}),
    "claude-plain": Way("anthropic", "messages", "claude-haiku-5-5", {"structured": "plain"}),
    "gemini": Way("google", "generate_content", "gemini-3.6-flash", {"structured": "json_schema"}),
}

#: Those that answer with probabilities, and no text.
SERVICES = ("jev", "openai-decisions", "google-decisions", "clef", "openrouter")


@dataclass(frozen=True)
class Seen:
    """What one request came to. ``outcome``: as the engine would put it, with the kind of a failure."""

    outcome: str
    reason: str
    usage: Usage | None = None
    model: str | None = None
    response: httpx.Response | None = None


def ask(client: httpx.Client, address: str, way: Way, asked: Request | None = None, key: str = "k-secret") -> Seen:
    """Send it and read it, as the engine does, without retries."""
    asked = asked or request()
    wire, call = WIRES[way.wire], way.call(asked)
    headers = {**call.headers, **wire.authorise(key, way.dialect)}
    try:
        r = client.post(f"{address}/{way.provider}{call.path}", content=call.body.encode(), headers=headers)
    except httpx.HTTPError as e:
        return Seen("failed: transport", type(e).__name__)
    read = wire.read(r.status_code, dict(r.headers), r.content, [s.id for s in asked.slots])
    if isinstance(read, Failure):
        outcome = "unsupported" if read.kind == "unsupported" else f"failed: {read.kind}"
        return Seen(outcome, read.detail, response=r)
    shown = [(f"o{i}", text_digest(text)) for i, text in enumerate(asked.options)]
    judged = judge_reply(read, shown, asked.slots)
    return Seen(judged.outcome, judged.reason or "", read.usage, read.model, r)
