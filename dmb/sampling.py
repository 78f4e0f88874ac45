"""Seeded choices that are the same on every platform and Python version.

Order and membership are decided by sha256 of (seed, label, key), never by a generator whose algorithm may change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

#: Drawn once for all smoke runs, so that two of them ask the same items.
SUBSET_SEED = 20261130


def rank(seed: int, *parts: object) -> int:
    """A 128-bit number that depends on the seed and the parts alone."""
    text = "\x1f".join([str(seed), *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:16], "big")


def unit(seed: int, *parts: object) -> float:
    """A number in [0, 1) with 53 random bits."""
    return (rank(seed, *parts) >> 75) / (1 << 53)


def shuffled(rows: Iterable[T], seed: int, label: str, key: Callable[[T], object] = lambda row: row) -> list[T]:
    """All rows, in an order drawn by the seed. ``key`` names a row; equal keys keep their order."""
    return sorted(rows, key=lambda row: rank(seed, label, key(row)))


def sample(rows: Iterable[T], k: int, seed: int, label: str, key: Callable[[T], object] = lambda row: row) -> list[T]:
    """``k`` rows without replacement, in drawn order. Raises ``ValueError`` when there are fewer."""
    drawn = shuffled(rows, seed, label, key)
    if len(drawn) < k:
        raise ValueError(f"sample of {k} from {len(drawn)} rows")
    return drawn[:k]


def pick(rows: Sequence[T], seed: int, *parts: object) -> T:
    """One row."""
    return rows[rank(seed, *parts) % len(rows)]


def permutation(n: int, seed: int, *parts: object) -> tuple[int, ...]:
    """A permutation of range(n)."""
    return tuple(sorted(range(n), key=lambda i: rank(seed, *parts, i)))
