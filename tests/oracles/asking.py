"""One question for two speakers: what DMB puts on the wire, and what a vendor's SDK puts there when it is asked the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, create_model

from dmb.canonical import text_digest
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.engine.askers import WireAsker
from dmb.engine.judge import Verdict, judge
from dmb.planning.project import Project, load_project
from dmb.prompting import CONFIDENCE_DEFINITION
from dmb.wires import WIRES
from tests.conftest import PROJECT
from tests.engine.made_up import Server

KEY = "not-a-real-key-0123456789"


def question(n_options: int, *slots: Slot) -> Request:
    """A question with a text that is not ASCII and as many options as wanted."""
    return Request(
        state="charged twice\u2028— è \U0001f4b8",
        instructions="Which “queue”?",
        options=("Billing", "A bug — è", *(f"option {n}" for n in range(2, n_options))),
        slots=slots,
        confidence_definition=CONFIDENCE_DEFINITION,
    )


CHOICE = Slot(id="queue", kind="choice")
QUESTIONS = {
    "3 options": question(3, CHOICE),
    "77 options": question(77, CHOICE),
    "2 slots": question(3, CHOICE, Slot(id="next", kind="choice", confidence=False)),
}
QUESTION = QUESTIONS["3 options"]


# -- what DMB sends


@dataclass(frozen=True)
class Sent:
    """One request as a server sees it; ``path`` below the provider's address, header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Case:
    """How one contender is asked: settings from its entry, dialect from its provider's."""

    wire: str
    model: str
    settings: Mapping[str, Any]
    dialect: Mapping[str, Any]

    def sent(self, request: Request) -> Sent:
        """What DMB sends for it, credential included."""
        wire = WIRES[self.wire]
        call = wire.call(request, self.model, self.settings, self.dialect)
        assert (call.method, call.unsupported) == ("POST", None)
        return Sent(call.path, {**call.headers, **wire.authorise(KEY, self.dialect)}, json.loads(call.body))


@cache
def project() -> Project:
    """The tables of this checkout."""
    return load_project(PROJECT)


def entries(wire: str) -> dict[str, Case]:
    """Every contender of a wire, the retired ones too, so that one that is new is covered by itself."""
    providers = project().providers
    return {
        name: Case(wire, entry.model, entry.settings, providers[entry.provider].dialect)
        for name, entry in project().contenders.items()
        if entry.wire == wire
    }


def asker(case: Case, address: str, key: str | None) -> WireAsker:
    """DMB's own, over its own transport; to be closed."""
    return WireAsker(case.wire, case.model, case.settings, case.dialect, "lab", address, key, 1, 5.0)


def asked(asker: WireAsker, request: Request) -> Verdict:
    """What DMB makes of one attempt at a question. Options are ``o0``, ``o1`` and so on."""
    shown = [(f"o{n}", text_digest(text)) for n, text in enumerate(request.options)]
    a = asker.ask(request, asker.call(request), ("i", 0, 0), tuple(i for i, _ in shown))
    return judge(asker.name, a.status, a.headers, a.reply, a.failure, shown, request.slots)


# -- what an SDK sends


class _Late:
    """A module that is loaded by the first look into it: SDKs take seconds, and not every process comes to ask one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        # what pytest asks of everything that it finds in a file of tests
        if name.startswith(("_", "pytest")):
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def installed(name: str, oracle_for: str) -> Any:
    """The module of an SDK; the test file that asks for it is skipped where it is not there."""
    package, _, _ = name.partition(".")
    if find_spec(package) is None or find_spec(name) is None:
        pytest.skip(f"oracle for {oracle_for}: {name} is not installed", allow_module_level=True)
    return _Late(name)


def strict_client(make: Callable[..., Any], address: str, key: str = KEY, max_retries: int = 0, **more: Any) -> Any:
    """A client of OpenAI's or Anthropic's SDK that reads replies strictly, of that server alone."""
    return make(
        base_url=address, api_key=key, max_retries=max_retries, timeout=5, _strict_response_validation=True, **more
    )


class _Capture:
    """One server for all that this process captures, so that clients of SDKs, which are slow to make, can be kept."""

    def __init__(self) -> None:
        self.reply = b""
        self.server = Server(lambda *_: (200, {"content-type": "application/json"}, self.reply)).__enter__()


@cache
def _capture() -> _Capture:
    return _Capture()


def captured(reply: Any, ask: Callable[[str], Any]) -> Sent:
    """What ``ask(address of a server)`` sends to a server that answers with ``reply``: one request, no more."""
    capture = _capture()
    capture.reply = json.dumps(reply).encode()
    capture.server.sent.clear()
    ask(capture.server.address)
    [sent] = capture.server.sent
    return Sent(*sent)


def cases_and_questions(cases: Mapping[str, Case]) -> list[tuple[str, str]]:
    """(case, question) pairs: every entry with one question, and the cases that are no entries with each."""
    known = project().contenders
    return [(c, q) for c in cases for q in QUESTIONS if q == "3 options" or c not in known]


def answer_model(request: Request) -> type[BaseModel]:
    """The answer as a pydantic model, the form in which SDKs take one and make a schema of it themselves."""

    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")

    def of(slot: Slot, name: str) -> type[BaseModel]:
        fields: dict[str, Any] = {
            "choice_index": (int, Field(description="number of the chosen option, counted from 0 as listed"))
        }
        if slot.confidence:
            fields["confidence"] = (float, Field(description=request.confidence_definition))
        return create_model(name, __base__=Strict, **fields)

    if len(request.slots) == 1:
        return of(request.slots[0], "decision")
    parts: dict[str, Any] = {slot.id: (of(slot, f"Part_{slot.id}"), ...) for slot in request.slots}
    return create_model("decision", __base__=Strict, **parts)


def answer_text(request: Request) -> str:
    """An answer that fits the model, as a language model would write it."""
    parts = {s.id: {"choice_index": 1} | ({"confidence": 0.9} if s.confidence else {}) for s in request.slots}
    return json.dumps(parts[request.slots[0].id] if len(parts) == 1 else parts)


def plain_schema(schema: Any, definitions: Mapping[str, Any] | None = None) -> Any:
    """A schema without the titles that pydantic adds, and with its definitions where they are referred to."""
    if isinstance(schema, list):
        return [plain_schema(s, definitions) for s in schema]
    if not isinstance(schema, dict):
        return schema
    definitions = definitions or schema.get("$defs", {})
    if "$ref" in schema:
        return plain_schema(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    kept = {k: v for k, v in schema.items() if k not in ("$defs", "title")}
    return {k: plain_schema(v, definitions) for k, v in kept.items()}


def same(ours: Sent, theirs: Sent, headers: Collection[str] = ("authorization", "content-type")) -> None:
    """Path, body as JSON, these headers, and the orders that carry meaning. Other orders of keys may differ."""
    assert ours.path == theirs.path
    assert ours.body == theirs.body
    assert orders(ours.body) == orders(theirs.body)
    assert {h: ours.headers[h] for h in headers} == {h: theirs.headers[h] for h in headers}


def orders(body: Any) -> list[list[str]]:
    """An answer's fields as it is to write them, and options as they are shown."""
    if isinstance(body, list):
        return [o for part in body for o in orders(part)]
    if not isinstance(body, dict):
        return []
    here = [list(body[name]) for name in ("properties", "criteria") if isinstance(body.get(name), dict)]
    return here + [o for name in sorted(body) for o in orders(body[name])]
