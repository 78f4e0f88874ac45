"""Chat Completions from the provider's side: OpenAI's own, the look-alikes', and that of a server of one's own."""

from __future__ import annotations

import re
from typing import Any

from dmb.simulate.asked import Asked, Refused, Understood
from dmb.simulate.body_checks import need, number, of_kind, one_of, only, text_parts, whole, words
from dmb.simulate.draft import Draft, written_text
from dmb.simulate.speech.openai_rules import check_reasoning, check_strict_schema, wants_json_word
from dmb.simulate.speech.systemone import plain
from dmb.simulate.written import options_in

#: openai 3.57.0
_FIELDS = words(
    "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages "
    "metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key "
    "prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier "
    "stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity "
    "web_search_options"
)
_ROLES = frozenset({"developer", "system", "user", "assistant", "tool", "function"})
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: Instant that every reply says it was made at: a clock would make two servers differ.
CREATED = 1_796_083_200


def understand(asked: Asked) -> Understood:
    """Raises ``Refused`` by the rules of that provider."""
    body, speaker = asked.body, asked.speaker
    if speaker.strict:
        only(body, _FIELDS | speaker.extra)
    texts, system = _messages(body)
    if body.get("stream"):
        raise Refused("bad_request", "stream: is not simulated", "stream")
    if body.get("n") not in (None, 1):
        raise Refused("bad_request", "n: only 1 is simulated", "n")
    _check_temperature(asked)
    check_reasoning(asked, body.get("reasoning_effort"), "reasoning_effort")
    caps = [whole(body[k], 1, k) for k in ("max_completion_tokens", "max_tokens") if body.get(k) is not None]
    form, schema = _format(asked, texts)
    tool, tool_schema, offered = _tool(asked)
    return Understood(
        texts=(*texts, *([plain(schema)] if schema else []), *offered),
        form="tool" if tool else form,
        schema=tool_schema if tool else schema,
        tool=tool,
        options=options_in(system),
        output_cap=min(caps, default=None),
        reasons=_reasons(asked),
        logprobs=_logprobs(body),
    )


def _messages(body: dict[str, Any]) -> tuple[list[str], str]:
    messages = need(body, "messages", list)
    if not messages:
        raise Refused("bad_request", "messages: must not be empty", "messages", "empty_array")
    texts, system, called = [], [], False
    for i, m in enumerate(messages):
        of_kind(m, dict, f"messages[{i}]")
        role = one_of(m.get("role"), _ROLES, f"messages[{i}].role")
        if role == "tool" and not called:
            raise Refused("bad_request", f"messages[{i}]: a tool message follows a tool call", f"messages[{i}].role")
        called = role == "tool" or (role == "assistant" and bool(m.get("tool_calls")))
        if m.get("content") is None and role == "assistant":
            continue
        read = text_parts(need(m, "content", object, f"messages[{i}]"), f"messages[{i}].content")
        texts += read
        system += read if role in ("system", "developer") else []
    return texts, "\n".join(system)


def _check_temperature(asked: Asked) -> None:
    temperature = asked.body.get("temperature")
    if temperature is None:
        return
    number(temperature, 0, 2, "temperature")
    if asked.speaker.vendor == "zai" and not 0 < temperature < 1:
        raise Refused("bad_request", "temperature: must lie between 0 and 1, neither included", "temperature")


def _format(asked: Asked, texts: list[str]) -> tuple[Any, dict[str, Any] | None]:
    wanted = asked.body.get("response_format")
    if wanted is None:
        return "text", None
    of_kind(wanted, dict, "response_format")
    kind = one_of(wanted.get("type"), ("text", "json_object", "json_schema"), "response_format.type")
    if kind == "text":
        return "text", None
    if kind == "json_object":
        wants_json_word(asked, texts, "messages")
        # llama.cpp takes a schema right here
        return "json", wanted.get("schema") if isinstance(wanted.get("schema"), dict) else None
    if not asked.speaker.json_schema:
        raise Refused("bad_schema", "response_format: json_schema is not served here", "response_format")
    held = wanted.get("json_schema", wanted if not asked.speaker.strict else None)
    of_kind(held, dict, "response_format.json_schema")
    if asked.speaker.strict:
        only(held, ("name", "description", "schema", "strict"), "response_format.json_schema")
        name = need(held, "name", str, "response_format.json_schema")
        if not _NAME.fullmatch(name):
            at = "response_format.json_schema.name"
            raise Refused("bad_schema", f"{at}: letters, digits, _ and -, at most 64", at)
    schema = need(held, "schema", dict, "response_format.json_schema")
    if held.get("strict") and asked.speaker.strict:
        check_strict_schema(schema, "response_format")
    return "schema", schema


