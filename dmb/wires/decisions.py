"""Decision services that speak neither System One itself nor prose: one wire, four shapes.

``dialect["shape"]`` names the shape that is sent: "openai" (the default), "google", "cloudflare" or "openrouter". What
comes back is told apart by itself, so that it can be read from logged bytes alone. Every shape carries a probability
per option text, and there is no temperature, seed or output cap to send.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.reply import RawAnswer, Reply
from dmb.contracts.request import Request
from dmb.wires.charge import charged_usd
from dmb.wires.error_body import StatusKind, error_data, error_detail, error_words, kind_of_status
from dmb.wires.exchange import Call, Wire
from dmb.wires.openai_usage import read_usage
from dmb.wires.strict_json import count

#: Every hosted service takes so many options of one choice, and no more.
MAX_OPTIONS = 255

#: Names of errors that say more than their status, as the four services spell them.
_KIND_OF_NAME: dict[str, StatusKind] = {
    "invalid_api_key": "authentication",
    "authentication_error": "authentication",
    "API_KEY_INVALID": "authentication",
    "insufficient_quota": "budget",
    "credit_balance_exhausted": "budget",
    "payment_required": "budget",
    "context_length_exceeded": "unsupported",
    "max_tokens_exceeded": "unsupported",
    # what the status says, too, unless it is 200
    "rate_limit_exceeded": "rate_limit",
    "server_is_overloaded": "overloaded",
    "provider_overloaded": "overloaded",
}

#: Codes of Cloudflare's envelope. Unverified but for the first; what is not here goes by its status.
_KIND_OF_CLOUDFLARE_CODE: dict[str, StatusKind] = {"10000": "authentication", "3036": "budget", "3040": "overloaded"}

_REFUSED_NAMES = frozenset({"refusal", "content_policy", "content_policy_violation"})


def call(request: Request, model: str, settings: Mapping[str, Any], dialect: Mapping[str, Any]) -> Call:
    """One question a choice slot, the options in the order shown. Too many options: a call that is not to be sent.

    Raises ``ValueError`` for a shape that is none.
    """
    shape = dialect.get("shape", "openai")
    if shape not in _SHAPES:
        raise ValueError(f"shape is {shape!r}: give one of {', '.join(_SHAPES)}")
    path, body = _SHAPES[shape](request, model)
    n, most = len(request.options), settings.get("max_options", MAX_OPTIONS)
    return Call(
        path=dialect.get("path", path),
        # insertion order is the order of the options, so keys are not sorted
        body=json.dumps(body, ensure_ascii=False),
        headers={"content-type": "application/json"},
        unsupported=f"{n} options, and at most {most} are taken" if n > most else None,
    )


def _openai(request: Request, model: str) -> tuple[str, dict[str, Any]]:
    questions = [
        {
            "type": "choice",
            "name": slot.id,
            "instructions": request.instructions,
            "choices": [{"value": text} for text in request.options],
        }
        for slot in request.slots
    ]
    return "/v1/decisions", {"model": model, "input": request.state, "questions": questions}


def _google(request: Request, model: str) -> tuple[str, dict[str, Any]]:
    # an empty description says that there is none
    return "/v1beta/decisions", {"model": model, "input": request.state, "questions": _criteria(request, "")}


def _openrouter(request: Request, model: str) -> tuple[str, dict[str, Any]]:
    body = {"model": model, "state": request.state, "questions": _criteria(request, None)}
    return "/api/v1/systemone", body


def _cloudflare(request: Request, model: str) -> tuple[str, dict[str, Any]]:
    """The path names the model in full, the body its last word; the account stands in the provider's address."""
    name = model.rpartition("/")[2]
    full = model if model.startswith("@cf/") else f"@cf/cloudflare/{name}"
    body = {"model": name, "state": request.state, "questions": _criteria(request, None)}
    return f"/ai/run/{quote(full, safe='/@')}", body


