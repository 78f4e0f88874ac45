"""The Anthropic Messages format from the provider's side."""

from __future__ import annotations

from typing import Any

from dmb.simulate.asked import Asked, Refused, Understood
from dmb.simulate.body_checks import need, number, of_kind, one_of, only, text_parts, whole, words
from dmb.simulate.draft import Draft, written_text
from dmb.simulate.speech.systemone import plain
from dmb.simulate.written import options_in

#: anthropic 2.14.0, and what versions before 2026-10-21 took
_FIELDS = words(
    "cache_control container diagnostics inference_geo max_tokens messages metadata model output_config service_tier "
    "speed stop_sequences stream system thinking tool_choice tools user_profile_id workspace_id"
)
_SAMPLING = frozenset({"temperature", "top_p", "top_k"})
_WITHOUT_SAMPLING = "2026-10-21"

#: Models that take a temperature other than 1 at all.
_TAKES_TEMPERATURE = (
    "claude-haiku-4-5",
    "claude-sonnet-4-5",
    "claude-sonnet-4-6",
    "claude-opus-4-5",
    "claude-opus-4-6",
)

#: Models that think whatever they are told, so no tool can be forced on them.
_ALWAYS_THINKS = ("claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-1", "claude-mythos-5-1")
_THINKS = (*_ALWAYS_THINKS, "claude-sonnet-5", "claude-opus-5", "claude-haiku-5-5")

#: Words of JSON Schema that the native format does not take.
_NOT_IN_SCHEMA = ("minimum", "maximum", "multipleOf", "minLength", "maxLength", "maxItems")


def understand(asked: Asked) -> Understood:
    """Raises ``Refused`` by Anthropic's rules."""
    body = asked.body
    version = asked.headers.get("anthropic-version", "")
    if not version:
        raise Refused("bad_request", "anthropic-version: header is required", "anthropic-version")
    only(body, _FIELDS if version >= _WITHOUT_SAMPLING else _FIELDS | _SAMPLING)
    cap = whole(need(body, "max_tokens", int), 1, "max_tokens")
    texts = _messages(body)
    system = "\n".join(text_parts(body["system"], "system")) if body.get("system") is not None else ""
    if body.get("stream"):
        raise Refused("bad_request", "stream: is not simulated", "stream")
    thinks = _thinks(asked, cap)
    _check_temperature(asked, thinks)
    schema = _format(body)
    tool, tool_schema, offered = _tool(asked, thinks)
    return Understood(
        texts=(*([system] if system else []), *texts, *([plain(schema)] if schema else []), *offered),
        form="tool" if tool else "schema" if schema else "text",
        schema=tool_schema if tool else schema,
        tool=tool,
        options=options_in(system),
        output_cap=cap,
        reasons=thinks,
    )


def _messages(body: dict[str, Any]) -> list[str]:
    messages = need(body, "messages", list)
    if not messages:
        raise Refused("bad_request", "messages: at least one message is required", "messages")
    texts = []
    for i, m in enumerate(messages):
        of_kind(m, dict, f"messages.{i}")
        only(m, ("role", "content"), f"messages.{i}")
        if m.get("role") == "system":
            raise Refused("bad_request", f"messages.{i}.role: the system prompt is a field of its own", "messages")
        role = one_of(m.get("role"), ("user", "assistant"), f"messages.{i}.role")
        if i == 0 and role != "user":
            raise Refused("bad_request", "messages.0.role: the first message must be the user's", "messages")
        read = text_parts(need(m, "content", object, f"messages.{i}"), f"messages.{i}.content")
        if not any(read):
            raise Refused("bad_request", f"messages.{i}.content: must not be empty", "messages")
        texts += read
    return texts


def _thinks(asked: Asked, cap: int) -> bool:
    thinking = asked.body.get("thinking")
    if thinking is None:
        return asked.model.startswith(_THINKS)
    kind = one_of(
        of_kind(thinking, dict, "thinking").get("type"),
        ("disabled", "adaptive", "enabled", "between_tools"),
        "thinking.type",
    )
    if kind == "disabled" and asked.model.startswith(_ALWAYS_THINKS):
        raise Refused("bad_request", f"thinking: cannot be disabled on {asked.model}", "thinking")
    if kind == "enabled" and whole(thinking.get("budget_tokens"), 1024, "thinking.budget_tokens") >= cap:
        raise Refused("bad_request", "thinking.budget_tokens: must be below max_tokens", "thinking.budget_tokens")
    return kind != "disabled"


def _check_temperature(asked: Asked, thinks: bool) -> None:
    temperature = asked.body.get("temperature")
    if temperature is None:
        return
    number(temperature, 0, 1, "temperature")
    if temperature != 1 and (thinks or not asked.model.startswith(_TAKES_TEMPERATURE)):
        raise Refused("bad_request", f"temperature: {asked.model} takes only 1 here", "temperature")


