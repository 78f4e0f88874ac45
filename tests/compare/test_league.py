"""The league of a suite: by hand, and what must hold whatever the answers are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dmb.compare.league import compare, league
from tests.compare.made_up import cell, suite


def made(*cells, **policy):
    return league(suite(**policy), "decision", cells)


def pair(found, a, b):
    return next(p for p in found.pairs if (p.a, p.b) == (a, b))


def ranks(found):
    return {s.contender: (s.best_rank, s.worst_rank) for s in found.standings}


def test_three_contenders_by_hand():
    # good and poor differ on all 10 rows, middle and each of them on 5
    found = made(cell("poor", "0000000000"), cell("good", "1111111111"), cell("middle", "1111100000"))
    assert [s.contender for s in found.standings] == ["good", "middle", "poor"]
    assert [(s.accuracy.num, s.accuracy.den) for s in found.standings] == [(10, 10), (5, 10), (0, 10)]
    apart, near = pair(found, "good", "poor"), pair(found, "middle", "poor")
    assert (apart.only_a, apart.only_b, apart.difference.value) == (10, 0, 1.0)
    # 2 / 2**10 thrice, as the least of three; 2 / 2**5 twice
    assert apart.p == 0.001953125 and apart.p_holm == 0.005859375
    assert near.p == 0.0625 and near.p_holm == 0.125
    assert found.n_tests == 3
    assert [p.different for p in found.pairs] == [False, True, False]
    assert ranks(found) == {"good": (1, 2), "middle": (1, 3), "poor": (2, 3)}


def test_a_pair_is_compared_on_the_rows_that_count_for_both():
    found = made(cell("whole", "1111110000"), cell("capped", "11110uuuu-"))
    (only,) = found.pairs
    # capped has 4 of 5 right, whole 6 of 10, and on the five that both answered whole has one more
    assert [s.contender for s in found.standings] == ["capped", "whole"]
    assert (only.a, only.b, only.only_a, only.only_b) == ("capped", "whole", 0, 1)
    assert (only.difference.n, only.difference.num) == (5, -1)


def test_rows_meet_by_their_names_and_not_by_their_places():
    a = cell("a", "1100", ids=[0, 1, 2, 3])
    b = cell("b", "0011", ids=[3, 2, 1, 0])
    (only,) = made(a, b).pairs
    assert (only.difference.n, only.only_a, only.only_b, only.p) == (4, 0, 0, 1.0)
    (less,) = made(a, cell("b", "11", ids=[2, 9])).pairs
    assert (less.difference.n, less.a, less.only_a) == (1, "b", 1)


def test_whether_a_broken_form_is_a_wrong_answer_is_the_suites_policy():
    cells = cell("a", "111111"), cell("b", "1111mu")
    (aside,) = made(*cells).pairs
    (wrong,) = made(*cells, malformed_counts_as_wrong=True).pairs
    assert (aside.difference.n, aside.only_a) == (4, 0)
    assert (wrong.difference.n, wrong.only_a) == (5, 1)


def test_only_rows_over_which_accuracy_is_taken_count():
    counted = [True, True, False, False]
    (only,) = made(cell("a", "1100", counted=counted), cell("b", "0011", counted=counted)).pairs
    assert (only.difference.n, only.only_a, only.only_b) == (2, 2, 0)


def test_groups_change_sides_as_a_whole():
    groups = [f"g{n // 4}" for n in range(20)]
    (rows,) = made(cell("a", "1" * 20), cell("b", "0" * 20)).pairs
    (grouped,) = made(cell("a", "1" * 20, groups=groups), cell("b", "0" * 20, groups=groups)).pairs
    assert rows.p == pytest.approx(2 / 2**20) and rows.different
    # five groups that all differ the same way: as much as five rows
    assert grouped.p == 2 / 2**5 and not grouped.different
    assert (grouped.difference.n, grouped.difference.n_groups) == (20, 5)


def test_an_interval_that_says_more_than_the_corrected_p_is_noted():
    # six of 20 rows, all one way: p = 2 / 2**6 = 0.031, and 0.094 as one of three alike
    found = made(cell("a", "1" * 20), cell("b", "1" * 14 + "0" * 6), cell("c", "0" * 6 + "1" * 14))
    low = pair(found, "a", "b")
    assert low.p == 0.03125 and low.p_holm == 0.09375 and not low.different
    assert low.difference.low > 0 and "not told apart" in low.note
    assert pair(found, "b", "c").note is None


def test_who_has_nothing_to_compare_is_left_out_with_the_reason():
    skipped = cell("keyless", "", status="skipped", stop_reason="no-credential")
    found = made(cell("a", "10"), cell("b", "01"), cell("silent", "uu"), skipped)
    assert [s.contender for s in found.standings] == ["a", "b"]
    assert found.left_out == {"keyless": "no-credential", "silent": "no valid decision"}
    assert found.n_tests == 1


def test_two_without_a_common_row_are_not_tested():
    found = made(cell("a", "11uu"), cell("b", "uu10"), cell("c", "1111"))
    apart = pair(found, "a", "b")
    assert (apart.p, apart.p_holm, apart.different, apart.difference.value) == (None, None, False, None)
    assert apart.note == "no row counts for both"
    assert found.n_tests == 2


def test_a_simulated_side_marks_the_pair():
    found = made(cell("a", "11"), cell("b", "10", simulated=True), cell("c", "01"))
    assert [(p.a, p.b, p.simulated) for p in found.pairs] == [("a", "b", True), ("a", "c", False), ("b", "c", True)]


def test_a_release_has_a_league_for_each_suite_that_has_a_pair():
    assert compare([cell("a", "10"), cell("b", "11")], {"s": suite()}).leagues[0].suite == "s"
    assert compare([cell("a", "10"), cell("b", "uu")], {"s": suite()}).leagues == ()


letters = st.text("10mu-", min_size=12, max_size=12)


@given(st.lists(letters, min_size=2, max_size=5), st.randoms(use_true_random=False), st.booleans())
@settings(max_examples=30, deadline=None, derandomize=True)
def test_the_order_of_contenders_never_matters(rows, shuffled, grouped):
    groups = [f"g{n // 3}" for n in range(12)] if grouped else None
    cells = [cell(f"c{n}", row, groups=groups) for n, row in enumerate(rows)]
    first = made(*cells)
    shuffled.shuffle(cells)
    assert made(*cells) == first


@given(st.lists(st.text("10mu-", min_size=1, max_size=1), min_size=1, max_size=60), st.integers(2, 6))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_who_answers_alike_is_never_called_different(row, n):
    found = made(*(cell(f"c{k}", "".join(row)) for k in range(n)))
    assert not any(p.different for p in found.pairs)
    assert all(p.p == 1.0 for p in found.pairs)
    assert all((s.best_rank, s.worst_rank) == (1, n) for s in found.standings)


@pytest.mark.parametrize("n_wrong", [5, 6, 7, 8, 9, 10, 20])
def test_called_different_is_exactly_what_the_corrected_p_says(n_wrong):
    found = made(cell("a", "1" * 30), cell("b", "1" * (30 - n_wrong) + "0" * n_wrong))
    (only,) = found.pairs
    assert only.p == only.p_holm == pytest.approx(2 / 2**n_wrong)
    assert only.different == (n_wrong >= 6)
    assert ranks(found) == ({"a": (1, 1), "b": (2, 2)} if n_wrong >= 6 else {"a": (1, 2), "b": (1, 2)})
