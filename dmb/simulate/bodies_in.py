"""The body of a request: JSON or a refusal, and the digest that names it."""

from __future__ import annotations

import json
from typing import Any

from dmb.canonical import digest
from dmb.simulate.asked import Refused
from dmb.simulate.http1 import HttpRequest
from dmb.simulate.speakers import MAX_BODY
from dmb.simulate.speech.systemone import ordered


def json_object(http: HttpRequest) -> dict[str, Any]:
    """Raises ``Refused`` for one that is too large, another media type, an encoding, or what is no JSON object."""
    if len(http.body) > MAX_BODY:
        raise Refused("too_large", f"the body has {len(http.body)} bytes, and {MAX_BODY} is the limit")
    kind = http.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused("media_type", f"the content type is {kind[:60] or 'missing'}, not application/json")
    if http.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused("media_type", "encoded bodies are not simulated")
    try:
        value = json.loads(http.body.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise Refused("bad_request", "the body is no JSON", "", "json_invalid") from None
    if not isinstance(value, dict):
        raise Refused("bad_request", "the body must be an object", "", "wrong_type")
    return value


def request_digest(body: dict[str, Any], model: str) -> str:
    """Of the body's canonical JSON, with the model where the path alone names it.

    Canonical JSON sorts keys. Where the keys are options their order is part of the question, so it is kept.
    """
    questions = body.get("questions")
    told = {**body, "model": model}
    if isinstance(questions, dict):
        told["questions"] = {
            name: {**q, "criteria": ordered(q.get("criteria"))} if isinstance(q, dict) else q
            for name, q in questions.items()
        }
    try:
        return digest(told)
    except UnicodeEncodeError:
        raise Refused("bad_request", "half of a surrogate pair is no text", "", "json_invalid") from None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
