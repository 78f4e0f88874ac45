"""What each fault comes to on each way of asking: data, from the reference notes on every provider's formats.

A row gives the outcome for most ways and, by name or group, the others. A failure has its kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.simulate.asking import SERVICES, WAYS

MODELS = tuple(name for name in WAYS if name not in SERVICES)

#: Groups of ways that rows name.
GROUPS: dict[str, tuple[str, ...]] = {
    "services": SERVICES,
    "models": MODELS,
    "google": ("google-decisions", "gemini"),
    # jev and Clef have no way to decline
    "cannot decline": ("jev", "clef"),
    # those that say by name that content was not let through
    "by name": ("openai-decisions", "openrouter", "gpt", "responses", "glm"),
}


@dataclass(frozen=True)
class Row:
    """``most``: the outcome where nothing else is said. ``but``: group or way -> outcome. ``with_``: parameters."""

    most: str
    but: Mapping[str, str] = field(default_factory=dict)
    with_: Mapping[str, Any] = field(default_factory=dict)

    def outcome(self, way: str) -> str:
        """For that way."""
        return next((o for name, o in self.but.items() if way == name or way in GROUPS.get(name, ())), self.most)


_VALID = Row("valid")
_MALFORMED = Row("malformed")
_NO_SERVICE = Row("malformed", {"services": "valid"})
_TRANSPORT = Row("failed: transport")

ROWS: dict[str, Row] = {
    "delay": Row("valid", with_={"ms": 1}),
    "slow_drip": Row("valid", with_={"ms": 0}),
    "reset": _TRANSPORT,
    "close": _TRANSPORT,
    "reset_mid_body": _TRANSPORT,
    "close_mid_body": _TRANSPORT,
    "rate_limit": Row("failed: rate_limit"),
    "overloaded": Row("failed: overloaded"),
    "overload_in_200": Row("failed: overloaded"),
    "overload_in_500": Row("failed: overloaded"),
    "internal_error": Row("failed: overloaded"),
    # Z.ai's code for a network error says more than the status
    "gateway_timeout": Row("failed: timeout", {"glm": "failed: overloaded"}),
    "status": Row("failed: overloaded"),
    "bad_key": Row("failed: authentication"),
    "no_key": Row("failed: authentication", {"google": "failed: permission"}),
    "permission": Row("failed: permission"),
    "no_money": Row("failed: budget"),
    "unknown_model": Row("failed: rejected"),
    "context_too_long": Row("unsupported"),
    "options_over_cap": Row("valid", {"services": "unsupported"}, {"options": 3}),
    "content_policy": Row("failed: rejected", {"by name": "refused"}),
    "echo_key": Row("failed: authentication"),
    "refusal": Row("refused", {"cannot decline": "valid"}),
    "content_filter": Row("refused", {"cannot decline": "valid"}),
    "truncated": Row("truncated", {"services": "malformed"}),
    "truncated_silently": _MALFORMED,
    "eaten_by_reasoning": Row("truncated", {"services": "valid"}),
    "empty": _MALFORMED,
    "index_bool": _MALFORMED,
    "index_float": _MALFORMED,
    "index_string": _NO_SERVICE,
    "index_out_of_range": _MALFORMED,
    "index_negative": _MALFORMED,
    "unknown_choice": _MALFORMED,
    "confidence_85": _MALFORMED,
    "confidence_negative": _MALFORMED,
    "confidence_string": _MALFORMED,
    "confidence_missing": _NO_SERVICE,
    "nan": _MALFORMED,
    "duplicate_keys": _MALFORMED,
    "probabilities_off": Row("valid", {"services": "malformed"}),
    # System One has one answer a question and none extra; OpenAI's list has an answer too many
    "extra_answer": Row("valid", {"jev": "malformed", "openai-decisions": "malformed"}),
    "missing_answer": _MALFORMED,
    # what a forced tool is given is an object of its own, whatever stands beside it
    "prose_around": Row("malformed", {"services": "valid", "claude-tool": "valid"}),
    "fenced": Row("malformed", {"services": "valid", "claude-tool": "valid"}),
    "line_separators": _VALID,
    "usage_missing": _VALID,
    "usage_null": _VALID,
    "usage_float": _VALID,
    "usage_zero": _VALID,
    "cached_tokens": _VALID,
    "cache_write_tokens": _VALID,
    "reasoning_tokens": _VALID,
    "charge_factor": _VALID,
    "wrong_model": _VALID,
    "html_502": Row("failed: overloaded"),
    "html_200": _MALFORMED,
    "redirect": Row("failed: rejected"),
    "wrong_content_type": _VALID,
    "non_utf8": _MALFORMED,
    "cut_json": _MALFORMED,
    "empty_body": _MALFORMED,
    "huge_body": Row("valid", with_={"mb": 0.25}),
    "gzip": _VALID,
}
