"""The Responses format from the provider's side."""

from __future__ import annotations

from typing import Any

from dmb.simulate.asked import Asked, Refused, Understood
from dmb.simulate.body_checks import need, number, of_kind, one_of, only, text_parts, whole, words
from dmb.simulate.draft import Draft, written_text
from dmb.simulate.speech.chat_completions import CREATED, served_tier
from dmb.simulate.speech.openai_rules import check_reasoning, check_strict_schema, wants_json_word
from dmb.simulate.speech.systemone import plain
from dmb.simulate.written import options_in

#: openai 3.57.0
_FIELDS = words(
    "access_programs background background_options context_management conversation image include input instructions "
    "max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt "
    "prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream "
    "stream_options temperature text tool_choice tools top_logprobs top_p truncation user"
)
_ROLES = frozenset({"user", "assistant", "system", "developer"})


def understand(asked: Asked) -> Understood:
    """Raises ``Refused`` by OpenAI's rules."""
    body = asked.body
    if asked.speaker.strict:
        only(body, _FIELDS)
    if "input" not in body:
        raise Refused("bad_request", "input: is required", "input", "missing_required_parameter")
    texts, system = _input(body["input"])
    if (instructions := body.get("instructions")) is not None:
        of_kind(instructions, str, "instructions")
        system = instructions + ("\n" + system if system else "")
    if body.get("stream") or body.get("background"):
        raise Refused("bad_request", "stream and background: are not simulated", "stream")
    if body.get("temperature") is not None:
        number(body["temperature"], 0, 2, "temperature")
    effort = of_kind(body["reasoning"], dict, "reasoning").get("effort") if body.get("reasoning") is not None else None
    check_reasoning(asked, effort, "reasoning.effort")
    cap = body.get("max_output_tokens")
    form, schema = _format(asked, [*texts, instructions or ""])
    return Understood(
        texts=(*([instructions] if instructions else []), *texts, *([plain(schema)] if schema else [])),
        form=form,
        schema=schema,
        options=options_in(system),
        output_cap=None if cap is None else whole(cap, 16, "max_output_tokens"),
        reasons=effort not in (None, "none"),
    )


def _input(value: Any) -> tuple[list[str], str]:
    """(all texts, those of system and developer)."""
    if isinstance(value, str):
        return [value], ""
    items = of_kind(value, list, "input")
    if not items:
        raise Refused("bad_request", "input: must not be empty", "input", "empty_array")
    texts: list[str] = []
    system: list[str] = []
    for i, item in enumerate(items):
        of_kind(item, dict, f"input[{i}]")
        if item.get("type", "message") != "message":
            raise Refused("bad_request", f"input[{i}].type: only messages are simulated", f"input[{i}].type")
        role = one_of(item.get("role"), _ROLES, f"input[{i}].role")
        kinds = ("output_text",) if role == "assistant" else ("input_text",)
        read = text_parts(need(item, "content", object, f"input[{i}]"), f"input[{i}].content", kinds)
        texts += read
        system += read if role in ("system", "developer") else []
    return texts, "\n".join(system)


def _format(asked: Asked, texts: list[str]) -> tuple[Any, dict[str, Any] | None]:
    text = asked.body.get("text")
    if text is None or "format" not in of_kind(text, dict, "text"):
        return "text", None
    wanted = of_kind(text["format"], dict, "text.format")
    kind = one_of(wanted.get("type"), ("text", "json_object", "json_schema"), "text.format.type")
    if kind == "text":
        return "text", None
    if kind == "json_object":
        # instructions do not count here, the input alone does
        wants_json_word(asked, texts[:-1], "input")
        return "json", None
    only(wanted, ("type", "name", "schema", "strict", "description"), "text.format")
    need(wanted, "name", str, "text.format")
    schema = need(wanted, "schema", dict, "text.format")
    if wanted.get("strict"):
        check_strict_schema(schema, "text.format.schema")
    return "schema", schema


def reply(draft: Draft) -> dict[str, Any]:
    """A response object: reasoning, where there was any, before the message."""
    asked, t, word = draft.asked, draft.tokens, draft.asked.draw.word
    part: dict[str, Any] = {"type": "output_text", "text": written_text(draft), "annotations": []}
    if draft.stop == "refusal":
        part = {"type": "refusal", "refusal": "the simulated model declines"}
    whole_one = draft.stop in ("answered", "refusal")
    message = {
        "type": "message",
        "id": f"msg_{word('message')}",
        "role": "assistant",
        "status": "completed" if whole_one else "incomplete",
        "content": [] if draft.stop == "content_filter" else [part],
    }
    output: list[dict[str, Any]] = [message]
    if t.reasoning:
        output.insert(0, {"type": "reasoning", "id": f"rs_{word('reasoning')}", "summary": []})
        if not part.get("text", True):
            # everything went into reasoning
            output.pop()
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(draft.stop)
    return {
        "id": f"resp_{word('id')}",
        "object": "response",
        "created_at": CREATED,
        "status": "completed" if whole_one else "incomplete",
        "model": draft.model,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "instructions": asked.body.get("instructions"),
        "metadata": {},
        "output": output,
        "parallel_tool_calls": True,
        "temperature": asked.body.get("temperature"),
        "service_tier": served_tier(asked),
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": {
            "input_tokens": t.input,
            "input_tokens_details": {"cached_tokens": t.cached, "cache_write_tokens": t.cache_write},
            "output_tokens": t.output,
            "output_tokens_details": {"reasoning_tokens": t.reasoning},
            "total_tokens": t.input + t.output,
        },
    }
