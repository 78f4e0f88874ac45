"""One output of a question: what kind it is, and whether a confidence is asked for with it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dmb.contracts.frozen import FrozenLate, Slug

SlotKind = Literal["choice", "label", "bool", "text", "citations"]


class Slot(FrozenLate):
    """One output. ``confidence`` false means that none is asked for, which is not the same as missing."""

    id: Slug
    kind: SlotKind
    confidence: bool = True
    truth: str | None = Field(None, description="field of the user's own data that holds the gold")
