"""Every provider in use, and every wire, against exchanges recorded in tests/wire: no server, no socket.

A new provider of a known wire is an entry in data/providers.toml, a contender, and what this script records of it.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dmb.contracts.recording import Recording
from dmb.contracts.request import Request
from dmb.planning.project import load_project
from dmb.store.exchanges import ExchangeFolder
from dmb.transport.allow_list import AllowList
from dmb.transport.recordings import exchange_key
from dmb.wires import WIRES
from tests.conftest import PROJECT

FOLDER = PROJECT / "tests/wire"
COMMAND = "python scripts/record_exchanges.py"
LARGEST = 400_000


@cache
def script() -> ModuleType:
    """The recorder: what it asks is what is asked here."""
    spec = importlib.util.spec_from_file_location("record_exchanges", PROJECT / "scripts/record_exchanges.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


WAYS = script().ways(load_project(PROJECT))


def found(way: Any, question: Request) -> Recording | None:
    request = way.request(question)
    return ExchangeFolder(FOLDER).load(request.provider, exchange_key(request))


def recorded(kind: tuple[str, str, str | None]) -> list[tuple[Any, Request, Recording]]:
    """(contender's way, question, recording) for whichever contenders of a kind there are any."""
    questions = (script().QUESTION, script().ONE_OPTION)
    return [(way, q, r) for way in WAYS[kind] for q in questions if (r := found(way, q)) is not None]


def expected_of(kind: tuple[str, str, str | None]) -> dict[str, dict[str, Any]]:
    """Case -> what stands beside the exchange."""
    return {x.expected["case"]: x.expected for _, _, r in recorded(kind) for x in r.exchanges}


#: Case -> what it must come to, for everybody but those below. A failure has its kind.
COMES_TO = {
    "answered": "valid",
    "bad key": "failed: authentication",
    "rate limit": "failed: rate_limit",
    "overloaded": "failed: overloaded",
    "refusal": "refused",
    "truncated": "truncated",
    "malformed": "malformed",
    # a key is not wanted by who is served here
    "one option": "failed: rejected",
}

#: Services that answer with probabilities write no text that could end early: a reply that is cut off is none.
CUT_OFF_IS_MALFORMED = ("systemone", "decisions")

#: jev and Clef answer whatever they are asked.
DECLINE_NOTHING = ("typesafe", "sparrow", "cloudflare")


def comes_to(expected: dict[str, Any]) -> str:
    kind = expected.get("failure")
    return expected["outcome"] if kind is None else f"{expected['outcome']}: {kind}"


# -- what there must be


@pytest.mark.parametrize("kind", WAYS, ids=str)
def test_every_way_of_asking_a_provider_in_use_is_recorded(kind: tuple[str, str, str | None]) -> None:
    names = ", ".join(way.contender for way in WAYS[kind])
    assert recorded(kind), (
        f"{kind}: what {names} would be sent is not recorded in tests/wire: it is new, or it has changed; `{COMMAND}` "
        "records it"
    )
    cases = expected_of(kind)
    assert "answered" in cases
    provider, wire, _ = kind
    if provider == "sparrow":
        assert "one option" in cases
        return
    assert {"bad key", "truncated", "malformed", "rate limit", "overloaded"} <= set(cases)
    assert ("refusal" in cases) == (provider not in DECLINE_NOTHING)
    if wire not in CUT_OFF_IS_MALFORMED:
        assert cases["answered"]["decision"]["confidence_kind"] == "stated"


def test_every_wire_is_refused_cut_off_and_answered_with_nonsense() -> None:
    by_wire: dict[str, Counter[str]] = {}
    for kind in WAYS:
        by_wire.setdefault(kind[1], Counter()).update(comes_to(e) for e in expected_of(kind).values())
    assert set(by_wire) == set(WIRES)
    for wire, outcomes in by_wire.items():
        wanted = {"valid", "malformed", "failed: authentication"}
        wanted |= set() if wire == "systemone" else {"refused"}
        wanted |= set() if wire in CUT_OFF_IS_MALFORMED else {"truncated"}
        assert wanted <= set(outcomes), wire


def test_all_providers_that_a_contender_uses_are_there() -> None:
    project = load_project(PROJECT)
    used = {e.provider for e in project.contenders.values() if e.wire is not None}
    assert used == {p.name for p in FOLDER.iterdir() if p.is_dir()}


# -- what it comes to


@pytest.mark.parametrize("kind", WAYS, ids=str)
def test_each_exchange_comes_to_what_stands_beside_it(kind: tuple[str, str, str | None]) -> None:
    for way, question, recording in recorded(kind):
        asker = way.asker("", None, replay=FOLDER)
        for x in recording.exchanges:
            expected = dict(x.expected)
            case = expected.pop("case")
            assert script().comes_to(asker, question) == expected, case
        asker.close()


@pytest.mark.parametrize("kind", WAYS, ids=str)
def test_what_stands_beside_it_is_what_it_should_be(kind: tuple[str, str, str | None]) -> None:
    for case, expected in expected_of(kind).items():
        wanted = "malformed" if case == "truncated" and kind[1] in CUT_OFF_IS_MALFORMED else COMES_TO[case]
        assert comes_to(expected) == wanted, case
        if case == "answered":
            answer, usage = expected["decision"], expected.get("usage")
            assert answer["value"] == f"o{answer['position']}" and 0 < answer["confidence"] <= 1
            # the small server counts nothing, which is not the same as none
            assert (usage is None) == (kind[0] == "sparrow")
            assert usage is None or usage["input_tokens"] > 20


def test_a_changed_body_is_a_miss_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = next(k for k in WAYS if k[0] == "anthropic")
    colder = [
        type(way)(way.contender, way.entry.model_copy(update={"settings": way.entry.settings | {"temperature": 1}}), way.provider)
        for way in WAYS[kind]
    ]  # fmt: skip
    monkeypatch.setitem(WAYS, kind, colder)
    with pytest.raises(AssertionError, match=rf"claude-haiku-4-5.*would be sent is not recorded.*`{COMMAND}`"):
        test_every_way_of_asking_a_provider_in_use_is_recorded(kind)


# -- what lies there


def files() -> list[Path]:
    return sorted(FOLDER.glob("*/*.json"))


def test_nothing_lies_there_that_nobody_asks_and_all_of_it_is_small() -> None:
    asked = {ExchangeFolder(FOLDER).path(r.request.provider, r.key) for k in WAYS for _, _, r in recorded(k)}
    assert asked == set(files()), f"`{COMMAND}` deletes what nobody asks"
    assert sum(p.stat().st_size for p in FOLDER.rglob("*") if p.is_file()) < LARGEST


@pytest.mark.parametrize("path", files(), ids=lambda p: "/".join(p.parts[-2:]))
def test_a_file_holds_nothing_that_the_allow_list_would_blot_out(path: Path) -> None:
    recording = Recording.model_validate_json(path.read_bytes())
    allowed = AllowList(recording.request.body)
    for x in recording.exchanges:
        assert x.body is not None and allowed.body(x.body) == x.body
        assert allowed.headers(x.headers) == x.headers
        assert x.error is None and x.sent
    assert not re.search(r"(?i)dmb-test-of-a-wrong-key|@[a-z]+\.[a-z]", path.read_text(encoding="utf-8"))


def test_real_and_simulated_are_told_apart() -> None:
    real = {
        (p.parent.name, x["expected"]["case"])
        for p in files()
        for x in json.loads(p.read_bytes())["exchanges"]
        if x["headers"].get("x-simulated") != "true"
    }
    assert {("sparrow", "answered"), ("sparrow", "one option"), ("local-llm", "answered")} <= real
    assert "**Most of them are simulated.**" in (FOLDER / "README.md").read_text(encoding="utf-8")


# -- the script


def test_the_script_records_what_is_not_there_and_keeps_what_is_real(tmp_path: Path) -> None:
    kind = ("typesafe", "systemone", None)
    s = script()
    s.record_simulated(load_project(PROJECT), tmp_path, [kind])
    [made] = tmp_path.glob("*/*.json")
    [(_, _, before)] = recorded(kind)
    assert Recording.model_validate_json(made.read_bytes()).request == before.request
    # one that somebody recorded for real
    told = json.loads(made.read_bytes())
    del told["exchanges"][0]["headers"]["x-simulated"]
    told["exchanges"][0]["body"] = "{}"
    made.write_text(json.dumps(told))
    s.record_simulated(load_project(PROJECT), tmp_path, [kind])
    again = json.loads(made.read_bytes())
    assert again["exchanges"] == told["exchanges"]


def test_the_script_asks_a_real_provider_for_its_key() -> None:
    command = [sys.executable, str(PROJECT / "scripts/record_exchanges.py"), "--live", "jev"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "jev: set TYPESAFE_API_KEY\n")
    done = subprocess.run([*command[:-1], "random"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "random: is no contender with a provider to be asked\n")


def test_the_script_records_a_real_provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider is a simulator behind the entry's address: it takes one key, and the made-up one is refused."""
    s, key = script(), "sk-a-real-key-0123456789"
    project = load_project(PROJECT)
    with s.Simulator(key=key) as simulator:
        there = project.providers["openai"].model_copy(update={"address": f"{simulator.address}/openai"})
        project.providers["openai"] = there
        monkeypatch.setenv("OPENAI_API_KEY", key)
        s.record_live(project, tmp_path, "gpt-5-4-mini")
        assert simulator.counts()["requests"] == 2
    [made] = tmp_path.glob("*/*.json")
    told = [
        (x.expected["case"], comes_to(x.expected)) for x in Recording.model_validate_json(made.read_bytes()).exchanges
    ]
    assert told == [("answered", "valid"), ("bad key", "failed: authentication")]
    assert key not in made.read_text() and s.NO_KEY not in made.read_text()
