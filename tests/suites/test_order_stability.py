"""Order stability: the same items, the plain rerun, other orders; gold holds in each."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.errors import InputError
from dmb.suites.built import Built, BuiltItem, identity_bytes
from dmb.suites.order_stability import build

from . import real_data
from .made_up import builder_args

OPTIONS = tuple((f"hat_{n}", f"hat number {n}") for n in range(6))


def made_up(
    n_items: int = 5, *, parts: bool = False, order: tuple[int, ...] | None = None, n_options: int = 6
) -> Built:
    return Built(
        option_sets={"hats": OPTIONS[:n_options]},
        items=tuple(
            BuiltItem(
                id=f"item-{n}",
                state=f"which hat is number {n}?",
                option_set="hats",
                order=order,
                gold={"decision": OPTIONS[n % n_options][0]},
                stratum=OPTIONS[n % n_options][0],
                slices={"part": "order" if n % 2 else "eval"} if parts else {},
            )
            for n in range(n_items)
        ),
        train=(("a hat", "hat_1"),),
    )


def made_up_args(upstream: Built, **params):
    return builder_args({"seed": 3} | params, upstream=upstream)


def test_items_set_aside_are_asked_in_upstream_order():
    built = build(made_up_args(made_up(parts=True)))
    assert [(item.id, item.permutation) for item in built.items] == [
        (f"item-{n}", permutation) for n in (1, 3) for permutation in range(4)
    ]
    assert [item.slices["kind"] for item in built.items[:4]] == ["rerun", "permuted", "permuted", "permuted"]


def test_a_seeded_sample_where_none_are_set_aside():
    upstream = made_up(9)
    one, same, other = (build(made_up_args(upstream, n=4, seed=seed)) for seed in (3, 3, 4))
    assert identity_bytes(one) == identity_bytes(same)
    assert identity_bytes(one) != identity_bytes(other)
    ids = [item.id for item in one.items if item.permutation == 0]
    assert len(ids) == 4 and ids == sorted(ids)


def test_the_rerun_is_the_upstream_item():
    for order in (None, (5, 0, 1, 2, 3, 4)):
        upstream = made_up(3, order=order)
        reruns = [item for item in build(made_up_args(upstream, n=3)).items if item.permutation == 0]
        for rerun, item in zip(reruns, upstream.items, strict=True):
            assert (rerun.id, rerun.state, rerun.order, rerun.gold) == (item.id, item.state, item.order, item.gold)
            assert (rerun.group, rerun.stratum) == (item.id, item.stratum)


def test_option_sets_and_train_are_the_upstream_ones():
    upstream = made_up()
    built = build(made_up_args(upstream, n=2))
    assert built.option_sets == upstream.option_sets
    assert built.train == upstream.train


@given(
    seed=st.integers(0, 2**32),
    n_options=st.integers(3, 6),
    permutations=st.integers(1, 5),
    base=st.permutations(range(6)),
    given_order=st.booleans(),
)
def test_orders_are_other_permutations_and_gold_maps_through(seed, n_options, permutations, base, given_order):
    order = tuple(i for i in base if i < n_options) if given_order else None
    upstream = made_up(2, order=order, n_options=n_options)
    built = build(made_up_args(upstream, n=2, seed=seed, permutations=permutations))
    shown = defaultdict(list)
    options = built.option_sets["hats"]
    for item in built.items:
        indices = item.order if item.order is not None else tuple(range(n_options))
        assert sorted(indices) == list(range(n_options))
        shown[item.id].append(indices)
        # wherever the gold option now stands, reading its place back gives the same option
        ids = [options[i][0] for i in indices]
        assert (
            ids[ids.index(item.gold["decision"])] == next(u for u in upstream.items if u.id == item.id).gold["decision"]
        )
    for orders in shown.values():
        assert len(orders) == len(set(orders)) == permutations + 1


def test_two_options_have_one_other_order():
    built = build(made_up_args(made_up(2, n_options=2), n=2, permutations=1))
    assert [item.order for item in built.items] == [None, (1, 0), None, (1, 0)]
    with pytest.raises(InputError, match=r"items.params.permutations: found 2; item-0 has only 2 options"):
        build(made_up_args(made_up(2, n_options=2), n=2, permutations=2))


@pytest.mark.parametrize(
    ("upstream", "params", "message"),
    [
        (made_up(), {}, "items.params.n: missing; upstream sets no items aside"),
        (made_up(), {"n": 6}, "items.params.n: found 6; upstream has 5 items"),
        (made_up(parts=True), {"n": 2}, "items.params.n: upstream itself says which items are for this; remove n"),
        (made_up(1, parts=True), {}, "items.suite: upstream has parts but none is 'order'"),
        (made_up(), {"n": 2, "permutations": 0}, "items.params.permutations"),
        (build(made_up_args(made_up(), n=2)), {"n": 8}, "in several orders already"),
    ],
)
def test_bad_suite_files(upstream: Built, params: dict, message: str):
    with pytest.raises(InputError) as caught:
        build(made_up_args(upstream, **params))
    assert str(caught.value).startswith("data/suites/made-up.toml: ")
    assert message in str(caught.value)


def test_an_upstream_suite_is_needed():
    with pytest.raises(InputError, match=r"items.suite: missing"):
        build(builder_args({"seed": 1, "n": 2}))


def test_slots_are_the_upstream_ones():
    with pytest.raises(InputError, match=r"slots: found hat; as in upstream: decision"):
        build(builder_args({"seed": 1, "n": 2}, upstream=made_up(), slots=("hat",)))


@real_data.needs_real_data
def test_real_items():
    upstream, built = real_data.build("intent-77"), real_data.build("order-stability")
    of = {item.id: item for item in upstream.items if item.slices["part"] == "order"}
    assert len(built.items) == 400 and {item.id for item in built.items} == set(of)
    assert all((item.state, item.gold) == (of[item.id].state, of[item.id].gold) for item in built.items)
    real_data.assert_holds_no_text(identity_bytes(built), built)
