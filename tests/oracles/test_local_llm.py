"""A real language model, served on this machine and asked by the engine: 30 items, one thread.

Nothing is said about how often it is right: it is small, and answers nearly everything alike.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from dmb.contracts.attempt import OUTCOMES, Attempt
from dmb.contracts.receipt import Receipt
from tests.conftest import PROJECT
from tests.oracles.asking import project
from tests.oracles.cells import asked, built

ENTRY = project().contenders["smollm2-135m"]


def _missing() -> str | None:
    for package in ENTRY.packages:
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            return package
    return None


needs_weights = pytest.mark.skipif(
    _missing() is not None, reason=f"a real language model: {_missing()} is not installed, see docs/local-llm.md"
)

#: Messages in our own words; half are to be held back.
TEXTS = [
    json.loads(line)["text"]
    for line in (PROJECT / "data/starter/gate.jsonl").read_text(encoding="utf-8").splitlines()[:24]
]
OPTIONS = ("hold: advertising, a threat or a fraud", "pass: an ordinary message")


def ask(
    patch: pytest.MonkeyPatch, texts: list[str], folder: Path, **settings: Any
) -> tuple[Receipt, list[Attempt], list[dict]]:
    """One attempt an item, whatever comes of it."""
    entry = ENTRY.model_dump(mode="json", exclude_defaults=True)
    entry["serve"] = ENTRY.serve.replace("scripts/", f"{PROJECT}/scripts/")
    entry["settings"] = ENTRY.settings | settings
    provider = project().providers[ENTRY.provider].model_dump(mode="json", exclude_defaults=True)
    return asked(
        patch,
        built(texts, OPTIONS),
        entry,
        provider,
        folder,
        protocol={"request_timeout_s": 60.0},
        policy={"retry_malformed": 0},
    )


def written(attempt: Attempt) -> tuple[str, str]:
    """(finish reason, text) as they stand in the logged reply."""
    [choice] = json.loads(attempt.reply)["choices"]
    return choice["finish_reason"], choice["message"]["content"]


def comes_to(attempt: Attempt, n_options: int) -> str:
    """The outcome, worked out again from the logged reply without any of DMB's code."""
    finish, text = written(attempt)
    if finish == "length":
        return "truncated"
    try:
        value = json.loads(text)
    except ValueError:
        return "malformed"
    if not isinstance(value, dict):
        return "malformed"
    index, confidence = value.get("choice_index"), value.get("confidence")
    sound = type(index) is int and 0 <= index < n_options
    return "valid" if sound and type(confidence) in (int, float) and 0 <= confidence <= 1 else "malformed"


def check(receipt: Receipt, attempts: list[Attempt], decisions: list[dict], n: int) -> None:
    """Every reply is counted once, as what it is, and nothing but a whole answer has an answer in it."""
    assert (receipt.status, receipt.n_attempts, len(attempts), len(decisions)) == ("complete", n, n, n)
    assert [a.outcome for a in attempts] == [comes_to(a, len(OPTIONS)) for a in attempts]
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | Counter(a.outcome for a in attempts)
    assert {d["item"]: d["outcome"] for d in decisions} == {a.item: a.outcome for a in attempts}
    for decision in decisions:
        assert bool(decision.get("outputs")) == (decision["outcome"] == "valid")
    for attempt in attempts:
        assert attempt.status == 200 and attempt.failure is None
        assert attempt.timing.request_ms >= attempt.timing.first_byte_ms > 0
    for decision in decisions:
        [usage] = decision["usage"]
        assert usage["input_tokens"] > 50 and 0 < usage["output_tokens"] <= ENTRY.settings["max_output_tokens"]
        assert 0 <= usage["cached_tokens"] < usage["input_tokens"]
        assert decision["served_model"] == ENTRY.model
    print(f"{ENTRY.model}: {n} items, " + ", ".join(f"{k} {v}" for k, v in receipt.outcomes.items() if v))


@needs_weights
def test_answers_under_a_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # all items have the question in common: with the server's prompt cache that is read once, and counted apart
    receipt, attempts, decisions = ask(monkeypatch, TEXTS, tmp_path, cache_prompt=True)
    check(receipt, attempts, decisions, 24)
    first, *others = (d["usage"][0]["cached_tokens"] for d in decisions)
    assert first == 0 and min(others) > 50
    # what is cut off aside, the schema holds
    for attempt in attempts:
        finish, text = written(attempt)
        if finish == "stop":
            assert list(json.loads(text)) == ["choice_index", "confidence"]
        assert json.loads(attempt.body)["response_format"]["type"] == "json_schema"
    assert receipt.outcomes["valid"] > 0
    for decision in decisions:
        for output in decision.get("outputs", {}).values():
            assert output["confidence_kind"] == "stated"
    # log-probabilities are in the log, twenty for each token
    for attempt in attempts:
        [choice] = json.loads(attempt.reply)["choices"]
        tokens = choice["logprobs"]["content"]
        assert tokens and all(len(t["top_logprobs"]) == 20 and t["logprob"] <= 0 for t in tokens)


@needs_weights
def test_replies_in_json_mode_are_counted_and_not_repaired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # without that cache each of them is read from its beginning, which takes most of the time
    receipt, attempts, decisions = ask(monkeypatch, TEXTS[:6], tmp_path, structured="json_mode")
    check(receipt, attempts, decisions, 6)
    assert {d["usage"][0]["cached_tokens"] for d in decisions} == {0}, "the entry turns the prompt cache off"
    assert {json.loads(a.body)["response_format"]["type"] for a in attempts} == {"json_object"}
    assert receipt.outcomes["valid"] < 6, "a model of this size has not yet been seen to keep to a form it was told"


def test_a_file_that_is_not_there_is_told_in_one_line() -> None:
    script = [sys.executable, str(PROJECT / "scripts/serve_local_llm.py"), "--port", "1", "--gguf", "no-such.gguf"]
    done = subprocess.run(script, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "--gguf: no-such.gguf is no file\n")


def test_the_page_shows_the_entry_as_it_is() -> None:
    page = (PROJECT / "docs/local-llm.md").read_text(encoding="utf-8")
    entry = page.partition("```toml\n")[2].partition("```")[0]
    assert entry in (PROJECT / "data/contenders.toml").read_text(encoding="utf-8")
