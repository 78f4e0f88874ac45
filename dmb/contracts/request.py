"""The neutral form of a question, before any wire has shaped it; its digest names the request."""

from __future__ import annotations

from typing import NamedTuple

from dmb.contracts.slot import Slot


class Request(NamedTuple):
    """``state``: the rendered item; ``instructions``: the question; ``options``: texts in the order shown."""

    state: str
    instructions: str
    options: tuple[str, ...]
    slots: tuple[Slot, ...]
    confidence_definition: str
