"""Which cell counts: the one of the latest run, in the order given, whatever became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def standing(runs: Iterable[Mapping[K, V]]) -> dict[K, tuple[V, ...]]:
    """Each cell with all that the runs have of it, in the order given: the last one counts, the others gave way.

    Merging a merge changes nothing: what counts, and what gave way to it, depend on the order of the runs alone.
    """
    found: dict[K, tuple[V, ...]] = {}
    for cells in runs:
        for name, cell in cells.items():
            found[name] = (*found.get(name, ()), cell)
    return found


def counting(found: Mapping[K, tuple[V, ...]]) -> dict[K, V]:
    """The cells that count. A cell is never made of two runs' rows: a later failure replaces an earlier success."""
    return {name: cells[-1] for name, cells in found.items()}
