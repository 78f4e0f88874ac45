"""The one renderer: every contender of a suite gets the same text, whatever its wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from dmb.canonical import digest
from dmb.contracts.item import Item, OptionSet
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot

#: Shared by all contenders; a change here changes every question fingerprint.
CONFIDENCE_DEFINITION = "confidence is the probability, from 0 to 1, that the option you chose is the correct one"


def shown_options(item: Item, option_sets: Mapping[str, OptionSet]) -> tuple[tuple[str, str], ...]:
    """(option id, digest of its text) in the order in which this item shows them; empty without options."""
    if item.options is None:
        return ()
    options = option_sets[item.options.set].options
    order = item.options.order if item.options.order is not None else range(len(options))
    return tuple((options[i].id, options[i].text) for i in order)


def render(
    item: Item, option_sets: Mapping[str, OptionSet], texts: Mapping[str, str], instructions: str, slots: Sequence[Slot]
) -> Request:
    """The neutral request for one item.

    ``texts``: digest -> text. Raises ``KeyError`` with the digest of a text that is not there.
    """
    return Request(
        state=texts[item.state],
        instructions=instructions,
        options=tuple(texts[t] for _, t in shown_options(item, option_sets)),
        slots=tuple(slots),
        confidence_definition=CONFIDENCE_DEFINITION,
    )


def request_digest(request: Request) -> str:
    """sha256 over the canonical JSON of the neutral request: which question it was, whoever was asked."""
    return digest(_as_json(request))


def _as_json(request: Request) -> dict[str, Any]:
    return request._asdict() | {"slots": [_slot_as_json(s) for s in request.slots]}


@cache
def _slot_as_json(slot: Slot) -> dict[str, Any]:
    return slot.model_dump(mode="json")


def language_model_prompt(request: Request) -> tuple[str, str]:
    """(system text, user text) for contenders that read prose. Options are numbered from 0, as the answer is."""
    lines = [f"{i}. {text}" for i, text in enumerate(request.options)]
    system = (
        "You make one decision. Read the text, then pick exactly one option by its number.\n"
        f"Question: {request.instructions}\n\n"
        "Options:\n" + "\n".join(lines) + "\n\n"
        f'Answer as JSON: {{"choice_index": <number of the option>, "confidence": <number>}}, where '
        f"{request.confidence_definition}."
    )
    return system, request.state


def question_fingerprint(instructions: str, slots: Sequence[Slot], prompt_version: int) -> str:
    """Digest of everything about the question that is the same for all items: wording, outputs, confidence."""
    probe = Request(
        state="{state}",
        instructions=instructions,
        options=("{option 0}", "{option 1}"),
        slots=tuple(slots),
        confidence_definition=CONFIDENCE_DEFINITION,
    )
    return digest(
        {
            "request": _as_json(probe),
            "prose": language_model_prompt(probe),
            "prompt_version": prompt_version,
        }
    )
