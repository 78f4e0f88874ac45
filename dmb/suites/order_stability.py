"""Another suite's items again: once unchanged (what a mere rerun changes), then with the options in other orders."""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from pydantic import Field

from dmb import sampling
from dmb.errors import InputError
from dmb.suites import items_table
from dmb.suites.built import BuilderArgs, Built, BuiltItem


class OrderStabilityParams(items_table.Params):
    """``permutations`` other orders an item; ``n`` items where the upstream suite has set none aside."""

    seed: int
    permutations: int = Field(3, ge=1)
    n: int | None = Field(None, ge=1)


def build(args: BuilderArgs) -> Built:
    """The suite, derived from the upstream suite's items, option sets and train split.

    Gold is an option id, so that it holds in any order. Rows of an item stand together, the rerun first: a cell that
    is cut short keeps whole groups. Raises ``InputError`` for an upstream suite that cannot be permuted so.
    """
    params = items_table.params(args, OrderStabilityParams)
    if args.upstream is None:
        raise InputError(
            items_table.suite_file(args), "items.suite", "missing", "name the suite whose items are asked again"
        )
    upstream = args.inputs.suite(args.upstream)
    items = _chosen(args, params, upstream)
    return Built(
        option_sets=upstream.option_sets,
        items=tuple(row for item in items for row in _rows(args, params, upstream, item)),
        train=upstream.train,
    )


def _chosen(args: BuilderArgs, params: OrderStabilityParams, upstream: Built) -> list[BuiltItem]:
    """The items asked again, in upstream order: those set aside as part "order", otherwise a seeded sample of ``n``."""
    file = items_table.suite_file(args)
    set_aside = [item for item in upstream.items if item.slices.get("part") == "order"]
    if any("part" in item.slices for item in upstream.items):
        if params.n is not None:
            raise InputError(
                file, "items.params.n", f"{args.upstream} itself says which items are for this", "remove n"
            )
        if not set_aside:
            raise InputError(file, "items.suite", f"{args.upstream} has parts but none is 'order'", "raise its n_order")
        return set_aside
    if params.n is None:
        raise InputError(
            file, "items.params.n", "missing", f"{args.upstream} sets no items aside: say how many to draw"
        )
    if params.n > len(upstream.items):
        raise InputError(
            file, "items.params.n", f"found {params.n}", f"{args.upstream} has {len(upstream.items)} items"
        )
    drawn = {
        item.id for item in sampling.sample(upstream.items, params.n, params.seed, "order/items", key=lambda i: i.id)
    }
    return [item for item in upstream.items if item.id in drawn]


def _rows(args: BuilderArgs, params: OrderStabilityParams, upstream: Built, item: BuiltItem) -> Iterator[BuiltItem]:
    """The rerun (permutation 0) and the permuted askings of one item."""
    file = items_table.suite_file(args)
    if item.permutation != 0:
        raise InputError(
            file, "items.suite", f"{args.upstream} asks {item.id} in several orders already", "name another suite"
        )
    if set(item.gold) != set(args.slots):
        raise InputError(
            file, "slots", f"found {', '.join(args.slots)}", f"as in {args.upstream}: {', '.join(item.gold)}"
        )
    base = item.order if item.order is not None else tuple(range(len(upstream.option_sets[item.option_set])))
    if factorial(len(base)) - 1 < params.permutations:
        raise InputError(
            file, "items.params.permutations", f"found {params.permutations}", f"{item.id} has only {len(base)} options"
        )
    orders = [item.order, *(tuple(base[i] for i in p) for p in _permutations(len(base), params, item.id))]
    for permutation, order in enumerate(orders):
        yield BuiltItem(
            id=item.id,
            state=item.state,
            option_set=item.option_set,
            gold=item.gold,
            order=order,
            permutation=permutation,
            group=item.id,
            stratum=item.stratum,
            slices={"kind": "permuted" if permutation else "rerun"},
        )


def _permutations(n: int, params: OrderStabilityParams, item_id: str) -> list[tuple[int, ...]]:
    """Pairwise different permutations of range(n), none the identity; drawn for this item, again after a repeat."""
    taken = [tuple(range(n))]
    attempt = 0
    while len(taken) <= params.permutations:
        drawn = sampling.permutation(n, params.seed, "order", item_id, attempt)
        attempt += 1
        if drawn not in taken:
            taken.append(drawn)
    return taken[1:]
