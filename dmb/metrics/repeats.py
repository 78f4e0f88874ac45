"""Items that are asked several times: one time per item, and how often its repeats disagree."""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Sequence
from dataclasses import replace

from dmb.metrics.columns import same_length
from dmb.metrics.measure import Measure, join_notes, unknown
from dmb.metrics.rates import rate


def item_medians(values_ms: Sequence[float | None], items: Sequence[Hashable]) -> list[float]:
    """The median of each item's known values, items in the order of their first row; one without any is left out.

    `values_ms` (n,): one value per repeat, None where it is not known; any unit goes. `items` (n,): whose repeat it is.
    The median of an even number of values is the mean of the middle two: the lower one would make everybody faster
    than they are, most so where there are two repeats. Equal values count as often as they occur.

    Raises ValueError for different lengths and for a value that is not finite.
    """
    same_length(values_ms=values_ms, items=items)
    known: dict[Hashable, list[float]] = {}
    for row, (value, item) in enumerate(zip(values_ms, items, strict=True)):
        if value is None:
            continue
        if not math.isfinite(value):
            raise ValueError(f"value of row {row} is {value!r}")
        known.setdefault(item, []).append(float(value))
    return [values[0] if len(values) == 1 else statistics.median(values) for values in known.values()]


def disagreement_rate(
    choices_by_item: Sequence[Sequence[Hashable]], groups: Sequence[Hashable] | None = None, level: float = 0.95
) -> Measure:
    """Share of items whose choices are not all the same, among the items that have at least two.

    `choices_by_item` (n,): what the valid repeats of each item chose, none of them None; `groups` (n,) the group of each
    item, None for one item per group. Interval as in `rates.rate`; the note counts the items left out.

    Raises ValueError for different lengths or a group that is None.
    """
    same_length(choices_by_item=choices_by_item, groups=choices_by_item if groups is None else groups)
    kept = [row for row, choices in enumerate(choices_by_item) if len(choices) >= 2]
    if not kept:
        return unknown("no item with two valid repeats" if choices_by_item else "no rows")
    measure = rate(
        [len(set(choices_by_item[row])) > 1 for row in kept],
        None if groups is None else [groups[row] for row in kept],
        level,
    )
    left_out = len(choices_by_item) - len(kept)
    note = f"{left_out} of {len(choices_by_item)} items have fewer than two valid repeats" if left_out else None
    return replace(measure, note=join_notes(note, measure.note))
