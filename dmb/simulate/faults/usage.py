"""Faults of what is counted and charged."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from dmb.simulate.draft import Draft


def usage_missing(draft: Draft) -> None:
    """No usage in the reply. The work is billed all the same."""
    draft.edit.append(lambda told: _in_usage_home(told, lambda home, name: home.pop(name)))


def usage_null(draft: Draft) -> None:
    """The usage is null."""
    draft.edit.append(lambda told: _in_usage_home(told, lambda home, name: home.update({name: None})))


def usage_float(draft: Draft) -> None:
    """Token counts are floats."""
    draft.edit.append(
        lambda told: _in_usage_home(told, lambda home, name: home.update({name: _counts(home[name], float)}))
    )


def usage_zero(draft: Draft) -> None:
    """Every token count is 0."""
    draft.edit.append(
        lambda told: _in_usage_home(told, lambda home, name: home.update({name: _counts(home[name], _zero)}))
    )


def cached_tokens(draft: Draft, *, tokens: int = 16) -> None:
    """`tokens` of the prompt were read from a cache, and are billed so. jev, Cloudflare and OpenRouter do not say."""
    if _says_cache(draft):
        draft.tokens.cached = min(tokens, draft.tokens.input - 1)


def cache_write_tokens(draft: Draft, *, tokens: int = 16) -> None:
    """`tokens` of the prompt were written to a cache, and are billed so. Told by Anthropic and OpenAI."""
    if draft.asked.speaker.vendor in ("openai", "anthropic"):
        draft.tokens.cache_write = min(tokens, draft.tokens.input - 1)


def reasoning_tokens(draft: Draft, *, tokens: int = 64) -> None:
    """`tokens` of reasoning come on top of the answer, and are billed as output. Decision services have none."""
    if not draft.answers:
        draft.tokens.output += tokens - draft.tokens.reasoning
        draft.tokens.reasoning = tokens
        draft.reasoning = "simulated thoughts"


def charge_factor(draft: Draft, *, factor: Decimal = Decimal("1.1")) -> None:
    """The bill is `factor` times what the price table says. OpenRouter's reply tells the charge; others only bill it."""
    draft.charge_factor = factor


def _says_cache(draft: Draft) -> bool:
    return draft.asked.wire != "systemone" and draft.asked.shape not in ("cloudflare", "openrouter")


def _in_usage_home(told: dict[str, Any], change: Callable[[dict[str, Any], str], Any]) -> None:
    """Where this wire keeps its usage."""
    for home in (told, told.get("result")):
        for name in ("usage", "usageMetadata"):
            if isinstance(home, dict) and isinstance(home.get(name), dict):
                change(home, name)


def _counts(written: Any, change: Callable[[int], Any]) -> Any:
    """The same with every count changed."""
    if isinstance(written, dict):
        return {name: _counts(value, change) for name, value in written.items()}
    return change(written) if isinstance(written, int) and not isinstance(written, bool) else written


def _zero(n: int) -> int:
    return n * 0
