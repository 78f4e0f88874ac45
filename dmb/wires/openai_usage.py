"""Token counts as OpenAI and its look-alikes report them: cached inside the input, reasoning inside the output."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

from dmb.contracts.attempt import Usage
from dmb.wires.strict_json import count


def read_usage(
    written: Any,
    into: Literal["prompt", "input"],
    out: Literal["completion", "output"],
    *,
    tier: str | None = None,
    charged_usd: Decimal | None = None,
) -> Usage | None:
    """``into`` and ``out``: what the format calls the two sides. A server that always says 0/0 counts nothing.

    ``tier`` and ``charged_usd`` are what the reply says beside its counts; a charge is kept without any, too.
    """
    if not isinstance(written, dict):
        return None
    sent, got = _details(written, into), _details(written, out)
    cached = count(sent.get("cached_tokens"))
    usage = Usage(
        input_tokens=count(written.get(f"{into}_tokens")),
        # DeepSeek counts both parts of the prompt
        fresh_tokens=count(written.get("prompt_cache_miss_tokens")),
        cached_tokens=count(written.get("prompt_cache_hit_tokens")) if cached is None else cached,
        cache_write_tokens=count(sent.get("cache_write_tokens")),
        output_tokens=count(written.get(f"{out}_tokens")),
        reasoning_tokens=count(got.get("reasoning_tokens")),
        total_tokens=count(written.get("total_tokens")),
        tier=tier,
        charged_usd=charged_usd,
    )
    if usage.input_tokens or usage.output_tokens:
        return usage
    # a prompt is never without tokens
    return None if charged_usd is None else Usage(tier=tier, charged_usd=charged_usd)


def _details(written: dict[str, Any], side: str) -> dict[str, Any]:
    value = written.get(f"{side}_tokens_details")
    return value if isinstance(value, dict) else {}
