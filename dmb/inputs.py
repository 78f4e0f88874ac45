"""Text of an input file -> contract, with one-line errors that name file, field and mend. Reads no file itself."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import pydantic

from dmb.errors import InputError

if TYPE_CHECKING:
    import yaml

M = TypeVar("M", bound=pydantic.BaseModel)


def nearest(word: str, known: Iterable[str]) -> str:
    """`did you mean …?` with the nearest known word, or the list of known words where none is near."""
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return "known: " + ", ".join(known) if known else ""


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """Raises ``InputError`` with the line of the fault."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise InputError(file, "", f"no valid TOML: {e}", "correct that line") from None


def parse_yaml(text: str, file: str) -> Any:
    """Raises ``InputError`` with the line of the fault; a key that stands twice is one."""
    import yaml

    try:
        return yaml.load(text, Loader=_unique_keys())
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else ""
        problem = " ".join(str(getattr(e, "problem", e)).split())
        raise InputError(file, where, f"no valid YAML: {problem}", "correct that line") from None


@cache
def _unique_keys() -> type[yaml.SafeLoader]:
    """YAML's last-one-wins for a repeated key would drop a release in silence."""
    import yaml

    class UniqueKeys(yaml.SafeLoader):
        pass

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        keys = [loader.construct_object(k) for k, _ in node.value]
        for i, k in enumerate(keys):
            at = node.value[i][0].start_mark
            if isinstance(k, list | dict):
                raise yaml.constructor.ConstructorError(None, None, "a key is no word", at)
            if k in keys[:i]:
                raise yaml.constructor.ConstructorError(None, None, f"key {k!r} stands twice", at)
        return dict(zip(keys, (loader.construct_object(v, deep=True) for _, v in node.value), strict=True))

    UniqueKeys.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    return UniqueKeys


def parse_json(text: str, file: str) -> Any:
    """Raises ``InputError`` with the line of the fault."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as e:
        raise InputError(file, f"line {e.lineno}", f"no valid JSON: {e.msg}", "correct that line") from None


def validate(
    model: type[M], value: Any, file: str, text: str = "", prefix: str = "", unquoted: Collection[str] = ()
) -> M:
    """The value as a contract.

    ``text``: the file's text, to name a line. ``prefix``: where in the file the value stands. ``unquoted``: fields
    whose values no message repeats.
    Raises ``InputError`` for the first fault; an unknown field comes with the nearest known one.
    """
    try:
        return model.model_validate(value)
    except pydantic.ValidationError as e:
        raise _input_error(model, e, file, text, prefix, unquoted) from None


def _input_error(
    model: type[pydantic.BaseModel],
    e: pydantic.ValidationError,
    file: str,
    text: str,
    prefix: str,
    unquoted: Collection[str],
) -> InputError:
    # a misspelt field also shows up as a missing one: name the misspelling
    errors = e.errors(include_url=False)
    error = next((x for x in errors if x["type"] == "extra_forbidden"), errors[0])
    path = [str(p) for p in error["loc"]]
    field = ".".join(([prefix] if prefix else []) + path)
    line = _line_of(text, path)
    where = f"{field} (line {line})" if line else field
    if error["type"] == "extra_forbidden":
        return InputError(file, where, "unknown field", nearest(path[-1], _fields_at(model, path[:-1])))
    if error["type"] == "missing":
        return InputError(file, where, "is missing", f"add {path[-1]!r}")
    problem = f"{error['msg'][0].lower()}{error['msg'][1:]}"
    if not unquoted or (path and path[0] not in unquoted):
        problem += f", found {json.dumps(error['input'], default=str)[:80]}"
    return InputError(file, where, problem, "correct it")


def _fields_at(model: Any, path: list[str]) -> list[str]:
    """Field names of the model that stands at ``path`` below ``model``, as far as annotations tell."""
    for step in path:
        field = getattr(model, "model_fields", {}).get(step)
        if field is None:
            continue  # a key of a mapping or an index of a list: the model below stays the same
        model = _model_in(field.annotation) or model
    return list(getattr(model, "model_fields", {}))


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        return annotation
    for arg in getattr(annotation, "__args__", ()):
        if (found := _model_in(arg)) is not None:
            return found
    return None


def _line_of(text: str, path: list[str]) -> int | None:
    """The line on which the last named step of ``path`` is written below its parents; a hint, so None when unsure."""
    lines = text.splitlines()
    at, found = 0, None
    for step in path:
        pattern = re.compile(rf"(^\s*|[\[.{{,]\s*)[\"']?{re.escape(step)}[\"']?\s*[\]=:.]")
        hit = next((i for i in range(at, len(lines)) if pattern.search(lines[i])), None)
        if hit is None:
            continue
        at, found = hit, hit + 1
    return found
