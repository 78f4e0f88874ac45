"""The question that probes ask: small, of our own, and never scored."""

from __future__ import annotations

from dmb.canonical import text_digest
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.parsing import Shown
from dmb.prompting import CONFIDENCE_DEFINITION

#: What stands in the place of cell and suite in the rows of probes.
NEGOTIATION = "negotiation"

_OPTIONS = ("weather", "cooking")
REQUEST = Request(
    state="It has been raining since this morning, and the wind is picking up.",
    instructions="What is the text about?",
    options=_OPTIONS,
    slots=(Slot(id="decision", kind="choice"),),
    confidence_definition=CONFIDENCE_DEFINITION,
)
SHOWN: Shown = tuple((text, text_digest(text)) for text in _OPTIONS)
