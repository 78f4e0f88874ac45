"""The one renderer, pinned: a change of a letter asks everything again and must be meant."""

from __future__ import annotations

import json

import pytest

from dmb.canonical import text_digest
from dmb.contracts.item import Item, Option, OptionRef, OptionSet
from dmb.contracts.slot import Slot
from dmb.prompting import language_model_prompt, question_fingerprint, render, request_digest, shown_options
from dmb.wires.systemone import call

TEXTS = ["Billing", "Ein Fehler, “bug”", "other\nthings"]
STATE = "I was charged twice\u2028this month — è possibile?"
SETS = {"all": OptionSet(id="all", options=tuple(Option(id=f"o{i}", text=text_digest(t)) for i, t in enumerate(TEXTS)))}
SLOTS = (Slot(id="decision", kind="choice"),)
BY_DIGEST = {text_digest(t): t for t in [*TEXTS, STATE]}


def item(order: tuple[int, ...] | None = (2, 0, 1)) -> Item:
    options = OptionRef(set="all", order=order)
    return Item(id="i", group="i", stratum="", state=text_digest(STATE), options=options, gold={"decision": "o0"})


REQUEST = render(item(), SETS, BY_DIGEST, "Which queue?", SLOTS)


def test_options_are_shown_in_the_order_of_the_item():
    assert [i for i, _ in shown_options(item(), SETS)] == ["o2", "o0", "o1"]
    assert [i for i, _ in shown_options(item(None), SETS)] == ["o0", "o1", "o2"]
    assert [i for i, _ in shown_options(item((1,)), SETS)] == ["o1"]
    assert shown_options(item().model_copy(update={"options": None}), SETS) == ()
    assert REQUEST.options == ("other\nthings", "Billing", "Ein Fehler, “bug”")


def test_the_language_model_prompt_is_pinned():
    system, user = language_model_prompt(REQUEST)
    assert user == STATE
    assert system == (
        "You make one decision. Read the text, then pick exactly one option by its number.\n"
        "Question: Which queue?\n"
        "\n"
        "Options:\n"
        "0. other\n"
        "things\n"
        "1. Billing\n"
        "2. Ein Fehler, “bug”\n"
        "\n"
        'Answer as JSON: {"choice_index": <number of the option>, "confidence": <number>}, where confidence is the '
        "probability, from 0 to 1, that the option you chose is the correct one."
    )


def test_the_systemone_body_is_pinned():
    sent = call(REQUEST, "jev-1.14.0", {}, {})
    assert (sent.method, sent.path) == ("POST", "/v1/systemone")
    assert sent.body == (
        '{"model": "jev-1.14.0", "state": "I was charged twice\u2028this month — è possibile?", '
        '"questions": {"decision": {"type": "choice", "instructions": "Which queue?", '
        '"criteria": {"other\\nthings": null, "Billing": null, "Ein Fehler, “bug”": null}}}}'
    )
    # the order of the keys is the order shown
    assert list(json.loads(sent.body)["questions"]["decision"]["criteria"]) == list(REQUEST.options)


def test_digests_are_pinned():
    assert request_digest(REQUEST) == "9bd91c1430042249c33719bcc303d8b2ccb0098bffb4ca345d962ffdd365637d"
    assert (
        question_fingerprint("Which queue?", SLOTS, 1)
        == "24e2d519e1ebd2a0def15e501326f4b3465895d415cd301c3d8cd8f6c3ba2f76"
    )


def test_what_the_question_is_made_of_changes_its_fingerprint():
    mute = (Slot(id="decision", kind="choice", confidence=False),)
    named = (Slot(id="queue", kind="choice"),)
    first = question_fingerprint("Which queue?", SLOTS, 1)
    others = {
        question_fingerprint("Which queue", SLOTS, 1),
        question_fingerprint("Which queue?", mute, 1),
        question_fingerprint("Which queue?", named, 1),
        question_fingerprint("Which queue?", SLOTS, 2),
    }
    assert len(others - {first}) == 4


def test_a_request_differs_with_its_state_and_the_order_of_its_options():
    digests = {request_digest(REQUEST), request_digest(render(item(None), SETS, BY_DIGEST, "Which queue?", SLOTS))}
    digests.add(request_digest(REQUEST._replace(state="x")))
    assert len(digests) == 3


def test_a_text_that_is_not_there_is_named_by_its_digest():
    missing = text_digest("Billing")
    with pytest.raises(KeyError, match=missing):
        render(item(), SETS, {d: t for d, t in BY_DIGEST.items() if d != missing}, "Which queue?", SLOTS)
