"""The JSON schema of an answer, for contenders whose output can be constrained by one.

It has no list of option texts and no numeric bounds: 512 options exceed what providers take, and several refuse or
ignore bounds. What the schema leaves open is checked when the reply is parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dmb.contracts.slot import Slot

#: Some providers want a name for the schema: letters, digits, `_` and `-`, at most 64.
SCHEMA_NAME = "decision"


def answer_schema(slots: Sequence[Slot], confidence_definition: str) -> dict[str, Any]:
    """``{choice_index, confidence}`` for a single choice; an object of those by slot id for several.

    Every property is required and none may be added, which is what strict modes demand.
    Raises ``NotImplementedError`` for a slot kind that is no choice.
    """
    parts = {slot.id: _slot_schema(slot, confidence_definition) for slot in slots}
    if len(parts) == 1:
        return next(iter(parts.values()))
    return _object(parts)


def _slot_schema(slot: Slot, confidence_definition: str) -> dict[str, Any]:
    if slot.kind != "choice":
        raise NotImplementedError(f"slot kind {slot.kind}")
    fields: dict[str, Any] = {
        "choice_index": {"type": "integer", "description": "number of the chosen option, counted from 0 as listed"}
    }
    if slot.confidence:
        fields["confidence"] = {"type": "number", "description": confidence_definition}
    return _object(fields)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
