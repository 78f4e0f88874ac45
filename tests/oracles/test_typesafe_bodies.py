"""The bodies of System One and of the services that took its shape, beside those that TypeSafe's SDK sends."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from dmb.contracts.request import Request
from tests.oracles import replies
from tests.oracles.asking import (
    KEY,
    QUESTIONS,
    Case,
    Sent,
    captured,
    cases_and_questions,
    entries,
    installed,
    project,
    same,
)

typesafe_sdk = installed("typesafe_sdk", "what jev is sent")

CASES = entries("systemone") | {
    name: case
    for name, case in {
        "openrouter": Case("decisions", "typesafe/jev-1.14", {}, {"shape": "openrouter"}),
        "cloudflare": Case("decisions", "clef", {}, {"shape": "cloudflare"}),
        **entries("decisions"),
    }.items()
    if case.dialect.get("shape") in ("openrouter", "cloudflare")
}


def sdk_system_one(request: Request, model: str, below: str) -> Sent:
    """The same question through the SDK; it adds ``/v1/systemone`` to its address by itself."""
    questions = {
        slot.id: typesafe_sdk.Choice(instructions=request.instructions, criteria=dict.fromkeys(request.options))
        for slot in request.slots
    }
    reply = replies.system_one([s.id for s in request.slots])
    return captured(reply, lambda address: client(address + below, model).system_one(request.state, questions))


@cache
def client(address: str | None, model: str) -> Any:
    retry = typesafe_sdk.RetryPolicy(max_retries=0)
    return typesafe_sdk.TypeSafeClient(api_key=KEY, base_url=address, model=model, retry=retry, timeout=5)


@pytest.mark.parametrize("name, question", cases_and_questions(CASES))
def test_system_one(name: str, question: str) -> None:
    case, request = CASES[name], QUESTIONS[question]
    ours = case.sent(request)
    below = "" if case.wire == "systemone" else "/api"
    theirs = sdk_system_one(request, ours.body["model"], below)
    if case.dialect.get("shape") == "cloudflare":
        # the body is System One's; the path is Cloudflare's own, and nobody's SDK knows it
        theirs = Sent(ours.path, theirs.headers, theirs.body)
    same(ours, theirs)


@pytest.mark.parametrize("name", CASES)
def test_a_body_is_of_the_sdks_type(name: str) -> None:
    models = pytest.importorskip("typesafe_sdk._schemas.models", reason="typesafe-sdk has moved its types")
    body = CASES[name].sent(QUESTIONS["3 options"]).body
    models.SystemOneRequest.model_validate(body)
    [[slot, question]] = body["questions"].items()
    options = {slot: {"type": "choice", "options": list(question["criteria"])}}
    with pytest.raises(ValueError):
        models.SystemOneRequest.model_validate(body | {"questions": options})


def test_the_address_and_the_variable_of_the_credential_are_the_sdks() -> None:
    provider = project().providers["typesafe"]
    assert provider.credential == (typesafe_sdk.constants.API_KEY_ENV,)
    assert provider.address == typesafe_sdk.constants.DEFAULT_BASE_URL


@pytest.mark.parametrize("name", [n for n, c in entries("systemone").items() if c.model.startswith("jev")])
def test_a_model_is_pinned(name: str) -> None:
    """The SDK's own default moves; a benchmark names what it measures."""
    assert CASES[name].model not in (typesafe_sdk.constants.DEFAULT_MODEL, "jev-preview")
