"""Which cell counts, as properties: the order given decides, no cell is lost, none stands twice, merging a merge changes nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.merge.later_wins import counting, standing

#: A run's cells by name; a value names its run and cell, so that two are never mistaken for one.
NAMES = st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"))


@st.composite
def runs(draw: st.DrawFn) -> list[dict[tuple[str, str], str]]:
    many = draw(st.lists(st.sets(NAMES), max_size=5))
    return [{name: f"run {n} {name}" for name in sorted(names)} for n, names in enumerate(many)]


@settings(max_examples=60)
@given(runs())
def test_the_last_run_that_has_a_cell_decides(cells):
    counted = counting(standing(cells))
    for name in {n for run in cells for n in run}:
        assert counted[name] == [run[name] for run in cells if name in run][-1]


@settings(max_examples=60)
@given(runs())
def test_no_cell_is_lost_and_none_stands_twice(cells):
    history = standing(cells)
    assert sorted(c for found in history.values() for c in found) == sorted(c for run in cells for c in run.values())
    assert counting(history).keys() == {n for run in cells for n in run}


@settings(max_examples=60)
@given(runs(), st.integers(0, 5))
def test_merging_a_merge_changes_nothing(cells, cut):
    left, right = counting(standing(cells[:cut])), counting(standing(cells[cut:]))
    assert counting(standing([left, right])) == counting(standing(cells))
    assert counting(standing([counting(standing(cells))])) == counting(standing(cells))


def test_by_hand():
    a = {("random", "alpha"): "a1", ("random", "beta"): "a2"}
    b = {("random", "alpha"): "b1", ("keyword", "alpha"): "b3"}
    assert counting(standing([a, b])) == {
        ("random", "alpha"): "b1",
        ("random", "beta"): "a2",
        ("keyword", "alpha"): "b3",
    }
    assert counting(standing([b, a]))[("random", "alpha")] == "a1"
    assert standing([a, b])[("random", "alpha")] == ("a1", "b1")
