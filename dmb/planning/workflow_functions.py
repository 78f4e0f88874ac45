"""Functions as the workflow's rules take them: of wildcards, with their signature stated beforehand.

Snakemake looks at the signature of each function several times for each job. Working it out anew takes longer than most of the
functions themselves, so it is kept with them, as PEP 362 has it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from dmb.errors import DmbError
from dmb.planning.saying import refuse

T = TypeVar("T")

_SIGNATURE = inspect.Signature([inspect.Parameter("wildcards", inspect.Parameter.POSITIONAL_OR_KEYWORD)])


def of_wildcards(function: Callable[[Any], T]) -> Callable[[Any], T]:
    """For resources: what it raises is the workflow's to tell."""

    def call(wildcards: Any) -> T:
        return function(wildcards)

    call.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
    return call


def told(function: Callable[[Any], T]) -> Callable[[Any], T]:
    """For inputs and parameters: a refusal reaches the user as one line, with its exit code, and ends the workflow.

    They are called before the first job alone.
    """

    def call(wildcards: Any) -> T:
        try:
            return function(wildcards)
        except DmbError as e:
            refuse(e)

    call.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
    return call