def _format(body: dict[str, Any]) -> dict[str, Any] | None:
    config = body.get("output_config")
    if config is None:
        return None
    only(of_kind(config, dict, "output_config"), ("format", "effort", "task_budget"), "output_config")
    if config.get("effort") is not None:
        one_of(config["effort"], ("low", "medium", "high", "xhigh", "max"), "output_config.effort")
    wanted = config.get("format")
    if wanted is None:
        return None
    only(of_kind(wanted, dict, "output_config.format"), ("type", "schema"), "output_config.format")
    one_of(wanted.get("type"), ("json_schema",), "output_config.format.type")
    schema = need(wanted, "schema", dict, "output_config.format")
    _check_schema(schema, "output_config.format.schema")
    return schema


def _check_schema(schema: Any, param: str) -> None:
    if not isinstance(schema, dict):
        return
    for word in _NOT_IN_SCHEMA:
        if word in schema:
            raise Refused("bad_schema", f"{param}: {word} is not supported", param)
    if schema.get("minItems") not in (None, 0, 1):
        raise Refused("bad_schema", f"{param}: minItems must be 0 or 1", param)
    properties = schema.get("properties")
    if schema.get("type") == "object" or properties is not None:
        if schema.get("additionalProperties") is not False:
            raise Refused("bad_schema", f"{param}: additionalProperties must be given and false", param)
        for name, part in (properties if isinstance(properties, dict) else {}).items():
            _check_schema(part, f"{param}.{name}")
    _check_schema(schema.get("items"), f"{param}.items")
    for part in schema.get("anyOf") or []:
        _check_schema(part, param)


def _tool(asked: Asked, thinks: bool) -> tuple[str | None, dict[str, Any] | None, list[str]]:
    tools, choice = asked.body.get("tools") or [], asked.body.get("tool_choice")
    offered = {}
    for i, tool in enumerate(of_kind(tools, list, "tools")):
        name = need(of_kind(tool, dict, f"tools.{i}"), "name", str, f"tools.{i}")
        offered[name] = need(tool, "input_schema", dict, f"tools.{i}")
    texts = [plain(tool) for tool in tools]
    if choice is None:
        return None, None, texts
    kind = one_of(of_kind(choice, dict, "tool_choice").get("type"), ("auto", "any", "tool", "none"), "tool_choice.type")
    if kind in ("auto", "none"):
        return None, None, texts
    if not offered:
        raise Refused("bad_request", "tool_choice: needs tools", "tool_choice")
    name = choice.get("name") if kind == "tool" else next(iter(offered))
    if name not in offered:
        raise Refused("bad_request", "tool_choice.name: names a tool that is not offered", "tool_choice.name")
    asked_to_think = (asked.body.get("thinking") or {}).get("type") in ("enabled", "adaptive")
    if asked.model.startswith(_ALWAYS_THINKS) or (thinks and asked_to_think):
        raise Refused("bad_request", "tool_choice: a tool cannot be forced while the model thinks", "tool_choice")
    return name, offered[name], texts


_STOP = {"answered": "end_turn", "length": "max_tokens", "refusal": "refusal", "content_filter": "refusal"}


def reply(draft: Draft) -> dict[str, Any]:
    """A message; ``input_tokens`` leaves out what was read from a cache or written to it."""
    asked, t, tool = draft.asked, draft.tokens, draft.understood.tool
    stop = "tool_use" if tool and draft.stop == "answered" else _STOP[draft.stop]
    content: list[dict[str, Any]] = []
    if draft.reasoning:
        content.append({"type": "thinking", "thinking": draft.reasoning, "signature": "simulated"})
    if stop == "refusal":
        content = []
    elif tool:
        around = draft.around
        if around:
            content.append({"type": "text", "text": around})
        value = draft.value if draft.stop == "answered" else {}
        content.append({"type": "tool_use", "id": f"toolu_{asked.draw.word('tool')}", "name": tool, "input": value})
    elif text := written_text(draft):
        content.append({"type": "text", "text": text})
    told: dict[str, Any] = {
        "id": f"msg_{asked.draw.word('id')}",
        "type": "message",
        "role": "assistant",
        "model": draft.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": t.input - t.cached - t.cache_write,
            "cache_creation_input_tokens": t.cache_write,
            "cache_read_input_tokens": t.cached,
            "cache_creation": {"ephemeral_5m_input_tokens": t.cache_write, "ephemeral_1h_input_tokens": 0},
            "output_tokens": t.output,
            "output_tokens_details": {"thinking_tokens": t.reasoning},
            "service_tier": "standard" if asked.tier in (None, "auto", "standard_only") else asked.tier,
        },
    }
    if stop == "refusal":
        told["stop_details"] = {"type": "refusal", "category": None, "explanation": "the simulated model declines"}
    return told
