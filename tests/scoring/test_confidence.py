"""Rows to measures of confidence, by hand: which rows count for what."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from dmb.contracts.decision import Decision, Output
from dmb.contracts.item import Item
from dmb.metrics import Measure
from dmb.publish.measures import MEASURES
from dmb.scoring import confidence, measures
from dmb.scoring.evidence import Row
from dmb.wires.in_process import encode_answer
from tests.scoring.by_hand import N_ITEMS, attempt, score

SHOWN = (("a", "0" * 64), ("b", "1" * 64))


def row(n: int, confidence: float | None, value: str = "a", gold: str | None = "a", **more) -> Row:
    outcome = more.pop("outcome", "valid")
    item = Item(id=f"i{n}", group=more.pop("group", f"i{n}"), stratum="", state="0" * 64, gold={"decision": gold})
    output = Output(value=value, confidence=confidence, probabilities=more.pop("probabilities", None))
    outputs = {"decision": output} if outcome == "valid" else {}
    decision = Decision(contender="c", suite="s", item=item.id, outcome=outcome, outputs=outputs, n_attempts=1)
    return Row(item, 0, decision, (), SHOWN)


def beside(rows: list[Row]) -> dict[str, Measure]:
    return confidence.beside_calibration(confidence.sure_of(rows, "decision")) | confidence.options_loss(
        rows, "decision"
    )


def test_rows_without_a_confidence_or_an_answer_are_not_there():
    rows = [row(0, 0.9), row(1, None), row(2, 0.9, outcome="malformed"), row(3, 0.6, value="b")]
    assert confidence.sure_of(rows, "decision") == ([0.9, 0.6], [True, False], ["i0", "i3"])
    found = beside(rows)
    assert {m.n for name, m in found.items() if not name.startswith("log_loss_options")} == {2}
    assert found["log_loss"].value == pytest.approx(-(math.log(0.9) + math.log(0.4)) / 2)
    assert found["coverage_at_risk_10"].num == 1


def test_log_loss_over_all_options_is_of_the_right_one():
    rows = [
        row(0, 0.75, probabilities=(0.75, 0.25)),
        row(1, 0.75, value="b", probabilities=(0.25, 0.75)),
        row(2, 1.0, value="b", probabilities=(0.0, 1.0)),
        row(3, 0.9),
        row(4, 0.9, gold=None, probabilities=(0.9, 0.1)),
    ]
    found = beside(rows)
    loss, clipped = found["log_loss_options"], found["log_loss_options_clipped_rate"]
    assert loss.value == pytest.approx(-(math.log(0.75) + math.log(0.25) + math.log(0.001)) / 3)
    assert (clipped.num, clipped.den) == (1, 3)
    assert loss.note == "1 of 4 replies have no probability for each option; 1 of 3 rows count as 0.001"
    # over the confidences everybody counts, and where no answer is right every one is wrong
    assert found["log_loss"].n == 5


def test_nobody_gives_probabilities():
    found = beside([row(0, 0.9)])
    assert found["log_loss_options"].note == "n/a: no reply has a probability for each option"


def test_nothing_is_unknown_under_the_same_names():
    nothing = beside([])
    assert nothing.keys() == beside([row(0, 0.9)]).keys()
    assert {(m.value, m.note) for m in nothing.values()} == {(None, "no valid decisions with a confidence")}


def test_every_measure_has_words_for_a_reader():
    found = beside([]) | measures.accuracy_band([], "decision")
    assert found.keys() <= MEASURES.keys()


def test_the_floor_takes_the_rows_of_a_group_together():
    rows = [row(n, 0.5, group=f"g{n // 2}") for n in range(8)]
    floor = beside(rows)["ece_floor"]
    assert floor.n_groups == 4 and floor.note == "groups drawn whole: an upper floor"


def test_the_band_is_over_all_expected_rows():
    rows = [row(0, 0.9), row(1, 0.9, value="b"), row(2, 0.9, outcome="failed"), row(3, 0.9, outcome="skipped")]
    found = measures.accuracy_band(rows, "decision")
    assert [(m.num, m.den) for m in found.values()] == [(1, 4), (3, 4)]


def test_probabilities_are_read_and_not_written_down_again():
    output = row(0, 0.75, probabilities=(0.75, 0.25)).output("decision")
    assert "probabilities" not in output.model_dump()
    assert replace(row(0, 0.9), shown=()).gold_probability("decision") is None


def test_from_the_logged_bytes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = []
    for n in range(N_ITEMS - 1):
        # the gold is the first option
        reply = encode_answer(n % 2, 0.8, "rule", (0.8, 0.2) if n % 2 == 0 else (0.2, 0.8)).decode()
        rows.append(attempt(reply, item=n, asker="baseline:random", body=None, status=None))
    found = score("m", rows, []).metrics
    assert found["log_loss_options"].value == pytest.approx(-(6 * math.log(0.8) + 5 * math.log(0.2)) / 11)
    assert found["log_loss_options"].value == pytest.approx(found["log_loss"].value)
    assert (found["accuracy_worst_case"].num, found["accuracy_best_case"].num) == (6, 7)
    assert found["ece"].value == pytest.approx(0.8 - 6 / 11) and found["ece_floor"].n == 11
    parts = [found[f"brier_{part}"].value for part in ("reliability", "resolution", "uncertainty")]
    assert parts[0] - parts[1] + parts[2] == pytest.approx(found["brier"].value)
