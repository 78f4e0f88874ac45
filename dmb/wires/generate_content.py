"""The Gemini format: ``POST /v1beta/models/MODEL:generateContent``.

The answer is JSON text, under a schema, in JSON mode, or as asked for in the prompt. The key goes in a header: in the
query it would be in every log of addresses.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.reply import Reply
from dmb.contracts.request import Request
from dmb.output_schema import answer_schema
from dmb.price_tiers import tier_named
from dmb.prompting import language_model_prompt
from dmb.wires.error_body import StatusKind, error_data, error_detail, error_words, kind_of_status
from dmb.wires.exchange import Call, Wire
from dmb.wires.strict_json import count
from dmb.wires.written_answer import NotAnAnswer, read_text

_REFUSED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"})


def call(request: Request, model: str, settings: Mapping[str, Any], dialect: Mapping[str, Any]) -> Call:
    """``structured``: "json_schema", "json_mode" or "plain" (the default). Raises ``ValueError`` for other words.

    A thinking budget is for models up to 2.5, a level for later ones; both at once are refused here.
    """
    system, user = language_model_prompt(request)
    config: dict[str, Any] = {}
    if "temperature" in settings:
        config["temperature"] = settings["temperature"]
    if "max_output_tokens" in settings:
        config["maxOutputTokens"] = settings["max_output_tokens"]
    structured = settings.get("structured", "plain")
    if structured not in ("json_schema", "json_mode", "plain"):
        raise ValueError(f"structured is {structured!r}: give json_schema, json_mode or plain")
    if structured != "plain":
        config["responseMimeType"] = "application/json"
    if structured == "json_schema":
        config["responseJsonSchema"] = answer_schema(request.slots, request.confidence_definition)
    if "thinking_budget" in settings and "thinking_level" in settings:
        raise ValueError("thinking_budget and thinking_level stand together: give one of the two")
    if "thinking_budget" in settings:
        config["thinkingConfig"] = {"thinkingBudget": settings["thinking_budget"]}
    if "thinking_level" in settings:
        config["thinkingConfig"] = {"thinkingLevel": settings["thinking_level"]}
    body: dict[str, Any] = {
        "systemInstruction": {"parts": [{"text": system}]},
        "contents": [{"role": "user", "parts": [{"text": user}]}],
    }
    if config:
        body["generationConfig"] = config
    if "service_tier" in settings:
        body["serviceTier"] = settings["service_tier"]
    path = f"/{dialect.get('api_version', 'v1beta')}/models/{quote(model)}:generateContent"
    # the order of a schema's properties is the order of the answer, so keys are not sorted
    return Call(path=path, body=json.dumps(body, ensure_ascii=False), headers={"content-type": "application/json"})


def read(status: int, headers: Mapping[str, str], body: bytes, slots: Sequence[str]) -> Reply | Failure:
    """Status 200 is a reply, unless it holds an error or ended for a reason that is nobody's answer."""
    data = _object(body)
    if status != 200 or (data is not None and "error" in data and "candidates" not in data):
        return _failure(status, data)
    if data is None:
        return Reply(malformed="the reply is no JSON object")
    read_out = _reply(data, slots)
    if isinstance(read_out, Failure):
        return read_out
    model = data.get("modelVersion")
    usage = _usage(data.get("usageMetadata"))
    return read_out._replace(usage=usage, model=model if isinstance(model, str) else None)


def _object(body: bytes) -> dict[str, Any] | None:
    """The object of a body; an error may stand in a list of one."""
    value = error_data(body)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and "error" in value[0]:
        value = value[0]
    return value if isinstance(value, dict) else None


def _reply(data: dict[str, Any], slots: Sequence[str]) -> Reply | Failure:
    """The finish reason first: a cut-off or blocked reply is never read for an answer."""
    candidates = data.get("candidates")
    if not candidates:
        feedback = data.get("promptFeedback")
        reason = feedback.get("blockReason") if isinstance(feedback, dict) else None
        if isinstance(reason, str):
            return Reply(refused=f"blockReason {reason[:100]}")
        return Reply(malformed="the reply has no candidates")
    candidate = candidates[0] if isinstance(candidates, list) else None
    if not isinstance(candidate, dict):
        return Reply(malformed="the candidate is no object")
    finish = candidate.get("finishReason")
    if not isinstance(finish, str):
        return Reply(malformed="the candidate has no finishReason")
    if finish == "MAX_TOKENS":
        return Reply(truncated=finish)
    if finish in _REFUSED:
        return Reply(refused=f"finishReason {finish}")
    if finish == "MALFORMED_RESPONSE":
        return Reply(malformed=f"finishReason {finish}")
    if finish != "STOP":
        return Failure(kind="rejected", detail=f"HTTP 200: finishReason {finish[:100]}")
    try:
        return Reply(answers=read_text(_text(candidate), slots))
    except NotAnAnswer as e:
        return Reply(malformed=str(e))


