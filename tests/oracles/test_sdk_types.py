"""The SDKs' own types, made strict: they take the bodies that are sent, and the replies that the tests are made of.

As they come, type adapters take unknown keys and do not look inside lists. Both are mended before anything else looks
at the types, so each SDK is read in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest

from tests.oracles import replies
from tests.oracles.asking import QUESTIONS, Case, entries
from tests.wires import test_chat_completions as chat
from tests.wires import test_decisions as deci
from tests.wires import test_messages as mess
from tests.wires import test_responses as resp

#: What only look-alikes take.
LOOK_ALIKES = ("thinking", "do_sample", "cache_prompt")

#: Reads {name: [type, value]} where the type is one of those below; writes {name: the errors, or null}.
CHECKER = """
import sys, json, collections.abc, importlib
from pydantic import TypeAdapter, ValidationError
from typing_extensions import is_typeddict

vendor, *places = sys.argv[1:]
importlib.import_module(f"{vendor}.resources")  # loads every type module
types = {}
for place in places:
    name, module, attribute = place.split(":")
    types[name] = getattr(importlib.import_module(module), attribute)
for name, module in list(sys.modules.items()):
    if name.startswith(f"{vendor}.types"):
        for t in list(vars(module).values()):
            if is_typeddict(t):
                config = {"extra": "forbid", "arbitrary_types_allowed": True}
                t.__pydantic_config__ = {**getattr(t, "__pydantic_config__", {}), **config}

def drain(x):
    if isinstance(x, dict):
        return {k: drain(v) for k, v in x.items()}
    if isinstance(x, (str, bytes, int, float, bool, type(None))) or not isinstance(x, collections.abc.Iterable):
        return x
    return [drain(v) for v in x]

found, adapters = {}, {name: TypeAdapter(t) for name, t in types.items()}
for name, (kind, value) in json.load(sys.stdin).items():
    try:
        drain(adapters[kind].validate_python(value))
        found[name] = None
    except ValidationError as e:
        found[name] = str(e)[:2000]