_SHAPES: dict[str, Callable[[Request, str], tuple[str, dict[str, Any]]]] = {
    "openai": _openai,
    "google": _google,
    "cloudflare": _cloudflare,
    "openrouter": _openrouter,
}


def _criteria(request: Request, description: str | None) -> dict[str, Any]:
    return {
        slot.id: {
            "type": "choice",
            "instructions": request.instructions,
            "criteria": dict.fromkeys(request.options, description),
        }
        for slot in request.slots
    }


def read(status: int, headers: Mapping[str, str], body: bytes, slots: Sequence[str]) -> Reply | Failure:
    """Status 200 with answers is a reply; a 200 can also hold an error, a blocked prompt or a refusal per question."""
    data = error_data(body)
    charged = charged_usd(data.get("usage"), body) if isinstance(data, dict) else None
    if isinstance(data, dict) and isinstance(data.get("success"), bool):
        if status != 200 or not data["success"]:
            return _cloudflare_failure(status, data)
        data = data.get("result")
    if status != 200 or _is_error(data):
        return _failure(status, data)
    if not isinstance(data, dict):
        return Reply(malformed="the reply is no JSON object")
    answered = _answers(data, slots)
    if isinstance(answered, Failure):
        return answered
    model = data.get("model")
    return answered._replace(usage=_usage(data.get("usage"), charged), model=model if isinstance(model, str) else None)


def _is_error(data: Any) -> bool:
    if isinstance(data, list):
        return len(data) == 1 and _is_error(data[0])
    return isinstance(data, dict) and bool(data.get("error")) and "answers" not in data


def _answers(data: dict[str, Any], slots: Sequence[str]) -> Reply | Failure:
    feedback = data.get("prompt_feedback")
    reason = feedback.get("block_reason") if isinstance(feedback, dict) else None
    if isinstance(reason, str) and reason:
        return Reply(refused=f"block_reason {reason[:100]}")
    answers = data.get("answers")
    if isinstance(answers, list):
        # in the order of the questions; a name is optional, and where it is given it must be the one that was sent
        if len(answers) != len(slots):
            return Reply(malformed=f"the reply has {len(answers)} answers to {len(slots)} questions")
        for slot, a in zip(slots, answers, strict=True):
            if isinstance(a, dict) and a.get("name") not in (None, slot):
                return Reply(malformed=f"{slot}: the answer has another name")
        answers = dict(zip(slots, answers, strict=True))
    if not isinstance(answers, dict):
        return Reply(malformed="the reply has no answers")
    read_answers = {}
    for slot in slots:
        read_one = _answer(slot, answers.get(slot))
        if not isinstance(read_one, RawAnswer):
            return read_one
        read_answers[slot] = read_one
    return Reply(answers=read_answers)


def _answer(slot: str, a: Any) -> RawAnswer | Reply | Failure:
    if a is None:
        return Reply(malformed=f"{slot}: no answer")
    if not isinstance(a, dict):
        return Reply(malformed=f"{slot}: the answer is no object")
    if a.get("type") == "refusal":
        return Reply(refused=f"{slot}: refusal")
    if a.get("type") == "unsupported":
        return Failure(kind="unsupported", detail=f"{slot}: the server says unsupported")
    if a.get("type") != "choice" or not isinstance(a.get("choice"), str):
        return Reply(malformed=f"{slot}: the answer is no choice")
    probabilities = a.get("probabilities")
    if isinstance(probabilities, list):
        pairs = [(p.get("value"), p.get("probability")) for p in probabilities if isinstance(p, dict)]
        by_text = {value: p for value, p in pairs if isinstance(value, str)}
        if len(by_text) != len(probabilities):
            return Reply(malformed=f"{slot}: probabilities are no pairs of distinct texts and numbers")
        probabilities = by_text
    return RawAnswer(
        label=a["choice"], confidence=a.get("confidence"), confidence_kind="native", probabilities=probabilities
    )


