"""The tables that ship: names, addresses, settings and prices, against lists written by hand from what was looked up."""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from typing import Any

import pytest

from dmb.contracts.contender import Contender, Lane, Limits, Provider
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.errors import InputError
from dmb.planning.contender_tables import check_contenders, check_providers
from dmb.planning.plan import Planner
from dmb.planning.project import load_project
from dmb.pricing import row_at
from dmb.wires import WIRES
from tests.conftest import PROJECT

QUESTION = Request(
    state="I was charged twice.",
    instructions="Pick the queue.",
    options=("billing", "bug", "other"),
    slots=(Slot(id="decision", kind="choice"),),
    confidence_definition="p",
)
DAY = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
TABLES = load_project(PROJECT)
ASKED = {n: e for n, e in TABLES.contenders.items() if e.wire is not None}
BILLED = {n: e for n, e in ASKED.items() if TABLES.providers[e.provider].billed}
WRITERS = {n: e for n, e in BILLED.items() if e.wire not in ("systemone", "decisions")}


def call_of(name: str) -> Any:
    """The HTTP call that this contender's entry makes of a small question."""
    entry = TABLES.contenders[name]
    return WIRES[entry.wire or ""].call(QUESTION, entry.model, entry.settings, TABLES.providers[entry.provider].dialect)


#: What the first table names; deepseek-chat was retired since.
FIRST = {
    "jev": "jev-1.14.0",
    "gpt-5-4-nano": "gpt-5.4-nano",
    "gpt-5-4-mini": "gpt-5.4-mini",
    "claude-haiku-4-5": "claude-haiku-4-5",
    "claude-sonnet-4-6": "claude-sonnet-4-6",
    "glm-5-3-flash": "glm-5.3-flash",
    "glm-5-3": "glm-5.3",
    "deepseek-chat": "deepseek-chat",
    "gpt-oss-120b-cerebras": "gpt-oss-120b",
    "random": "random",
    "majority": "majority",
    "keyword": "keyword",
}
STRUCTURED = {
    "gpt-5-4-nano": "json_schema",
    "gpt-5-4-mini": "json_schema",
    "claude-haiku-4-5": "forced_tool",
    "claude-sonnet-4-6": "forced_tool",
    "glm-5-3-flash": "json_mode",
    "glm-5-3": "json_mode",
    "deepseek-flash": "json_mode",
    "gpt-oss-120b-cerebras": "json_mode",
}
#: The seven of the second: format, label, lab, tier, price of input and output.
GATEWAY = {
    "claude-haiku-5-5-opencode": ("messages", "Claude Haiku 5.5", "Anthropic", "small", "0.10", "0.50"),
    "gpt-6-luna-opencode": ("responses", "GPT-6 Luna", "OpenAI", "small", "0.10", "0.50"),
    "gemini-4-argon-opencode": ("generate_content", "Gemini 4 Argon", "Google", "flagship", "2.00", "10.00"),
    "muse-spark-1-3-contributor-opencode": (
        "responses",
        "Muse Spark 1.3 Contributor",
        "Meta",
        "small",
        "0.10",
        "0.20",
    ),
    "deepseek-v4-1-flash-opencode": ("chat_completions", "DeepSeek V4.1 Flash", "DeepSeek", "small", "0.15", "0.60"),
    "mimo-v2-6-flash-opencode": ("chat_completions", "MiMo-V2.6 Flash", "Xiaomi", "small", "0.14", "0.28"),
    "glm-5-3-flash-opencode": ("chat_completions", "GLM-5.3 Flash", "Z.ai", "small", "0.15", "0.50"),
}


def test_the_first_table_is_here() -> None:
    assert {name: TABLES.contenders[name].model for name in FIRST} == FIRST
    assert {name: TABLES.contenders[name].settings["structured"] for name in STRUCTURED} == STRUCTURED


