"""Which provider and wire a path belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from dmb.simulate.speakers import LOCAL, SPEAKERS, VENDORS, Speaker


@dataclass(frozen=True, slots=True)
class Route:
    """``wire``: "models" for a list of models. ``shape``: of a decision service. ``model``: where the path names it."""

    provider: str
    speaker: Speaker
    wire: str
    shape: str = ""
    model: str | None = None


#: Pattern -> (wire, shape). The first group, if there is one, is the model.
_PATHS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern), wire, shape)
    for pattern, wire, shape in (
        (r"/api/v1/systemone|/api/alpha/decisions", "decisions", "openrouter"),
        (r"/v1/systemone", "systemone", "typesafe"),
        (r"/v1/decisions", "decisions", "openai"),
        (r"/v1beta/decisions", "decisions", "google"),
        (r"(?:/client/v4/accounts/[^/]+)?/ai/run/(@cf/.+)", "decisions", "cloudflare"),
        (r"(?:/v1|/api/paas/v4)?/chat/completions", "chat_completions", ""),
        (r"/v1/responses", "responses", ""),
        (r"/v1/messages", "messages", ""),
        (r"/v1(?:beta|alpha)?/models/([^/:]+):generateContent", "generate_content", ""),
        (r"/(?:v1|v1beta|api/v1|api/paas/v4)/models", "models", ""),
    )
)

_VENDOR_OF_SHAPE = {"openrouter": "openrouter", "google": "google", "cloudflare": "cloudflare"}


def find_route(path: str) -> Route | None:
    """``/<provider>/<path of the wire>``, or the wire's path alone, which belongs to the wire's own vendor."""
    path = unquote(path.partition("?")[0])
    if (found := _wire(path)) is not None:
        wire, shape, model = found
        provider = _VENDOR_OF_SHAPE.get(shape) or VENDORS.get(wire, "")
        return Route(provider, SPEAKERS.get(provider, LOCAL), wire, shape, model)
    head, slash, rest = path[1:].partition("/")
    found = _wire("/" + rest) if slash else None
    if found is None or not head:
        return None
    return Route(head, SPEAKERS.get(head, LOCAL), *found)


def speaker_of(path: str) -> Speaker:
    """Whose error a path without a route gets."""
    return SPEAKERS.get(path[1:].partition("/")[0], LOCAL)


def _wire(path: str) -> tuple[str, str, str | None] | None:
    for pattern, wire, shape in _PATHS:
        if (m := pattern.fullmatch(path)) is not None:
            return wire, shape, m[1] if m.re.groups else None
    return None
