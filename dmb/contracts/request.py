"""The neutral form of a question, before any wire has shaped it; its digest names the request."""

from __future__ import annotations

from dmb.contracts.frozen import Frozen
from dmb.contracts.suite import Slot


class Request(Frozen):
    """``state``: the rendered item; ``instructions``: the question; ``options``: texts in the order shown."""

    state: str
    instructions: str
    options: tuple[str, ...]
    slots: tuple[Slot, ...]
    confidence_definition: str