def _text(candidate: dict[str, Any]) -> str:
    """The parts joined, thoughts left out; without content or parts it is empty."""
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    texts = [p.get("text") for p in _objects(parts) if p.get("thought") is not True]
    return "".join(t for t in texts if isinstance(t, str))


def _usage(written: Any) -> Usage | None:
    """The prompt's count includes what was cached; thoughts are billed as output and stand apart from the candidates'.

    Zero counts are omitted: one that is absent beside a reported prompt is 0. Where neither candidates nor thoughts are
    counted, only a total that equals the prompt says that nothing was written.
    """
    if not isinstance(written, dict):
        return None
    prompt = count(written.get("promptTokenCount"))
    if not prompt:
        # a prompt is never without tokens
        return None

    def counted(name: str) -> int | None:
        return 0 if written.get(name) is None else count(written[name])

    candidates, thoughts = counted("candidatesTokenCount"), counted("thoughtsTokenCount")
    out = None if candidates is None or thoughts is None else candidates + thoughts
    nothing_counted = written.get("candidatesTokenCount") is None and written.get("thoughtsTokenCount") is None
    if nothing_counted and count(written.get("totalTokenCount")) != prompt:
        out = thoughts = None
    return Usage(
        input_tokens=prompt,
        cached_tokens=counted("cachedContentTokenCount"),
        output_tokens=out,
        reasoning_tokens=thoughts,
        total_tokens=count(written.get("totalTokenCount")),
        # the header that says it too is not logged
        tier=tier_named(written.get("serviceTier")),
    )


def _failure(status: int, data: Any) -> Failure:
    name, code, text = error_words(data)
    error = data.get("error") if isinstance(data, dict) else None
    details = _objects(error.get("details")) if isinstance(error, dict) else []
    reason = next((d["reason"] for d in details if isinstance(d.get("reason"), str)), "")
    # an error inside a 200 is classified by its own code
    meant = int(code) if status == 200 and len(code) == 3 and code.isdecimal() else status
    return Failure(
        kind=_kind(meant, name, reason, text.lower(), details),
        detail=error_detail(status, name, reason, text),
        retry_after_s=next((s for d in details if (s := _seconds(d.get("retryDelay"))) is not None), None),
    )


def _kind(status: int, name: str, reason: str, text: str, details: Sequence[dict[str, Any]]) -> StatusKind:
    if reason == "API_KEY_INVALID":
        return "authentication"
    if status == 429 and _is_used_up_for_the_day(details):
        return "budget"
    if status == 400 and "token count" in text:
        return "unsupported"
    if status == 400 and name == "FAILED_PRECONDITION":
        # the region is not served, or the account has no billing: true of every question, so the provider is stopped
        return "budget" if "billing" in text else "permission"
    return kind_of_status(status)


def _is_used_up_for_the_day(details: Sequence[dict[str, Any]]) -> bool:
    violations = [v for d in details for v in _objects(d.get("violations"))]
    names = [v.get(n) for v in violations for n in ("quotaId", "quotaMetric")]
    return any("perday" in n.lower().replace("_", "") for n in names if isinstance(n, str))


def _seconds(written: Any) -> float | None:
    """``"17s"`` or ``"0.5s"`` as seconds; None for anything else."""
    if not isinstance(written, str) or not re.fullmatch(r"[0-9]+(\.[0-9]+)?s", written):
        return None
    seconds = float(written[:-1])
    return seconds if math.isfinite(seconds) else None


def _objects(written: Any) -> list[dict[str, Any]]:
    return [v for v in written if isinstance(v, dict)] if isinstance(written, list) else []


def authorise(key: str, dialect: Mapping[str, Any]) -> Mapping[str, str]:
    """Headers that carry the credential; they are never logged."""
    return {"x-goog-api-key": key}


WIRE = Wire(
    version=1,
    call=call,
    read=read,
    authorise=authorise,
    settings=frozenset(
        {"structured", "temperature", "max_output_tokens", "thinking_budget", "thinking_level", "service_tier"}
    ),
    dialect=frozenset({"api_version"}),
    structures=("json_schema", "json_mode", "plain"),
)
