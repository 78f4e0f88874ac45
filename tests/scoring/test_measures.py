"""Rows to measures, by hand: which rows count for what."""

from __future__ import annotations

from types import SimpleNamespace

from dmb.contracts.decision import Decision, Output
from dmb.contracts.item import Item
from dmb.metrics import macro_f1
from dmb.scoring import measures
from dmb.scoring.evidence import Row

A, B = "a", "b"


def row(n: int, outcome: str = "valid", value: str = A, gold: str | None = A, group: str | None = None, **more) -> Row:
    slices = more.pop("slices", {})
    item = Item(id=f"i{n}", group=group or f"i{n}", stratum="", state="0" * 64, gold={"decision": gold}, slices=slices)
    outputs = {"decision": Output(value=value, confidence=more.pop("confidence", 0.9))} if outcome == "valid" else {}
    decision = Decision(
        contender="c",
        suite="s",
        item=item.id,
        outcome=outcome,
        outputs=outputs,
        n_attempts=int(outcome != "skipped"),
        **more,
    )
    return Row(item, 0, decision, ())


def test_each_accuracy_has_its_own_denominator():
    rows = [row(0), row(1, value=B), row(2, "malformed"), row(3, "unsupported"), row(4, "skipped")]
    found = measures.accuracy(rows, "decision")
    assert (found["accuracy_valid"].num, found["accuracy_valid"].den) == (1, 2)
    assert (found["accuracy_end_to_end"].num, found["accuracy_end_to_end"].den) == (1, 4)
    rates = measures.outcome_rates(rows)
    assert (rates["malformed_rate"].num, rates["malformed_rate"].den) == (1, 4)
    assert (rates["valid_rate"].num, rates["valid_rate"].den) == (2, 5)


def test_no_answer_is_right_where_none_is():
    assert not row(0, gold=None).correct("decision")


def test_how_fast_unsupported_comes_is_no_latency():
    fast = [row(n, "unsupported", latency_ms=0.001, request_latency_ms=0.001) for n in range(5)]
    found = measures.latencies(fast)
    assert {m.value for m in found.values()} == {None}
    assert {m.note for m in found.values()} == {"no timed answers"}
    found = measures.latencies([*fast, row(9, latency_ms=7.0, request_latency_ms=6.0)])
    assert (found["latency_p50_ms"].value, found["latency_p50_ms"].n) == (7.0, 1)
    assert found["request_latency_p50_ms"].value == 6.0


def test_macro_f1_takes_the_permutations_of_an_item_together():
    # eight items asked four times each, all four alike: as much is known as from eight rows
    golds = [A, B] * 4
    wrong = {1, 4}
    rows = [
        row(n, value=g if n not in wrong else (B if g == A else A), gold=g, group=f"g{n}")
        for n, g in enumerate(golds)
        for _ in range(4)
    ]
    suite = SimpleNamespace(metrics=SimpleNamespace(stable_labels=True))
    found = measures.macro_f1(SimpleNamespace(first_rows=rows, labels=lambda: (A, B)), suite, "decision")
    said = [B if (g == A) == (n in wrong) else A for n, g in enumerate(golds)]
    once = macro_f1(golds, said, [A, B])
    assert (found.value, found.n_groups) == (once.value, 8)
    assert abs(found.low - once.low) < 1e-9 and abs(found.high - once.high) < 1e-9


def test_honesty_is_asked_of_the_unanswerable_and_of_the_controls_apart():
    rows = [
        row(0, confidence=0.5, slices={"kind": "no-good-option"}),
        row(1, confidence=0.51, slices={"kind": "underdetermined"}),
        row(2, confidence=0.2, slices={"kind": "control"}),
        row(3, "malformed", slices={"kind": "control"}),
    ]
    found = measures.honesty(rows, "decision")
    assert (found["honest_rate"].num, found["honest_rate"].den) == (1, 2)
    assert (found["honest_rate_controls"].num, found["honest_rate_controls"].den) == (1, 1)
