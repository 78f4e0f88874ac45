"""The reply in the making -> what is sent."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from dmb.simulate.asked import Refused
from dmb.simulate.draft import Delivery, Draft
from dmb.simulate.errors import say
from dmb.simulate.speakers import Speaker
from dmb.simulate.speech import SPEECH

JSON = "application/json"


@dataclass(slots=True)
class Response:
    """Status, headers and body, and how they leave. ``worked``: whether a model answered; ``provider``: who was asked."""

    status: int
    content_type: str
    body: bytes
    headers: list[tuple[str, str]] = field(default_factory=list)
    delivery: Delivery = field(default_factory=Delivery)
    worked: bool = False
    provider: str | None = None


def render(draft: Draft) -> Response:
    """A success, with the scenario's edits; or the error that takes its place."""
    headers = [(draft.asked.speaker.request_id, draft.asked.draw.word("request id")), *draft.headers]
    if draft.raw is not None:
        status, content_type, body = draft.raw
        return Response(status, content_type, body, headers, draft.delivery, draft.worked)
    if draft.error is not None:
        status, told = say(draft.asked.speaker.vendor, draft.error)
        status = draft.force_status or status
    else:
        status, told = 200, SPEECH[draft.asked.wire].reply(draft)
        _tell_charge(draft, told)
    for edit in draft.edit:
        edit(told)
    # NaN is written as it is: some servers do
    body = json.dumps(told, ensure_ascii=False).encode("utf-8")
    for change in draft.bytes:
        body = change(body)
    return Response(status, draft.content_type, body, headers, draft.delivery, draft.worked)


def refusal(speaker: Speaker, error: Refused, request_id: str) -> Response:
    """The provider's own error."""
    status, told = say(speaker.vendor, error)
    body = json.dumps(told, ensure_ascii=False).encode("utf-8")
    return Response(status, JSON, body, [(speaker.request_id, request_id)])


def _tell_charge(draft: Draft, told: dict[str, Any]) -> None:
    """Where this provider tells it; the shortest number that reads back as the charge to 17 digits."""
    place = draft.asked.speaker.charge
    if place and draft.charge_usd is not None:
        home = told["usage"]
        for name in place[:-1]:
            home = home.setdefault(name, {})
        home[place[-1]] = float(draft.charge_usd)
