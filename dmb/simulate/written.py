"""What a language model answers: the question as this project puts it, or any JSON schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from dmb.simulate.asked import Understood
from dmb.simulate.draws import Draw

#: Below this depth a schema is answered with null: it refers to itself.
_DEEPEST = 12

_NUMBERED = re.compile(r"^(\d+)\. ", re.M)


def options_in(prompt: str) -> int:
    """How many options a prompt of ours numbers, from 0; 0 where it is somebody else's prompt."""
    _, found, rest = prompt.partition("\nOptions:\n")
    if not found:
        return 0
    listed, _, _ = rest.rpartition("\n\nAnswer as JSON:")
    n = 0
    for number in _NUMBERED.findall(listed):
        # an option's own text may hold numbered lines
        if int(number) == n:
            n += 1
    return n


def written_answer(asked: Understood, draw: Draw) -> Any:
    """The value that the model writes as JSON; a text where JSON was not asked for in any way."""
    n = asked.options
    if asked.schema is not None:
        return _Filler(draw, n).value(asked.schema, asked.schema, "", 0)
    if n:
        return {"choice_index": draw.below(n, "choice_index"), "confidence": confidence(draw, "confidence")}
    if asked.form == "json":
        return {"answer": draw.below(2, "answer") == 1}
    return "a simulated answer"


def confidence(draw: Draw, purpose: str) -> float:
    """Two decimals, from 0.50 to 0.99."""
    return (50 + draw.below(50, purpose)) / 100


class _Filler:
    """A value for a schema. ``n``: how many options there are to index, where the prompt says."""

    def __init__(self, draw: Draw, n: int) -> None:
        self._draw = draw
        self._n = n

    def value(self, schema: Any, root: Mapping[str, Any], at: str, depth: int) -> Any:
        """Anything that the schema allows, drawn by where it stands."""
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return None
        if isinstance(ref := schema.get("$ref"), str):
            return self.value(_lookup(root, ref), root, at, depth + 1)
        if "const" in schema:
            return schema["const"]
        if isinstance(listed := schema.get("enum"), list) and listed:
            return listed[self._draw.below(len(listed), at)]
        for several in ("anyOf", "oneOf", "allOf"):
            if isinstance(parts := schema.get(several), list) and parts:
                return self.value(parts[0], root, at, depth + 1)
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = next((k for k in kind if k != "null"), "null")
        return self._of_kind(str(kind).lower(), schema, root, at, depth)

    def _of_kind(self, kind: str, schema: dict[str, Any], root: Mapping[str, Any], at: str, depth: int) -> Any:
        if kind == "object":
            fields = schema.get("properties")
            fields = fields if isinstance(fields, dict) else {}
            return {k: self.value(part, root, f"{at}.{k}", depth + 1) for k, part in fields.items()}
        if kind == "array":
            return self._list(schema, root, at, depth)
        if kind == "integer":
            return self._integer(schema, at)
        if kind == "number":
            low, high = _number(schema.get("minimum"), 0.0), _number(schema.get("maximum"), 1.0)
            share = confidence(self._draw, at)
            return share if (low, high) == (0.0, 1.0) else low + (high - low) * share
        if kind == "boolean":
            return self._draw.below(2, at) == 1
        return None if kind == "null" else "simulated"

    def _list(self, schema: dict[str, Any], root: Mapping[str, Any], at: str, depth: int) -> list[Any]:
        least = schema.get("minItems")
        n = least if isinstance(least, int) and least > 1 else 1
        fixed = schema.get("prefixItems")
        parts = list(fixed) if isinstance(fixed, list) else []
        parts += [schema.get("items")] * max(0, n - len(parts))
        return [self.value(part, root, f"{at}.{i}", depth + 1) for i, part in enumerate(parts)]

    def _integer(self, schema: dict[str, Any], at: str) -> int:
        if self._n and at.rpartition(".")[2] == "choice_index":
            return self._draw.below(self._n, "choice_index" if at == ".choice_index" else at)
        low = int(_number(schema.get("minimum"), 0))
        high = int(_number(schema.get("maximum"), low + 9))
        return low + self._draw.below(max(1, high - low + 1), at)


def _lookup(root: Mapping[str, Any], ref: str) -> Any:
    found: Any = root
    for step in ref.removeprefix("#").strip("/").split("/"):
        if step:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found


def _number(value: Any, otherwise: float) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else otherwise


def as_text(value: Any) -> str:
    """The value as the model writes it down; NaN and keys that stand twice come out as they are."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
