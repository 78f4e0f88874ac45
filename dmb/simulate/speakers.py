"""Who a simulated provider is: facts of each vendor that are no part of its wire, as of 2026-11-30.

Sources are the reference notes of this project (official SDKs, recordings, vendors' pages); what nobody verified is
said so. A provider that is not here is taken for a server of your own: no key, no unknown field, no unknown model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

#: A body above this is refused. Anthropic and jev name this limit; taken for everybody.
MAX_BODY = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Speaker:
    """``vendor``: whose error bodies and habits; ``key_in``: headers that may hold the credential, none where none is needed.

    ``context_tokens``: of one request. ``extra``: body fields beyond the wire's own. ``strict``: unknown fields are
    refused. ``json_schema``: whether a schema may be demanded. ``json_word``: JSON mode wants the word in the prompt.
    ``thinks``: whether a model reasons unless it is told not to. ``request_id``: the header that names a reply.
    ``decimals``: of its probabilities. ``dated``: the name under which a model serves. ``charge``: where below the usage
    a reply tells what was charged.
    """

    vendor: str
    key_in: tuple[str, ...]
    context_tokens: int
    request_id: str = "x-request-id"
    extra: frozenset[str] = frozenset()
    strict: bool = True
    json_schema: bool = True
    json_word: bool = False
    thinks: bool = False
    decimals: int = 6
    dated: Mapping[str, str] = field(default_factory=dict)
    charge: tuple[str, ...] = ()


_BEARER = ("authorization",)
_LOOK_ALIKE = frozenset({"thinking", "do_sample", "reasoning", "reasoning_format", "request_id", "user_id"})

SPEAKERS: dict[str, Speaker] = {
    "typesafe": Speaker("typesafe", _BEARER, 65_536, "x-typesafe-request-id", strict=False, decimals=2),
    "openrouter": Speaker("openrouter", _BEARER, 65_536, strict=False, decimals=2, charge=("cost",)),
    "openai": Speaker(
        "openai",
        _BEARER,
        400_000,
        json_word=True,
        dated={"gpt-5.4-nano": "gpt-5.4-nano-2026-03-17", "gpt-5.4-mini": "gpt-5.4-mini-2026-03-17"},
    ),
    "anthropic": Speaker(
        "anthropic",
        ("x-api-key", "authorization"),
        200_000,
        "request-id",
        dated={"claude-haiku-4-5": "claude-haiku-4-5-20251001"},
    ),
    "google": Speaker("google", ("x-goog-api-key",), 1_048_576, "x-goog-request-id"),
    "cloudflare": Speaker("cloudflare", _BEARER, 65_536, "cf-ray", decimals=4),
    # JSON schemas: two third parties say no, one yes; taken here
    "zai": Speaker("zai", _BEARER, 200_000, extra=_LOOK_ALIKE, thinks=True),
    "deepseek": Speaker(
        "deepseek", _BEARER, 131_072, extra=_LOOK_ALIKE, json_schema=False, json_word=True, thinks=True
    ),
    "cerebras": Speaker("cerebras", _BEARER, 131_072, extra=_LOOK_ALIKE, thinks=True),
    "xiaomi": Speaker(
        "xiaomi", ("api-key", "authorization"), 262_144, extra=_LOOK_ALIKE, json_schema=False, thinks=True
    ),
    # error bodies were not read; OpenAI's are assumed
    "meta": Speaker("openai", _BEARER, 262_144, extra=_LOOK_ALIKE, thinks=True),
}

_LIST_COST = ("opencode", "list_cost")

# One account under several entries: each speaks like the one that it stands for. A gateway is assumed to answer in the
# shapes of the format that it is asked in.
SPEAKERS |= {
    "openai-decisions": SPEAKERS["openai"],
    "google-decisions": SPEAKERS["google"],
    "opencode": Speaker("openai", _BEARER, 200_000, extra=_LOOK_ALIKE, charge=_LIST_COST),
    "opencode-responses": Speaker("openai", _BEARER, 200_000),
    "opencode-messages": replace(SPEAKERS["anthropic"], charge=_LIST_COST),
    "opencode-gemini": SPEAKERS["google"],
}

#: A server of one's own.
LOCAL = Speaker("local", (), 131_072, strict=False)

#: Who a path belongs to when no provider stands in front of it.
VENDORS: dict[str, str] = {
    "systemone": "typesafe",
    "decisions": "openai",
    "chat_completions": "openai",
    "responses": "openai",
    "messages": "anthropic",
    "generate_content": "google",
}
