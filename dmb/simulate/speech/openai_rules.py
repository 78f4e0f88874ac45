"""Rules of OpenAI and its look-alikes that chat completions and responses share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dmb.simulate.asked import Asked, Refused
from dmb.simulate.body_checks import one_of

_EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})

#: Start of a model's name -> efforts that it refuses. The longest that fits counts.
_REFUSED_EFFORTS: dict[str, frozenset[str]] = {
    "gpt-5.": frozenset({"minimal"}),
    "gpt-6": frozenset({"minimal"}),
    "gpt-5-": frozenset({"none"}),
    "gpt-4": _EFFORTS,
    "gpt-oss": frozenset({"none", "minimal"}),
    "muse-": frozenset({"none"}),
    "glm-5.3": frozenset({"none", "minimal", "medium", "xhigh"}),
}

#: Start of a model's name -> what its effort is when none is sent. Other models take a temperature all the same.
_DEFAULT_EFFORT = {"gpt-5.4": "none", "gpt-5": "medium", "gpt-6": "medium"}

_DEEPEST, _MOST_ENUMS, _MOST_PROPERTIES = 10, 1000, 5000
_LONG_ENUM, _LONG_ENUM_CHARACTERS = 250, 15_000


def check_reasoning(asked: Asked, effort: Any, param: str) -> None:
    """The effort is one that the model takes, and a temperature goes with it."""
    if effort is not None:
        one_of(effort, _EFFORTS, param)
        if effort in _by_prefix(_REFUSED_EFFORTS, asked.model, frozenset()):
            raise Refused("bad_request", f"{param}: {asked.model} does not take {effort}", param, "unsupported_value")
    temperature = asked.body.get("temperature")
    reasons = _by_prefix(_DEFAULT_EFFORT, asked.model, None)
    if temperature in (None, 1) or reasons is None:
        return
    if (effort or reasons) != "none":
        at = "temperature"
        raise Refused("bad_request", f"{at}: {asked.model} takes only 1 while it reasons", at, "unsupported_value")


def _by_prefix(table: dict[str, Any], model: str, otherwise: Any) -> Any:
    fitting = [start for start in table if model.startswith(start)]
    return table[max(fitting, key=len)] if fitting else otherwise


def wants_json_word(asked: Asked, texts: Sequence[str], param: str) -> None:
    """JSON mode of some providers wants the word JSON in the prompt."""
    if asked.speaker.json_word and not any("json" in text.lower() for text in texts):
        raise Refused("bad_request", f"{param}: the word json must be in the prompt for JSON mode", param)


def check_strict_schema(schema: dict[str, Any], param: str) -> None:
    """What strict mode takes: closed objects whose properties are all required, no defaults, within limits."""
    counted = {"properties": 0, "enums": 0}
    _check(schema, param, 1, counted)
    if counted["properties"] > _MOST_PROPERTIES:
        raise _bad(param, f"at most {_MOST_PROPERTIES} properties")
    if counted["enums"] > _MOST_ENUMS:
        raise _bad(param, f"at most {_MOST_ENUMS} enum values in all")


def _check(schema: Any, param: str, depth: int, counted: dict[str, int]) -> None:
    if not isinstance(schema, dict):
        return
    if depth > _DEEPEST:
        raise _bad(param, f"at most {_DEEPEST} levels of nesting")
    if "default" in schema:
        raise _bad(param, "default is not permitted")
    if isinstance(values := schema.get("enum"), list):
        counted["enums"] += len(values)
        if len(values) > _LONG_ENUM and sum(len(v) for v in values if isinstance(v, str)) > _LONG_ENUM_CHARACTERS:
            raise _bad(
                param, f"an enum of more than {_LONG_ENUM} values has at most {_LONG_ENUM_CHARACTERS} characters"
            )
    properties = schema.get("properties")
    if schema.get("type") == "object" or properties is not None:
        if schema.get("additionalProperties") is not False:
            raise _bad(param, "additionalProperties must be given and false")
        properties = properties if isinstance(properties, dict) else {}
        if set(schema.get("required") or []) != set(properties):
            raise _bad(param, "required must name every property")
        counted["properties"] += len(properties)
        for part in properties.values():
            _check(part, param, depth + 1, counted)
    for name in ("anyOf", "prefixItems"):
        for part in schema.get(name) or []:
            _check(part, param, depth + 1, counted)
    for part in (schema.get("$defs") or {}).values():
        _check(part, param, depth + 1, counted)
    _check(schema.get("items"), param, depth + 1, counted)


def _bad(param: str, what: str) -> Refused:
    return Refused("bad_schema", f"the schema is not accepted: {what}", param, "invalid_json_schema")