json.dump(found, sys.stdout)
"""

#: Where each SDK has the types: name, module, attribute.
PLACES = {
    "openai": (
        "Chat:openai.types.chat.completion_create_params:CompletionCreateParamsNonStreaming",
        "Responses:openai.types.responses.response_create_params:ResponseCreateParamsNonStreaming",
        "Decision:openai.types.decision_create_params:DecisionCreateParams",
        "ChatReply:openai.types.chat:ChatCompletion",
        "ResponsesReply:openai.types.responses:Response",
        "DecisionReply:openai.types:Decision",
    ),
    "anthropic": (
        "Message:anthropic.types.message_create_params:MessageCreateParamsNonStreaming",
        "MessageReply:anthropic.types:Message",
    ),
}

Typed = dict[str, tuple[str, Any]]


def bodies(wire: str, kind: str, more: list[dict], without: tuple[str, ...] = ()) -> Typed:
    """What is sent for every entry and for more settings, without what no SDK knows."""
    cases = {n: c for n, c in entries(wire).items() if c.dialect.get("shape", "openai") == "openai"}
    cases |= {f"{wire} {settings}": Case(wire, "m", settings, {}) for settings in more}
    return {
        f"{name}, {question}": (kind, {k: v for k, v in case.sent(request).body.items() if k not in without})
        for name, case in cases.items()
        for question, request in QUESTIONS.items()
        if question != "77 options"
    }


EVERY = {
    "structured": "json_schema",
    "temperature": 0,
    "reasoning": "low",
    "max_output_tokens": 200,
    "service_tier": "flex",
}
NATIVE = {"structured": "native", "effort": "low", "thinking": "disabled", "max_output_tokens": 9}

GOOD: dict[str, Typed] = {
    "openai": {
        **bodies(
            "chat_completions",
            "Chat",
            [EVERY | {"seed": 1, "logprobs": 20, "thinking": "disabled", "do_sample": False, "cache_prompt": False}],
            LOOK_ALIKES,
        ),
        **bodies("responses", "Responses", [{}, EVERY]),
        **bodies("decisions", "Decision", [{}]),
        "the older cap": ("Chat", chat.body_of({"max_output_tokens": 9}, {"output_cap_field": "max_tokens"})),
    },
    # the SDK's version has no temperature, and entries of earlier versions send one
    "anthropic": bodies("messages", "Message", [NATIVE, {"structured": "forced_tool"}, {}], ("temperature",)),
}


def wrong() -> dict[str, Typed]:
    """Each is one word away from a good one."""
    good, flat = chat.body_of({"structured": "json_schema"}), resp.body_of({"structured": "json_schema"})
    [decision] = [b for n, (_, b) in GOOD["openai"].items() if n == "decisions {}, 3 options"]
    [question] = decision["questions"]
    message = Case("messages", "m", {"structured": "forced_tool"}, {}).sent(QUESTIONS["3 options"]).body
    [tool] = message["tools"]
    return {
        "openai": {
            "a key too many": ("Chat", good | {"do_sample": False}),
            "a role": ("Chat", good | {"messages": [{"role": "sytem", "content": "x"}]}),
            "a typo inside": ("Chat", good | {"response_format": {"type": "json_schema", "json_shema": {}}}),
            "an effort": ("Chat", good | {"reasoning_effort": "lowest"}),
            "chat's format": ("Responses", flat | {"text": {"format": good["response_format"]}}),
            "a seed": ("Responses", flat | {"seed": 1}),
            "texts as choices": ("Decision", decision | {"questions": [question | {"choices": ["a", "b"]}]}),
            "no instructions": ("Decision", decision | {"questions": [{**question, "instructions": None}]}),
        },
        "anthropic": {
            "a temperature": ("Message", message | {"temperature": 0}),
            "no cap": ("Message", {k: v for k, v in message.items() if k != "max_tokens"}),
            "a system message": ("Message", message | {"messages": [{"role": "sytem", "content": "x"}]}),
            "chat's schema": ("Message", message | {"tools": [tool | {"parameters": {}}]}),
            "an effort": ("Message", message | {"output_config": {"effort": "lowest"}}),
        },
    }


def vendors_replies() -> dict[str, Typed]:
    """Those that the tests of a wire read are of the vendor's types, and so are those that SDKs are fed with here."""
    tools = {"created_at": 1, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    one = resp.message(resp.text(resp.ANSWER))
    refusal = resp.message({"type": "refusal", "refusal": "no"})
    return {
        "openai": {
            **{
                f"chat {n}": ("ChatReply", json.loads(body) | {"created": 1})
                for n, body in {
                    "answer": chat.ok(usage=chat.OPENAI),
                    "refusal": chat.ok(usage=chat.OPENAI, content=None, refusal="no"),
                    "length": chat.ok("length", usage=chat.OPENAI),
                    "filter": chat.ok("content_filter", usage=chat.OPENAI),
                }.items()
            },
            **{
                f"responses {n}": ("ResponsesReply", json.loads(body) | tools)
                for n, body in {
                    "answer": resp.ok({"type": "reasoning", "id": "r", "summary": []}, one),
                    "commentary": resp.ok(one | {"phase": "commentary"}, one),
                    "refusal": resp.ok(refusal),
                    "cut off": resp.ok(status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
                    "failed": resp.ok(status="failed", error={"code": "server_error", "message": "m"}),
                    "policy": resp.ok(status="failed", error={"code": "bio_policy", "message": "m"}),
                }.items()
            },
            "decisions": ("DecisionReply", deci.OPENAI),
            "decisions, refused": ("DecisionReply", deci.OPENAI | {"answers": [{"type": "refusal", "name": "queue"}]}),
            "decisions, the least": ("DecisionReply", replies.decision(["queue"])),
            "chat, the least": ("ChatReply", replies.chat("x")),
            "responses, the least": ("ResponsesReply", replies.response("x")),
        },
        "anthropic": {
            name: ("MessageReply", reply)
            for name, reply in {
                "forced": mess.FORCED_REPLY,
                "native": mess.NATIVE_REPLY,
                "cut off": mess.NATIVE_REPLY | {"stop_reason": "max_tokens"},
                "refused": mess.NATIVE_REPLY | {"stop_reason": "refusal", "content": []},
                "refused, with a category": mess.NATIVE_REPLY
                | {"stop_reason": "refusal", "stop_details": {"type": "refusal", "category": "cyber"}},
                "the least": replies.message({"type": "text", "text": "x"}, "end_turn"),
            }.items()
        },
    }


@cache
def checked(vendor: str) -> dict[str, dict[str, str | None]]:
    """{"good" | "wrong" | "replies": {name: the errors, or None}}, all in one process."""
    if find_spec(vendor) is None:
        pytest.skip(f"oracle for what {vendor} takes and sends: {vendor} is not installed")
    groups = {"good": GOOD[vendor], "wrong": wrong()[vendor], "replies": vendors_replies()[vendor]}
    flat = {f"{group}/{name}": value for group, values in groups.items() for name, value in values.items()}
    command = [sys.executable, "-c", CHECKER, vendor, *PLACES[vendor]]
    done = subprocess.run(command, input=json.dumps(flat), capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return {group: {name: found[f"{group}/{name}"] for name in values} for group, values in groups.items()}


@pytest.mark.parametrize("vendor", PLACES)
def test_bodies_are_what_the_sdk_would_send(vendor: str) -> None:
    assert {n: e for n, e in checked(vendor)["good"].items() if e} == {}


@pytest.mark.parametrize("vendor", PLACES)
def test_the_oracle_sees_a_wrong_body(vendor: str) -> None:
    assert {n for n, e in checked(vendor)["wrong"].items() if e is None} == set()


@pytest.mark.parametrize("vendor", PLACES)
def test_the_replies_that_tests_are_made_of_are_the_vendors(vendor: str) -> None:
    assert {n: e for n, e in checked(vendor)["replies"].items() if e} == {}
