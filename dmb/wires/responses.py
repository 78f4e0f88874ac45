"""The Responses format: ``POST /v1/responses`` of OpenAI. Nothing is stored there, and a failure may come as a 200."""

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


def call(request: Request, model: str, settings: Mapping[str, Any], dialect: Mapping[str, Any]) -> Call:
    """Instructions and an input; no key that the entry did not set, but for ``store``, which is on by default there.

    There is no JSON mode here: it wants the word JSON in the input, which is the item's text alone.
    Raises ``ValueError`` for a way of structuring that there is not.
    """
    system, user = language_model_prompt(request)
    body: dict[str, Any] = {"model": model, "instructions": system, "input": user, "store": False}
    structured = settings.get("structured", "plain")
    if structured == "json_schema":
        schema = answer_schema(request.slots, request.confidence_definition)
        body["text"] = {"format": {"type": "json_schema", "name": SCHEMA_NAME, "strict": True, "schema": schema}}
    elif structured != "plain":
        raise ValueError(f"structured is {structured!r}: use json_schema or plain")
    if "reasoning" in settings:
        body["reasoning"] = {"effort": settings["reasoning"]}
    body |= {name: settings[name] for name in ("temperature", "max_output_tokens", "service_tier") if name in settings}
    return Call(
        path="/v1/responses",
        body=json.dumps(body, ensure_ascii=False),
        headers={"content-type": "application/json"},
    )


def read(status: int, headers: Mapping[str, str], body: bytes, slots: Sequence[str]) -> Reply | Failure:
    """The reply's own status is looked at before its text."""
    if status != 200:
        return read_failure(status, body)
    data = read_object(body)
    if data is None:
        return Reply(malformed="the reply is no JSON object")
    state, error = data.get("status"), data.get("error")
    if state == "failed":
        # it was taken and came to nothing: without a reason, that may pass
        return failure_in_reply(error, "overloaded" if not error else "rejected")
    if isinstance(error, dict | str) and error:
        return failure_in_reply(error, "rejected")
    model, used = data.get("model"), data.get("usage")
    tier, charged = tier_named(data.get("service_tier")), charged_usd(used, body)
    reply = Reply(
        usage=read_usage(used, "input", "output", tier=tier, charged_usd=charged),
        model=model if isinstance(model, str) else None,
    )
    return reply._replace(**_answer(data, slots))


def _answer(data: Mapping[str, Any], slots: Sequence[str]) -> dict[str, Any]:
    """The fields of the reply that say what was answered, or why nothing was."""
    state = data.get("status")
    if state == "incomplete":
        why = data.get("incomplete_details")
        reason = why.get("reason") if isinstance(why, dict) else None
        return {"refused" if reason == "content_filter" else "truncated": f"incomplete: {_word(reason)}"}
    if state not in (None, "completed"):
        return {"malformed": f"the reply's status is {_word(state)}"}
    output = data.get("output")
    items = [i for i in output if isinstance(i, dict)] if isinstance(output, list) else []
    message = next((i for i in items if _is_answer(i)), None)
    if message is None:
        return {"malformed": "the reply has no message"}
    if message.get("status") == "incomplete":
        return {"truncated": "the message is incomplete"}
    content = message.get("content")
    parts = [p for p in content if isinstance(p, dict)] if isinstance(content, list) else []
    if refusals := [p for p in parts if p.get("type") == "refusal"]:
        text = refusals[0].get("refusal")
        return {"refused": f"refusal: {text[:200] if isinstance(text, str) else ''}"}
    written = [p.get("text") for p in parts if p.get("type") == "output_text"]
    texts = [t for t in written if isinstance(t, str)]
    if len(texts) < len(written):
        return {"malformed": "a part of the message is no text"}
    try:
        return {"answers": read_text("".join(texts), slots)}
    except NotAnAnswer as e:
        return {"malformed": str(e)}


def _word(value: Any) -> str:
    return value[:60] if isinstance(value, str) else type(value).__name__


def _is_answer(item: Mapping[str, Any]) -> bool:
    """A message, unless it says that it comments on the work before the answer."""
    return item.get("type") == "message" and item.get("phase") != "commentary"


def authorise(key: str, dialect: Mapping[str, Any]) -> Mapping[str, str]:
    """Headers that carry the credential; they are never logged."""
    return {"authorization": f"Bearer {key}"}


WIRE = Wire(
    version=1,
    call=call,
    read=read,
    authorise=authorise,
    settings=frozenset({"structured", "reasoning", "max_output_tokens", "temperature", "service_tier"}),
    structures=("json_schema", "plain"),
)