def test_the_second_table_is_here_through_its_gateway() -> None:
    there = {n for n, e in TABLES.contenders.items() if TABLES.lane(e.provider).id == "opencode"}
    assert there == set(GATEWAY)
    for name, (wire, label, lab, tier, price_in, price_out) in GATEWAY.items():
        entry = TABLES.contenders[name]
        assert (entry.wire, entry.display.lab, entry.display.tier) == (wire, lab, tier)
        assert entry.display.label == f"{label} via OpenCode Go"
        assert entry.limits == Limits(requests_per_minute=30)
        assert entry.settings["max_output_tokens"] >= 1024
        row = row_at(TABLES.price_rows(name), DAY, 500)
        assert row is not None and (str(row.input), str(row.output)) == (price_in, price_out)


ADDRESSES = {
    "jev": "https://api.typesafe.ai/v1/systemone",
    "gpt-6-luna-decisions": "https://api.openai.com/v1/decisions",
    "clef-flash": "https://api.cloudflare.com/client/v4/accounts/ACCOUNT/ai/run/@cf/cloudflare/clef-flash",
    "jev-openrouter": "https://openrouter.ai/api/v1/systemone",
    "gpt-5-4-nano": "https://api.openai.com/v1/chat/completions",
    "gpt-6-luna": "https://api.openai.com/v1/responses",
    "claude-haiku-4-5": "https://api.anthropic.com/v1/messages",
    "gemini-3-8-flash": ("https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:generateContent"),
    "glm-5-3": "https://api.z.ai/api/paas/v4/chat/completions",
    "deepseek-flash": "https://api.deepseek.com/chat/completions",
    "gpt-oss-120b-cerebras": "https://api.cerebras.ai/v1/chat/completions",
    "mimo-v2-6-flash": "https://api.xiaomimimo.com/v1/chat/completions",
    "muse-spark-1-3": "https://api.meta.ai/v1/responses",
    "glm-5-3-flash-opencode": "https://opencode.ai/zen/go/v1/chat/completions",
    "gpt-6-luna-opencode": "https://opencode.ai/zen/go/v1/responses",
    "claude-haiku-5-5-opencode": "https://opencode.ai/zen/go/v1/messages",
    "gemini-4-argon-opencode": "https://opencode.ai/zen/go/v1/models/gemini-4-argon:generateContent",
}


def test_every_provider_is_called_at_its_address() -> None:
    made = {name: f"{TABLES.providers[ASKED[name].provider].address}{call_of(name).path}" for name in ADDRESSES}
    assert made == ADDRESSES
    covered = {(ASKED[name].provider, ASKED[name].wire) for name in ADDRESSES}
    assert {(e.provider, e.wire) for e in BILLED.values()} == covered


@pytest.mark.parametrize("name", WRITERS)
def test_a_billed_model_that_writes_has_a_cap_and_room_to_reason(name: str) -> None:
    settings = WRITERS[name].settings
    reasons = (
        settings.get("reasoning", "none") != "none"
        or "thinking_level" in settings
        or "effort" in settings
        # a gateway that passes no such setting on
        or (TABLES.lane(WRITERS[name].provider).id == "opencode")
    )
    # from what the answer takes, some 20 tokens, to what a thought may take
    assert (1024 if reasons else 64) <= settings["max_output_tokens"] <= 2048
    body = json.loads(call_of(name).body)
    config = body.get("generationConfig", body)
    caps = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
    assert [config[c] for c in caps if c in config] == [settings["max_output_tokens"]]


#: Models that refuse or ignore a temperature; all others are sent 0.
NO_TEMPERATURE = r"claude-\w+-5-5|gemini-(3\.[5-9]|4).*|glm-5.3.*"


@pytest.mark.parametrize("name", WRITERS)
def test_a_temperature_of_0_is_sent_where_it_is_taken_and_never_elsewhere(name: str) -> None:
    body = json.loads(call_of(name).body)
    sent = body.get("temperature", body.get("generationConfig", {}).get("temperature"))
    refuses = re.fullmatch(NO_TEMPERATURE, WRITERS[name].model) is not None
    if name == "glm-5-3-flash-opencode":
        refuses = False
    assert sent == (None if refuses else 0)
    if WRITERS[name].provider == "openai" and sent is not None and not WRITERS[name].model.startswith("gpt-4"):
        assert WRITERS[name].settings["reasoning"] == "none"


def test_json_mode_has_the_word_in_the_prompt() -> None:
    for name, entry in WRITERS.items():
        if entry.settings["structured"] == "json_mode":
            assert "JSON" in json.loads(call_of(name).body)["messages"][0]["content"]


