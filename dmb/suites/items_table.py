"""Checks of a suite file's ``[items]`` table that builders share; every failure names the suite file and the field."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from dmb.errors import InputError
from dmb.inputs import validate
from dmb.suites.built import BuilderArgs


class Params(BaseModel):
    """Base of a builder's parameters. Strict: ``seed = "1"`` or ``n = true`` is an error, not a number."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


P = TypeVar("P", bound=Params)


def suite_file(args: BuilderArgs) -> str:
    """The suite file's path, relative to the project."""
    return f"data/suites/{args.suite}.toml"


def params(args: BuilderArgs, model: type[P]) -> P:
    """``items.params`` as the builder's own model. Raises ``InputError``."""
    return validate(model, args.params, suite_file(args), prefix="items.params")


def named(args: BuilderArgs, field: str, *wanted: str, optional: int = 0) -> tuple[str, ...]:
    """``items.sources`` or ``items.files``, which the builder reads by position: one a wanted name, in this order.

    ``optional``: how many of the last ones may be left out. Raises ``InputError`` for another count.
    """
    found = tuple(args.sources if field == "sources" else args.files)
    if not len(wanted) - optional <= len(found) <= len(wanted):
        raise InputError(
            suite_file(args), f"items.{field}", f"found {len(found)}", f"list {', '.join(wanted)} in this order"
        )
    return found


def one_slot(args: BuilderArgs) -> str:
    """The id of the suite's only slot. Raises ``InputError`` when it has several or none."""
    if len(args.slots) != 1:
        raise InputError(
            suite_file(args), "slots", f"found {len(args.slots)}", "this builder knows the gold of one slot only"
        )
    return args.slots[0]