def _tool(asked: Asked) -> tuple[str | None, dict[str, Any] | None, list[str]]:
    """(name, parameters, texts of all offered) of a forced function."""
    tools, choice = asked.body.get("tools") or [], asked.body.get("tool_choice")
    of_kind(tools, list, "tools")
    offered = {}
    for i, tool in enumerate(tools):
        function = need(of_kind(tool, dict, f"tools[{i}]"), "function", dict, f"tools[{i}]")
        offered[need(function, "name", str, f"tools[{i}].function")] = function.get("parameters") or {}
    if not isinstance(choice, dict):
        return None, None, [plain(t) for t in tools]
    if asked.speaker.vendor in ("zai", "meta"):
        raise Refused("bad_request", "tool_choice: only auto is taken", "tool_choice")
    name = need(need(choice, "function", dict, "tool_choice"), "name", str, "tool_choice.function")
    if name not in offered:
        raise Refused("bad_request", "tool_choice: names a tool that is not offered", "tool_choice")
    return name, offered[name], [plain(t) for t in tools]


def _reasons(asked: Asked) -> bool:
    effort, thinking = asked.body.get("reasoning_effort"), asked.body.get("thinking")
    if isinstance(thinking, dict):
        return thinking.get("type") != "disabled"
    if effort is not None:
        return effort != "none"
    return asked.speaker.thinks


def _logprobs(body: dict[str, Any]) -> int | None:
    top = body.get("top_logprobs")
    if top is not None:
        number(top, 0, 20, "top_logprobs")
        if not body.get("logprobs"):
            raise Refused("bad_request", "top_logprobs: needs logprobs", "top_logprobs")
    return int(top or 0) if body.get("logprobs") else None


#: Why a model stopped, in OpenAI's words and in Z.ai's.
_FINISH = {"answered": "stop", "length": "length", "refusal": "stop", "content_filter": "content_filter"}


def reply(draft: Draft) -> dict[str, Any]:
    """A completion with one choice."""
    asked, t = draft.asked, draft.tokens
    message: dict[str, Any] = {"role": "assistant", "content": written_text(draft)}
    if asked.speaker.vendor == "openai":
        message["refusal"] = None
    if draft.reasoning:
        message["reasoning" if asked.speaker.vendor == "cerebras" else "reasoning_content"] = draft.reasoning
    if draft.stop == "refusal":
        message |= {"content": None, "refusal": "the simulated model declines"}
    if draft.stop == "content_filter":
        message["content"] = ""
    finish = _FINISH[draft.stop]
    if finish == "content_filter" and asked.speaker.vendor == "zai":
        finish = "sensitive"
    if draft.understood.tool and draft.stop == "answered":
        finish = "tool_calls"
        call = {"name": draft.understood.tool, "arguments": message["content"]}
        message |= {
            "content": None,
            "tool_calls": [{"id": f"call_{asked.draw.word('call')}", "type": "function", "function": call}],
        }
    told: dict[str, Any] = {
        "id": f"chatcmpl-{asked.draw.word('id')}",
        "object": "chat.completion",
        "created": CREATED,
        "model": draft.model,
        "choices": [
            {"index": 0, "finish_reason": finish, "logprobs": _probabilities(draft, message), "message": message}
        ],
        "usage": {
            "prompt_tokens": t.input,
            "completion_tokens": t.output,
            "total_tokens": t.input + t.output,
            "prompt_tokens_details": {"cached_tokens": t.cached},
            "completion_tokens_details": {"reasoning_tokens": t.reasoning},
        },
    }
    if asked.speaker.vendor == "openai":
        told["usage"]["prompt_tokens_details"]["cache_write_tokens"] = t.cache_write
        told["service_tier"] = served_tier(asked)
    if asked.speaker.vendor == "deepseek":
        told["usage"] |= {"prompt_cache_hit_tokens": t.cached, "prompt_cache_miss_tokens": t.input - t.cached}
    if asked.speaker.vendor == "zai":
        told["request_id"] = asked.draw.word("request")
    if asked.speaker.vendor == "cerebras":
        told["time_info"] = {"queue_time": 0.001, "prompt_time": 0.01, "completion_time": 0.05, "total_time": 0.061}
    return told


def served_tier(asked: Asked) -> str:
    """OpenAI's word for the tier that served: the one that was ordered."""
    return asked.tier if asked.tier not in (None, "auto") else "default"


def _probabilities(draft: Draft, message: dict[str, Any]) -> dict[str, Any] | None:
    """Four characters a token, each far likelier than the alternatives that are listed."""
    wanted, content = draft.understood.logprobs, message["content"]
    if wanted is None or not content:
        return None
    tokens = [content[i : i + 4] for i in range(0, len(content), 4)]
    listed = []
    for token in tokens:
        one = {"token": token, "logprob": -0.05, "bytes": list(token.encode())}
        other = [{"token": f"~{k}", "logprob": -3.0 - k, "bytes": [126, 48 + k % 10]} for k in range(1, wanted)]
        listed.append({**one, "top_logprobs": [one, *other] if wanted else []})
    return {"content": listed, "refusal": None}