#: Nobody lists what OpenRouter takes for it; the charge stands in its replies.
PRICE_UNKNOWN = {"gpt-6-luna-decisions-openrouter"}


def test_every_billed_contender_has_a_price_that_held_when_it_was_looked_up_or_none_on_purpose() -> None:
    asked = {n for n, e in BILLED.items() if e.retired_on is None or e.retired_on > DAY.date()}
    unknown = {n for n in asked if row_at(TABLES.price_rows(n), DAY, 500) is None}
    assert unknown == PRICE_UNKNOWN
    for name in asked - unknown:
        row = row_at(TABLES.price_rows(name), DAY, 500)
        assert row is not None and row.input and row.output is not None and row.checked_on is not None
        # decision services ask nothing for output; nobody else gives it away
        assert bool(row.output) is (name in WRITERS)


def test_retired_names_are_refused_with_what_took_their_place() -> None:
    retired = {n: e for n, e in TABLES.contenders.items() if e.retired_on is not None}
    assert {n: (str(e.retired_on), e.replaced_by) for n, e in retired.items()} == {
        "gpt-4-1-nano": ("2026-10-23", "gpt-5-4-nano"),
        "claude-sonnet-4-5": ("2026-11-30", "claude-sonnet-4-6"),
        "gemini-2-5-flash": ("2026-12-01", "gemini-3-5-flash-lite"),
        "deepseek-chat": ("2026-07-24", "deepseek-flash"),
    }
    assert all(TABLES.contenders[e.replaced_by or ""].retired_on is None for e in retired.values())
    with pytest.raises(InputError, match=r"^config.yaml: x: contender 'gpt-4-1-nano' was retired on 2026-10-23; 'gpt"):
        TABLES.contender_id("gpt-4-1-nano", "config.yaml", "x")


def test_one_account_is_one_lane_in_the_plan_too(project_copy) -> None:
    lanes = {name: TABLES.lane(name).id for name in TABLES.providers if TABLES.lane(name).id != name}
    assert lanes == {
        "openai-decisions": "openai",
        "google-decisions": "google",
        "opencode-responses": "opencode",
        "opencode-messages": "opencode",
        "opencode-gemini": "opencode",
    }
    for name, head in lanes.items():
        assert TABLES.providers[name].credential == TABLES.providers[head].credential
        assert TABLES.providers[name].address == TABLES.providers[head].address
    path = project_copy / "config.yaml"
    path.write_text(path.read_text().replace("contenders: [random,", "contenders: [gpt-6-luna-opencode, random,"))
    cells = Planner(load_project(), {}).release("quickstart").cells
    jobs = {c.contender: c.job for c in cells}
    assert Lane.model_validate(jobs["gpt-6-luna-opencode"]["lane"]) == Lane(id="opencode", concurrency=2)
    assert Contender.model_validate(jobs["gpt-6-luna-opencode"]["entry"]).limits.requests_per_minute == 30
    assert Lane.model_validate(jobs["sparrow-nano"]["lane"]) == Lane(id="sparrow", concurrency=1)


def examples(file: str) -> dict[str, Any]:
    """The entries of a table that are marked off, as a user gets them by taking the marks off."""
    lines = (PROJECT / "data" / file).read_text(encoding="utf-8").splitlines()
    off = [line.removeprefix("# ") for line in lines if re.match(r"# (\[[\w-]+\]$|\w+ = )", line)]
    return tomllib.loads("\n".join(off))


def test_entries_that_are_marked_off_are_right_too() -> None:
    providers = TABLES.providers | {n: Provider.model_validate(e) for n, e in examples("providers.toml").items()}
    contenders = {n: Contender.model_validate(e) for n, e in examples("contenders.toml").items()}
    assert set(contenders) == {
        "google-decisions",
        "llama-cpp-local",
        "vllm-local",
        "ollama-local",
        "lm-studio-local",
        "llama-cpp-decisions",
    }
    check_providers(providers)
    check_contenders(contenders, providers)
    assert all(not providers[e.provider].billed for n, e in contenders.items() if n != "google-decisions")
