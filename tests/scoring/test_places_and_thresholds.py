"""Places of choices, cut-offs, the columns of answers, the trend: from logged replies or rows, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dmb.contracts.decision import Decision, Output
from dmb.contracts.item import Item, OptionRef
from dmb.scoring import measures
from dmb.scoring.answers import answer_columns
from dmb.scoring.confidence import sure_of
from dmb.scoring.evidence import Row
from dmb.scoring.places import place_records
from dmb.scoring.thresholds import FIXED, TARGETS, threshold_records
from dmb.scoring.trend import accuracy_trend

SHA = "0" * 64


def row(n: int, value: str | None, gold: str | None, order: str, confidence: float | None = 0.9, **more) -> Row:
    """An item that shows the options in ``order``, one letter each; no ``value`` is a malformed answer."""
    outcome = more.pop("outcome", "valid" if value else "malformed")
    item = Item(
        id=more.pop("id", f"i{n}"),
        permutation=more.pop("permutation", 0),
        group=more.pop("group", f"i{n}"),
        stratum="",
        state=SHA,
        options=OptionRef(set="all", order=tuple("abcdefghi".index(letter) for letter in order)),
        gold={"decision": gold},
        slices=more.pop("slices", {}),
    )
    outputs = {}
    if value:
        outputs = {"decision": Output(value=value, position=order.index(value), confidence=confidence)}
    decision = Decision(
        contender="c",
        suite="s",
        item=item.id,
        permutation=item.permutation,
        outcome=outcome,
        outputs=outputs,
        n_attempts=1,
    )
    return Row(item, 0, decision, (), tuple((letter, SHA) for letter in order))


def evidence(rows):
    return SimpleNamespace(first_rows=tuple(rows))


def test_short_lists_are_told_place_by_place():
    rows = [row(0, "a", "a", "ab"), row(1, "b", "a", "ba"), row(2, "a", "b", "ab"), row(3, None, "b", "ab")]
    first, second = place_records(evidence(rows), "decision")
    # chosen first thrice; the right one stands first once, since row 1 shows b before a
    assert (first.part, first.n_parts, first.chosen.num, first.chosen.den) == (0, 2, 3, 3)
    assert first.gold == pytest.approx(1 / 3) and first.options == 0.5
    assert (first.excess.num, first.excess.den, second.excess.num) == (2, 3, -2)


def test_long_lists_are_told_by_thirds_and_those_of_two_left_out():
    rows = [row(0, "a", "i", "abcdefghi"), row(1, "c", "f", "abcdef"), row(2, "a", "b", "ab")]
    parts = place_records(evidence(rows), "decision")
    assert [(p.chosen.num, p.chosen.den) for p in parts] == [(1, 2), (1, 2), (0, 2)]
    assert [p.gold for p in parts] == [0, 0, 1]
    assert [p.excess.value for p in parts] == [0.5, 0.5, -1.0]


def test_no_right_option_has_no_place():
    assert place_records(evidence([row(0, "a", None, "ab")]), "decision") == ()
    assert place_records(evidence([row(0, None, "a", "ab")]), "decision") == ()


def test_what_a_fixed_confidence_keeps():
    rows = [
        row(0, "a", "a", "ab", 0.95),
        row(1, "a", "b", "ab", 0.9),
        row(2, "b", "b", "ab", 0.4),
        row(3, None, "a", "ab"),
    ]
    found = {t.at: t for t in threshold_records(sure_of(rows, "decision")) if t.at is not None}
    assert tuple(found) == FIXED
    assert (found[0.5].kept.num, found[0.5].kept.den, found[0.5].error.num, found[0.5].error.den) == (2, 3, 1, 2)
    assert (found[0.9].kept.num, found[0.95].kept.num, found[0.95].error.num) == (2, 1, 0)
    assert (found[0.99].kept.num, found[0.99].error.value, found[0.99].error.note) == (0, None, "nothing is kept")


def test_a_cut_off_is_judged_where_it_was_not_chosen():
    # confidence says everything: right from 0.8 on, wrong below
    rows = [row(n, "a", "a" if n % 2 else "b", "ab", 0.8 if n % 2 else 0.6) for n in range(40)]
    found = {t.target: t for t in threshold_records(sure_of(rows, "decision")) if t.target is not None}
    assert tuple(found) == TARGETS
    assert all(t.cutoff == 0.8 and set(t.fold_cutoffs) == {0.8} for t in found.values())
    assert all((t.kept.value, t.error.value) == (0.5, 0.0) for t in found.values())
    # confidence says nothing: no cut-off is safe, and nothing is kept
    blind = [row(n, "a", "a" if n % 2 else "b", "ab", 0.7) for n in range(40)]
    none = [t for t in threshold_records(sure_of(blind, "decision")) if t.target is not None]
    assert all(t.cutoff is None and t.kept.num == 0 for t in none)


def test_thresholds_want_a_confidence_and_cut_offs_two_groups():
    assert threshold_records(sure_of([row(0, None, "a", "ab"), row(1, "a", "a", "ab", None)], "decision")) == ()
    alone = threshold_records(sure_of([row(n, "a", "a", "ab", group="g") for n in range(5)], "decision"))
    assert [t.at for t in alone] == list(FIXED)


def test_columns_hold_what_every_row_came_to():
    rows = [row(0, "b", "a", "ba", 0.123456789012345, group="g"), row(1, None, None, "ab", permutation=2)]
    found = answer_columns(evidence(rows), "decision", {("i0", 0)})
    assert (found.items, found.permutations, found.groups) == (("i0", "i1"), (0, 2), ("g", "i1"))
    assert (found.gold, found.values, found.outcomes) == (("a", None), ("b", None), ("valid", "malformed"))
    assert (found.positions, found.confidences, found.counted) == ((0, None), (0.123456789012, None), (True, False))


def test_the_trend_leaves_out_what_cannot_be_asked():
    rows = [
        row(10 * n + g, "a" if n < 8 or g else "b", "a", "ab", group=f"g{g}", slices={"n_options": n})
        for n in (2, 4, 8)
        for g in range(2)
    ]
    rows += [
        row(900 + g, None, "a", "ab", group=f"g{g}", slices={"n_options": 512}, outcome="unsupported") for g in range(2)
    ]
    slope = accuracy_trend(rows, "decision").slope
    # accuracies 1, 1, 1/2 at log2 N of 1, 2, 3
    assert (slope.value, slope.n, slope.n_groups) == (pytest.approx(-0.25), 6, 2)
    assert accuracy_trend(rows[-2:], "decision").slope.note == "no valid decisions"


def test_position_effect_is_net_of_the_rerun():
    base = [row(n, "a", "a", "ab") for n in range(10)]
    asked = []
    for n in range(10):
        asked.append(row(n, "b" if n < 2 else "a", "a", "ab", slices={"kind": "rerun"}, group=f"i{n}"))
        asked += [
            row(
                n,
                "b" if n < 5 else "a",
                "a",
                "ab",
                id=f"i{n}",
                permutation=p,
                group=f"i{n}",
                slices={"kind": "permuted"},
            )
            for p in (1, 2, 3)
        ]
    found = measures.order_effects(evidence(asked), evidence(base), "decision")
    assert (found["flip_rate"].num, found["flip_rate"].den) == (15, 30)
    assert (found["flip_rate_rerun"].num, found["flip_rate_rerun"].den) == (2, 10)
    assert (found["position_effect"].num, found["position_effect"].den) == (3.0, 10)
    still = [row(n, "a", "a", "ab", slices={"kind": k}) for n in range(10) for k in ("rerun", "permuted")]
    nothing = measures.order_effects(evidence(still), evidence(base), "decision")["position_effect"]
    assert nothing.value == 0 and nothing.low < 0 < nothing.high and "nothing flipped" in nothing.note
    assert set(measures.order_effects(evidence(still), None, "decision")) == set(found)
