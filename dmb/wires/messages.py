"""The Anthropic Messages format: ``POST /v1/messages``.

The answer is a forced tool's input, an object already, or JSON text under an output schema, or JSON text as asked for
in the prompt. Versions from 2026-10-21 know no temperature, so the version is sent by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dmb.contracts.attempt import Failure, Usage
from dmb.contracts.reply import RawAnswer, Reply
from dmb.contracts.request import Request
from dmb.output_schema import answer_schema
from dmb.price_tiers import tier_named
from dmb.prompting import language_model_prompt
from dmb.wires.charge import charged_usd
from dmb.wires.error_body import StatusKind as FailureKind
from dmb.wires.error_body import error_detail, error_words, kind_of_status
from dmb.wires.exchange import Call, Wire
from dmb.wires.strict_json import count, read_object
from dmb.wires.written_answer import NotAnAnswer, read_text, read_value

#: The last version under which a temperature may be sent.
VERSION = "2023-06-01"

#: Every call must name a cap, and thinking counts against it.
MAX_OUTPUT_TOKENS = 1024

TOOL = "decide"

_TRUNCATED = frozenset({"max_tokens", "model_context_window_exceeded"})
_ANSWERED = frozenset({"end_turn", "tool_use", "stop_sequence"})

#: Codes that come with status 429 or 400, and that no waiting mends.
_OUT_OF_MONEY = frozenset(
    {
        "enforced_spend_limit_reached",
        "contract_spend_limit_reached",
        "linked_organization_spend_limit_reached",
        "organization_on_hold",
    }
)

#: Types that say what their status says, and more surely where something in between changed the status. Those that are
#: given to all sorts of faults (invalid_request_error, api_error) are not here: the status goes first.
_KIND_OF_TYPE: dict[str, FailureKind] = {
    "authentication_error": "authentication",
    "billing_error": "budget",
    "permission_error": "permission",
    "rate_limit_error": "rate_limit",
    "timeout_error": "timeout",
    "request_too_large": "unsupported",
    "overloaded_error": "overloaded",
}


def call(request: Request, model: str, settings: Mapping[str, Any], dialect: Mapping[str, Any]) -> Call:
    """``structured``: "forced_tool", "native" or "plain" (the default). Raises ``ValueError`` for other words."""
    system, user = language_model_prompt(request)
    body: dict[str, Any] = {"model": model, "max_tokens": settings.get("max_output_tokens", MAX_OUTPUT_TOKENS)}
    body |= {name: settings[name] for name in ("temperature", "service_tier") if name in settings}
    body |= {"system": system, "messages": [{"role": "user", "content": user}]}
    structured = settings.get("structured", "plain")
    output: dict[str, Any] = {}
    if structured == "forced_tool":
        schema = answer_schema(request.slots, request.confidence_definition)
        body["tools"] = [{"name": TOOL, "description": "record the decision", "input_schema": schema}]
        body["tool_choice"] = {"type": "tool", "name": TOOL, "disable_parallel_tool_use": True}
    elif structured == "native":
        schema = answer_schema(request.slots, request.confidence_definition)
        output["format"] = {"type": "json_schema", "schema": schema}
    elif structured != "plain":
        raise ValueError(f"structured is {structured!r}: give forced_tool, native or plain")
    if "effort" in settings:
        output["effort"] = settings["effort"]
    if output:
        body["output_config"] = output
    if "thinking" in settings:
        if settings["thinking"] not in ("disabled", "adaptive"):
            raise ValueError(f"thinking is {settings['thinking']!r}: give disabled or adaptive")
        body["thinking"] = {"type": settings["thinking"]}
    headers = {"content-type": "application/json", "anthropic-version": str(settings.get("version", VERSION))}
    # the order of a schema's properties is the order of the answer, so keys are not sorted
    return Call(path="/v1/messages", body=json.dumps(body, ensure_ascii=False), headers=headers)


def read(status: int, headers: Mapping[str, str], body: bytes, slots: Sequence[str]) -> Reply | Failure:
    """Status 200 with a message is a reply, everything else a failure with its kind."""
    data = read_object(body)
    if status != 200 or (data is not None and data.get("type") == "error"):
        return _failure(status, data)
    if data is None:
        return Reply(malformed="the reply is no JSON object")
    model = data.get("model")
    return _reply(data, slots)._replace(
        usage=_usage(data.get("usage"), body), model=model if isinstance(model, str) else None
    )


def _reply(data: dict[str, Any], slots: Sequence[str]) -> Reply:
    """The stop reason first: a cut-off or refused reply is never read for an answer."""
    stop = data.get("stop_reason")
    if not isinstance(stop, str):
        return Reply(malformed="the reply has no stop_reason")
    if stop in _TRUNCATED:
        return Reply(truncated=stop)
    if stop == "refusal":
        details = data.get("stop_details")
        category = details.get("category") if isinstance(details, dict) else None
        return Reply(refused=f"refusal: {category[:100]}" if isinstance(category, str) else "refusal")
    if stop not in _ANSWERED:
        return Reply(malformed=f"stop_reason {stop[:100]}")
    content = data.get("content")
    if not isinstance(content, list):
        return Reply(malformed="the reply has no content")
    try:
        return Reply(answers=_answers([b for b in content if isinstance(b, dict)], slots))
    except NotAnAnswer as e:
        return Reply(malformed=str(e))


def _answers(blocks: Sequence[dict[str, Any]], slots: Sequence[str]) -> dict[str, RawAnswer]:
    """From the tool call where there is one, and otherwise from the text. Blocks of thinking are no answer."""
    tools = [b for b in blocks if b.get("type") == "tool_use"]
    if len(tools) > 1:
        raise NotAnAnswer(f"the reply has {len(tools)} tool calls")
    if tools:
        if tools[0].get("name") != TOOL:
            raise NotAnAnswer("the reply calls a tool that was not offered")
        return read_value(tools[0].get("input"), slots)
    texts = [b.get("text") for b in blocks if b.get("type") == "text"]
    return read_text("".join(t for t in texts if isinstance(t, str)), slots)


def _usage(written: Any, body: bytes) -> Usage | None:
    """``input_tokens`` as reported leaves out what was read from a cache or written to it; the input counts all three.

    The format has no total of its own. A cache count that is null or absent beside a reported input is 0, which is how
    servers without caching write it.
    """
    if not isinstance(written, dict):
        return None
    fresh, out = count(written.get("input_tokens")), count(written.get("output_tokens"))
    details = written.get("output_tokens_details")
    thinking = count(details.get("thinking_tokens")) if isinstance(details, dict) else None
    cache_read, cache_write = (
        0 if fresh is not None and written.get(name) is None else count(written.get(name))
        for name in ("cache_read_input_tokens", "cache_creation_input_tokens")
    )
    total = None
    if fresh is not None and cache_read is not None and cache_write is not None:
        total = fresh + cache_read + cache_write
    charged = charged_usd(written, body)
    if not total and not out:
        # a prompt is never without tokens: a server that says 0/0 counts nothing
        return None if charged is None else Usage(tier=tier_named(written.get("service_tier")), charged_usd=charged)
    return Usage(
        input_tokens=total,
        cached_tokens=cache_read,
        cache_write_tokens=cache_write,
        output_tokens=out,
        reasoning_tokens=thinking,
        tier=tier_named(written.get("service_tier")),
        charged_usd=charged,
    )


def _failure(status: int, data: Any) -> Failure:
    kind, _, text = error_words(data)
    code = _error_code(data)
    return Failure(kind=_kind(status, kind, code, text.lower()), detail=error_detail(status, kind, code, text))


def _kind(status: int, kind: str, code: str, text: str) -> FailureKind:
    if code in _OUT_OF_MONEY:
        return "budget"
    if status == 400 and "credit balance" in text:
        # how an empty account was told before there was 402
        return "budget"
    if status == 400 and _about_length(text):
        return "unsupported"
    return _KIND_OF_TYPE.get(kind) or kind_of_status(status)


def _error_code(data: Any) -> str:
    """What stands in the details; "" when nothing does."""
    for name in ("error", "details"):
        data = data.get(name) if isinstance(data, dict) else None
    code = data.get("error_code") if isinstance(data, dict) else None
    return code if isinstance(code, str) else ""


def _about_length(text: str) -> bool:
    return "prompt is too long" in text or "prompt too long" in text


def authorise(key: str, dialect: Mapping[str, Any]) -> Mapping[str, str]:
    """``auth = "bearer"`` for keys and tokens alike; a token is refused as ``x-api-key``, which is the default."""
    auth = dialect.get("auth", "x-api-key")
    if auth not in ("x-api-key", "bearer"):
        raise ValueError(f"auth is {auth!r}: give x-api-key or bearer")
    return {"authorization": f"Bearer {key}"} if auth == "bearer" else {"x-api-key": key}


WIRE = Wire(
    version=1,
    call=call,
    read=read,
    authorise=authorise,
    settings=frozenset(
        {"structured", "temperature", "max_output_tokens", "thinking", "effort", "version", "service_tier"},
    ),
    dialect=frozenset({"auth"}),
    structures=("native", "forced_tool", "plain"),
)
