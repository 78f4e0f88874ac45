"""How many tokens a simulated provider counts: one for every four characters begun, and what comes of that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dmb.contracts.attempt import Usage

CHARACTERS = 4


def tokens_of(texts: Iterable[str]) -> int:
    """Of the texts together, at least one."""
    return max(1, -(-sum(map(len, texts)) // CHARACTERS))


@dataclass(slots=True)
class Tokens:
    """What the model worked through, as it is billed. ``input`` is the whole prompt, ``cached`` and ``cache_write`` parts
    of it; ``reasoning`` is a part of ``output``."""

    input: int
    output: int
    cached: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def usage(self) -> Usage:
        """The same as the contract that prices are applied to."""
        return Usage(
            input_tokens=self.input,
            cached_tokens=self.cached,
            cache_write_tokens=self.cache_write,
            output_tokens=self.output,
            reasoning_tokens=self.reasoning,
        )
