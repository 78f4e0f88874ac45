"""What the place of an option in the list does to the choice."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dmb.metrics.columns import boolean_column, same_length
from dmb.metrics.measure import Measure, join_notes, unknown
from dmb.metrics.paired import shrunk_interval
from dmb.metrics.quantiles import normal_critical
from dmb.metrics.rates import rate


@dataclass(frozen=True, slots=True)
class PartRate:
    """One part of the list of options: how often it is chosen, and how often it would be."""

    part: int
    """From 0, the top of the list."""
    chosen: Measure
    """Share of rows whose choice stands in this part."""
    options: float
    """Mean share of the options that stand in it: what choosing blindly would give."""
    gold: float | None
    """Share of rows whose right option stands in it; None where no places of the gold were given."""


def position_effect(
    permuted: Sequence[bool],
    permuted_groups: Sequence[Hashable],
    rerun: Sequence[bool],
    rerun_groups: Sequence[Hashable],
    level: float = 0.95,
) -> Measure:
    """Flips under another order minus flips when the same question is merely asked again, paired by base item.

    `permuted`, `rerun`: whether the choice differs from the base answer, one boolean per pair of valid decisions (other
    order; same order again); `..._groups`: the base item of each, an item may have several pairs of either kind.
    Each item that has both kinds gives one difference of shares in [-1, 1]; value = num / den is their mean, den = n =
    the items. Items that lack a kind are left out, and the note counts them.

    Interval: Agresti and Min's rule on these differences (`paired.shrunk_interval`), so it keeps a width where nothing
    flips at all (95 % limits cover 95 % and more, docs/statistics.md), which the note then says: no flips show that the effect is small, not that there is none.
    No item with both: unknown. Raises ValueError for different lengths, and for None among flips or groups.
    """
    flips = _by_item(permuted, permuted_groups, "permuted"), _by_item(rerun, rerun_groups, "rerun")
    both = [item for item in flips[0] if item in flips[1]]
    n_items = len(set(flips[0]) | set(flips[1]))
    if not both:
        return unknown("no item with both a permuted and a rerun answer" if n_items else "no rows")
    shares = [[Fraction(sum(side[item]), len(side[item])) for side in flips] for item in both]
    differences = [other - again for other, again in shares]
    n, zero = len(both), Fraction(0)
    up = sum((d for d in differences if d > 0), zero)
    down = sum((-d for d in differences if d < 0), zero)
    squares = sum((d * d for d in differences), zero)
    value = float((up - down) / n)
    low, high = shrunk_interval(float(up), float(down), float(squares), n, normal_critical(level))
    note = None
    if n < n_items:
        note = f"{n_items - n} of {n_items} items lack a permuted or a rerun answer"
    if not any(map(any, shares)):
        note = join_notes(note, "nothing flipped: the interval says how large an effect could still have been missed")
    return Measure(
        value=value, low=min(low, value), high=max(high, value), n=n, num=float(up - down), den=n, n_groups=n, note=note
    )


def _by_item(flips: Sequence[bool], groups: Sequence[Hashable], name: str) -> dict[Hashable, list[bool]]:
    column = boolean_column(flips, name).tolist()
    same_length(**{name: column, f"{name}_groups": groups})
    members: dict[Hashable, list[bool]] = defaultdict(list)
    for row, (flip, group) in enumerate(zip(column, groups, strict=True)):
        if group is None:
            raise ValueError(f"group of row {row} of {name} is None")
        members[group].append(flip)
    return dict(members)


def position_rates(
    chosen: Sequence[int],
    n_options: Sequence[int],
    groups: Sequence[Hashable] | None = None,
    *,
    gold: Sequence[int] | None = None,
    n_parts: int = 5,
    level: float = 0.95,
) -> list[PartRate]:
    """How often the choice falls into each of `n_parts` equal parts of the list, from its top to its end.

    `chosen` (n,): the place of the chosen option as shown, from 0; `n_options` (n,): how long the list was; `gold` (n,)
    the place of the right one, or None. Place k of N is in part floor(k * n_parts / N). With all lists of `n_parts`
    options the parts are single places. Intervals as in `rates.rate`. No rows: an empty list.

    Raises ValueError for different lengths, a place outside its list, or a list shorter than `n_parts`.
    """
    same_length(
        chosen=chosen,
        n_options=n_options,
        groups=chosen if groups is None else groups,
        gold=chosen if gold is None else gold,
    )
    if n_parts < 1:
        raise ValueError(f"a list has at least one part, got {n_parts}")
    parts = [
        _part(k, size, n_parts, row, "chosen") for row, (k, size) in enumerate(zip(chosen, n_options, strict=True))
    ]
    golds = gold and [
        _part(k, size, n_parts, row, "gold") for row, (k, size) in enumerate(zip(gold, n_options, strict=True))
    ]
    n = len(parts)
    sizes = set(n_options)
    shares = [{size: _size(size, part, n_parts) / size for size in sizes} for part in range(n_parts)]
    return [
        PartRate(
            part=part,
            chosen=rate([p == part for p in parts], groups, level),
            options=math.fsum(map(shares[part].__getitem__, n_options)) / n,
            gold=sum(p == part for p in golds) / n if golds else None,
        )
        for part in range(n_parts if n else 0)
    ]


def _part(place: int, n_options: int, n_parts: int, row: int, name: str) -> int:
    if n_options < n_parts:
        raise ValueError(f"row {row} has {n_options} options, fewer than the {n_parts} parts")
    if not 0 <= place < n_options:
        raise ValueError(f"{name} of row {row} is place {place!r}, outside its {n_options} options")
    return place * n_parts // n_options


def _size(n_options: int, part: int, n_parts: int) -> int:
    """How many places of a list stand in a part: those k with ceil(part * N / n_parts) <= k < ceil((part + 1) * N / n_parts)."""
    return -(-(part + 1) * n_options // n_parts) + (-part * n_options // n_parts)
