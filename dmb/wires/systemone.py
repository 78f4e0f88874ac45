"""The System One format: ``POST /v1/systemone``, spoken by jev and by every compatible server.

There is no temperature, seed or output cap to send. An answer carries a probability per option text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.reply import RawAnswer, Reply
from dmb.contracts.request import Request
from dmb.wires.charge import charged_usd
from dmb.wires.exchange import Call, Wire
from dmb.wires.strict_json import count, read_object


def call(request: Request, model: str, settings: Mapping[str, Any], dialect: Mapping[str, Any]) -> Call:
    """One question a choice slot; the criteria's keys are the option texts in the order shown."""
    questions = {
        slot.id: {
            "type": "choice",
            "instructions": request.instructions,
            "criteria": dict.fromkeys(request.options),
        }
        for slot in request.slots
    }
    # insertion order is the order of the options, so these keys are not sorted
    body = json.dumps({"model": model, "state": request.state, "questions": questions}, ensure_ascii=False)
    return Call(path="/v1/systemone", body=body, headers={"content-type": "application/json"})


def read(status: int, headers: Mapping[str, str], body: bytes, slots: Sequence[str]) -> Reply | Failure:
    """Status 200 with a JSON object is a reply, everything else a failure with its kind."""
    data = read_object(body)
    if status != 200:
        return _failure(status, data)
    if data is None:
        return Reply(malformed="the reply is no JSON object")
    if not isinstance(data.get("answers"), dict) and any(_error(data)):
        # an error may stand in the place of the answers
        return _failure(status, data)
    model = data.get("model")
    # what was spent is known, whatever the answers are worth
    reply = Reply(usage=_usage(data.get("usage"), body), model=model if isinstance(model, str) else None)
    read_answers = _answers(data.get("answers"))
    if isinstance(read_answers, Failure):
        return read_answers
    return reply._replace(**{"malformed" if isinstance(read_answers, str) else "answers": read_answers})


def _answers(written: Any) -> dict[str, RawAnswer] | Failure | str:
    """By slot id; a text says why there are none that could be used."""
    if not isinstance(written, dict):
        return "the reply has no answers"
    read_answers = {}
    for name, a in written.items():
        if not isinstance(a, dict):
            return f"{name}: the answer is no object"
        if a.get("type") == "unsupported":
            return Failure(kind="unsupported", detail=f"{name}: the server says unsupported")
        if a.get("type") != "choice" or not isinstance(a.get("choice"), str):
            return f"{name}: the answer is no choice"
        read_answers[name] = RawAnswer(
            label=a["choice"],
            confidence=a.get("confidence"),
            confidence_kind="native",
            probabilities=a.get("probabilities"),
        )
    return read_answers


def _usage(written: Any, body: bytes) -> Usage | None:
    """Two counts and no total; a gateway adds its charge. A server that always says 0/0 counts nothing: not reported,
    which is not zero."""
    if not isinstance(written, dict):
        return None
    read_in, read_out = count(written.get("input_tokens")), count(written.get("output_tokens"))
    charged = charged_usd(written, body)
    if read_in is None or read_out is None or read_in + read_out == 0:
        return None if charged is None else Usage(charged_usd=charged)
    return Usage(input_tokens=read_in, output_tokens=read_out, charged_usd=charged)


def _failure(status: int, data: Any) -> Failure:
    kind, text = _error(data)
    detail = f"HTTP {status}" + (f" {kind}" if kind else "") + (f": {text[:200]}" if text else "")
    # no key is 403 here and a wrong one 401, each with error_type authentication_error (seen in recordings, 2026-09)
    if status == 401 or kind == "authentication_error":
        return Failure(kind="authentication", detail=detail)
    if status == 402:
        return Failure(kind="budget", detail=detail)
    if status == 403:
        return Failure(kind="permission", detail=detail)
    if status == 429 or (status == 200 and kind == "rate_limit_error"):
        return Failure(kind="rate_limit", detail=detail)
    if status in (408, 504):
        return Failure(kind="timeout", detail=detail)
    if (
        status == 501
        or kind == "max_tokens_exceeded"
        or status == 413
        or (status in (400, 422) and _about_size(data, text))
    ):
        return Failure(kind="unsupported", detail=detail)
    if status >= 500 or (status == 200 and kind.startswith("overloaded")):
        return Failure(kind="overloaded", detail=detail)
    return Failure(kind="rejected", detail=detail)


def _error(data: Any) -> tuple[str, str]:
    """(kind, message) from the shapes that servers of this format use. Echoed input is never read."""
    if not isinstance(data, dict):
        return "", ""
    for holder in (data.get("detail"), data.get("error"), data):
        if isinstance(holder, str):
            return "", holder
        if isinstance(holder, list):
            first = holder[0] if holder and isinstance(holder[0], dict) else {}
            return str(first.get("type", "")), str(first.get("msg", ""))
        if isinstance(holder, dict) and (holder.get("error_type") or holder.get("message")):
            return str(holder.get("error_type") or holder.get("type") or ""), str(holder.get("message") or "")
    return "", ""


def _about_size(data: Any, text: str) -> bool:
    """An option cap or a size limit: the contender cannot take this question, and asking again will not help."""
    words = text.lower()
    detail = data.get("detail") if isinstance(data, dict) else None
    if isinstance(detail, list) and any(isinstance(d, dict) and d.get("type") == "too_long" for d in detail):
        return True
    return any(w in words for w in ("entries", "at most", "too many", "too long", "maximum"))


def authorise(key: str, dialect: Mapping[str, Any]) -> Mapping[str, str]:
    """Headers that carry the credential; they are never logged."""
    return {"authorization": f"Bearer {key}"}


WIRE = Wire(version=1, call=call, read=read, authorise=authorise)
