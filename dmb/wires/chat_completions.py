"""The Chat Completions format: ``POST /v1/chat/completions``, spoken by OpenAI, by its look-alikes and by local servers.

The answer is JSON that the model writes. Log-probabilities and reasoning texts stay in the log; no answer is read
from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dmb.contracts.attempt import Failure
from dmb.contracts.reply import Reply
from dmb.contracts.request import Request
from dmb.output_schema import SCHEMA_NAME, answer_schema
from dmb.price_tiers import tier_named
from dmb.prompting import language_model_prompt
from dmb.wires.charge import charged_usd
from dmb.wires.exchange import Call, Wire
from dmb.wires.openai_failure import failure_in_reply, read_failure
from dmb.wires.openai_usage import read_usage
from dmb.wires.strict_json import read_object
from dmb.wires.written_answer import NotAnAnswer, read_text

#: Settings that are sent under their own name, as they are.
_AS_IS = ("temperature", "seed", "do_sample", "cache_prompt", "service_tier")

#: Stop reasons that say why there is no whole answer. "sensitive", "network_error" and the full context window are
#: Z.ai's words, "insufficient_system_resource" is DeepSeek's.
_TRUNCATED = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_REFUSED = frozenset({"content_filter", "sensitive"})
_OVERLOADED = frozenset({"insufficient_system_resource", "network_error"})


def call(request: Request, model: str, settings: Mapping[str, Any], dialect: Mapping[str, Any]) -> Call:
    """A system and a user message; no key that the entry did not set.

    Raises ``ValueError`` for a way of structuring that there is not.
    """
    system, user = language_model_prompt(request)
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
    }
    body |= _structure(request, settings.get("structured", "plain"))
    body |= {name: settings[name] for name in _AS_IS if name in settings}
    if "reasoning" in settings:
        body[dialect.get("reasoning_field", "reasoning_effort")] = settings["reasoning"]
    if "thinking" in settings:
        body["thinking"] = {"type": settings["thinking"]}
    if "max_output_tokens" in settings:
        body[dialect.get("output_cap_field", "max_completion_tokens")] = settings["max_output_tokens"]
    if "logprobs" in settings:
        wanted = settings["logprobs"]
        body |= {"logprobs": wanted} if isinstance(wanted, bool) else {"logprobs": True, "top_logprobs": wanted}
    return Call(
        path=dialect.get("path", "/v1/chat/completions"),
        body=json.dumps(body, ensure_ascii=False),
        headers={"content-type": "application/json"},
    )


def _structure(request: Request, structured: str) -> dict[str, Any]:
    if structured == "json_schema":
        schema = answer_schema(request.slots, request.confidence_definition)
        wrapped = {"name": SCHEMA_NAME, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": wrapped}}
    if structured == "json_mode":
        return {"response_format": {"type": "json_object"}}
    if structured == "plain":
        return {}
    raise ValueError(f"structured is {structured!r}: use json_schema, json_mode or plain")


def read(status: int, headers: Mapping[str, str], body: bytes, slots: Sequence[str]) -> Reply | Failure:
    """Status 200 is not enough: the stop reason is looked at before the text, and an error may stand in its place."""
    if status != 200:
        return read_failure(status, body)
    data = read_object(body)
    if data is None:
        return Reply(malformed="the reply is no JSON object")
    if isinstance(error := data.get("error"), dict | str) and error:
        return failure_in_reply(error, "rejected")
    if "choices" not in data and isinstance(data.get("message"), str):
        # Cerebras writes its errors without the wrapper
        return failure_in_reply(data, "rejected")
    model, used = data.get("model"), data.get("usage")
    tier, charged = tier_named(data.get("service_tier")), charged_usd(used, body)
    said = {
        "usage": read_usage(used, "prompt", "completion", tier=tier, charged_usd=charged),
        "model": model if isinstance(model, str) else None,
    }
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return Reply(**said, malformed="the reply has no choices")
    finish = choice.get("finish_reason")
    if isinstance(finish, str) and finish in _OVERLOADED:
        return Failure(kind="overloaded", detail=f"HTTP 200: finish_reason {finish}")
    return Reply(**said, **_answer(finish, choice.get("message"), slots))


def _answer(finish: Any, message: Any, slots: Sequence[str]) -> dict[str, Any]:
    """The fields of the reply that say what was answered, or why nothing was."""
    if isinstance(finish, str) and finish in _TRUNCATED:
        return {"truncated": f"finish_reason {finish}"}
    if isinstance(finish, str) and finish in _REFUSED:
        return {"refused": f"finish_reason {finish}"}
    if not isinstance(message, dict):
        return {"malformed": "the reply has no message"}
    if isinstance(refusal := message.get("refusal"), str) and refusal.strip():
        return {"refused": f"refusal: {refusal[:200]}"}
    content = message.get("content")
    if content is None:
        return {"malformed": "the reply is empty"}
    if not isinstance(content, str):
        return {"malformed": f"the content is {type(content).__name__}, not a text"}
    try:
        return {"answers": read_text(content, slots)}
    except NotAnAnswer as e:
        return {"malformed": str(e)}


def authorise(key: str, dialect: Mapping[str, Any]) -> Mapping[str, str]:
    """Headers that carry the credential; they are never logged."""
    return {"authorization": f"Bearer {key}"}


WIRE = Wire(
    version=1,
    call=call,
    read=read,
    authorise=authorise,
    settings=frozenset({"structured", "reasoning", "thinking", "max_output_tokens", "logprobs", *_AS_IS}),
    dialect=frozenset({"path", "reasoning_field", "output_cap_field"}),
    structures=("json_schema", "json_mode", "plain"),
)
