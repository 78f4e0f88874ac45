"""OpenAI's own SDK as an oracle: it accepts the bodies that are sent, and the replies that the tests are made of.

For developers: `uv pip install openai`. The SDK's types are read in a process of their own, since they must be made
strict before anything else looks at them.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dmb.wires import chat_completions, responses
from tests.wires import test_chat_completions as chat
from tests.wires import test_responses as resp

pytest.importorskip("openai", reason="oracle for what OpenAI takes and sends: openai is not installed")

#: What only look-alikes take.
LOOK_ALIKES = ("thinking", "do_sample", "cache_prompt")

#: Reads {name: ["Chat" | "Responses" | "ChatReply" | "ResponsesReply", value]}; writes {name: the errors, or null}.
CHECKER = """
import sys, json, collections.abc
from pydantic import TypeAdapter, ValidationError
from typing_extensions import is_typeddict
from openai.types.chat import ChatCompletion as ChatReply
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as Chat
from openai.types.responses import Response as ResponsesReply
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming as Responses
import openai.resources

for name, module in list(sys.modules.items()):
    if name.startswith("openai.types"):
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

found = {}
for name, (kind, value) in json.load(sys.stdin).items():
    try:
        drain(TypeAdapter(globals()[kind]).validate_python(value))
        found[name] = None
    except ValidationError as e:
        found[name] = str(e)[:2000]
json.dump(found, sys.stdout)
"""


def checked(values: dict[str, tuple[str, dict]]) -> dict[str, str | None]:
    done = subprocess.run(
        [sys.executable, "-c", CHECKER], input=json.dumps(values), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def for_openai(body: dict) -> dict:
    return {k: v for k, v in body.items() if k not in LOOK_ALIKES}


def bodies() -> dict[str, tuple[str, dict]]:
    found = {}
    for name, entry in chat.ENTRIES.items():
        dialect = chat.PROVIDERS[entry["provider"]].get("dialect", {})
        sent = chat_completions.call(chat.REQUEST, entry["model"], entry.get("settings", {}), dialect)
        found[name] = ("Chat", for_openai(json.loads(sent.body)))
    every = {"structured": "json_schema", "temperature": 0, "reasoning": "low", "max_output_tokens": 200}
    every |= {"service_tier": "flex"}
    more = {"seed": 1, "logprobs": 20, "thinking": "disabled", "do_sample": False, "cache_prompt": False}
    assert set(every | more) == chat_completions.WIRE.settings and set(every) == responses.WIRE.settings
    found["every setting"] = ("Chat", for_openai(chat.body_of(every | more)))
    found["the older cap"] = ("Chat", chat.body_of({"max_output_tokens": 9}, {"output_cap_field": "max_tokens"}))
    found["responses, every setting"] = ("Responses", resp.body_of(every))
    found["responses, plain"] = ("Responses", resp.body_of({}))
    return found


def test_bodies_are_what_the_sdk_would_send():
    assert {n: e for n, e in checked(bodies()).items() if e} == {}


def test_the_oracle_sees_a_wrong_body():
    good, flat = chat.body_of({"structured": "json_schema"}), resp.body_of({"structured": "json_schema"})
    wrong = {
        "a key too many": ("Chat", good | {"do_sample": False}),
        "a role": ("Chat", good | {"messages": [{"role": "sytem", "content": "x"}]}),
        "a typo inside": ("Chat", good | {"response_format": {"type": "json_schema", "json_shema": {}}}),
        "an effort": ("Chat", good | {"reasoning_effort": "lowest"}),
        "chat's format": ("Responses", flat | {"text": {"format": good["response_format"]}}),
        "a seed": ("Responses", flat | {"seed": 1}),
    }
    assert {n for n, e in checked(wrong).items() if e is None} == set()


def test_the_replies_that_tests_are_made_of_are_the_vendors():
    tools = {"created_at": 1, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    one = resp.message(resp.text(resp.ANSWER))
    refusal = resp.message({"type": "refusal", "refusal": "no"})
    replies = {
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
    }
    assert {n: e for n, e in checked(replies).items() if e} == {}