def _usage(written: Any, charged: Decimal | None) -> Usage | None:
    """OpenAI's names, which all but Google use. Input includes cached tokens; OpenRouter adds its charge."""
    if not isinstance(written, dict) or "total_input_tokens" not in written:
        return read_usage(written, "input", "output", charged_usd=charged)
    read_in, read_out, total = (
        count(written.get(f"total_{name}")) for name in ("input_tokens", "output_tokens", "tokens")
    )
    if written.get("total_output_tokens") is None and total == read_in:
        # zero counts are omitted
        read_out = 0
    if not read_in:
        return None
    thoughts = count(written.get("total_thought_tokens"))
    return Usage(
        input_tokens=read_in,
        cached_tokens=count(written.get("total_cached_tokens")),
        # thoughts stand beside the output, as in generateContent; the total tells where that is not so
        output_tokens=read_out if read_out is None else read_out + (thoughts or 0),
        reasoning_tokens=thoughts,
        total_tokens=total,
    )


def _failure(status: int, data: Any) -> Reply | Failure:
    kind, code, text = error_words(data)
    name = _name_in_details(data) or (code if code and not code.isdecimal() else kind)
    if name in _REFUSED_NAMES:
        return Reply(refused=f"{name}: {text[:200]}" if text else name)
    # an error inside a 200 is classified by its own code, where that is a status
    meant = int(code) if status == 200 and len(code) == 3 and code.isdecimal() else status
    if name == "FAILED_PRECONDITION":
        # Google: the region is not served, or the account has no billing; true of every question
        return Failure(
            kind="budget" if "billing" in text.lower() else "permission", detail=error_detail(status, kind, name, text)
        )
    kind_found = _KIND_OF_NAME.get(name) or (
        "unsupported" if meant in (400, 422) and _about_size(text) else _of_status(meant)
    )
    return Failure(kind=kind_found, detail=error_detail(status, kind, name, text))


def _cloudflare_failure(status: int, data: dict[str, Any]) -> Failure:
    """By the code of the envelope where the status says little, and by the status otherwise."""
    _, code, text = error_words(data.get("errors"))
    by_code = _KIND_OF_CLOUDFLARE_CODE.get(code)
    too_large = status in (200, 400, 422) and _about_size(text)
    kind = by_code if by_code and status in (200, 400, 403, 429) else "unsupported" if too_large else _of_status(status)
    return Failure(kind=kind, detail=error_detail(status, "", code, text))


def _name_in_details(data: Any) -> str:
    """OpenRouter's ``metadata.error_type`` or the ``reason`` in Google's ``details``; "" without either."""
    error = data[0] if isinstance(data, list) and data else data
    error = error.get("error") if isinstance(error, dict) else None
    if not isinstance(error, dict):
        return ""
    details = error.get("details")
    for holder, name in ((error.get("metadata"), "error_type"), *((d, "reason") for d in _listed(details))):
        found = holder.get(name) if isinstance(holder, dict) else None
        if isinstance(found, str) and found:
            return found
    return ""


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _of_status(status: int) -> StatusKind:
    # Cloudflare's proxy gives 524 when the server behind it was too slow
    return "timeout" if status == 524 else kind_of_status(status)


def _about_size(text: str) -> bool:
    """An option cap or a size limit: the contender cannot take this question, and asking again will not help."""
    words = text.lower()
    return any(w in words for w in ("at most", "too many", "too long", "token count", "maximum"))


def authorise(key: str, dialect: Mapping[str, Any]) -> Mapping[str, str]:
    """Headers that carry the credential; they are never logged."""
    if dialect.get("shape") == "google":
        return {"x-goog-api-key": key}
    return {"authorization": f"Bearer {key}"}


WIRE = Wire(
    version=1,
    call=call,
    read=read,
    authorise=authorise,
    settings=frozenset({"max_options"}),
    dialect=frozenset({"shape", "path"}),
)
