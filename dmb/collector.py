"""The garbage collector, kept still while much is made that stays."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def uncollected(work: Callable[P, T]) -> Callable[P, T]:
    """The function, without a collection while it runs: rows by the thousand, all of them kept, are walked for nothing.

    What is freed by its count of references is freed all the same; cycles wait until it has returned.
    """

    @wraps(work)
    def undisturbed(*args: P.args, **kwargs: P.kwargs) -> T:
        if not gc.isenabled():
            return work(*args, **kwargs)
        gc.disable()
        try:
            return work(*args, **kwargs)
        finally:
            gc.enable()

    return undisturbed
