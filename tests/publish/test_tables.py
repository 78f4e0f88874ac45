"""Tables against numbers worked out by hand."""

from __future__ import annotations

import dataclasses
import datetime as dt
from decimal import Decimal

import pytest

from dmb.contracts.cell import MeasureRecord, SliceRecord
from dmb.contracts.price import PricesFile
from dmb.errors import MissingEvidence
from dmb.publish import numbers
from dmb.publish.measures import in_order, measure
from dmb.publish.notes import in_words
from dmb.publish.records import size, value_of
from dmb.publish.release import Release
from dmb.publish.sections import lead, sections
from dmb.publish.table import Notes, Table
from tests.publish.factory import (
    ENTRIES,
    PRICES,
    SUITES,
    Answers,
    cost_record,
    golden_release,
    rate,
    release,
    undefined,
)


def row(table: Table, *heads: str) -> list[str]:
    """The texts of the row with these heads, intervals and n included."""
    for found in table.rows:
        if tuple(value.text for value in found.values[: len(heads)]) == heads:
            return [" ".join(filter(None, (v.text, v.interval, v.n))) for v in found.values[len(heads) :]] + (
                [found.span] if found.span else []
            )
    raise AssertionError(f"no row {heads} in {table.id}")


@pytest.mark.parametrize(
    ("spelled", "text"),
    [
        (numbers.percent(0.8234), "82.3"),
        (numbers.percent(1), "100.0"),
        (numbers.percent(-0.0001), "0.0"),
        (numbers.index(0.0834), "0.083"),
        (numbers.signed(0.0123), "+0.012"),
        (numbers.signed(-0.0123), "-0.012"),
        (numbers.signed(-0.0001), "0.000"),
        (numbers.milliseconds(0.0041), "0.004"),
        (numbers.milliseconds(4.126), "4.13"),
        (numbers.milliseconds(41.27), "41.3"),
        (numbers.milliseconds(12345.6), "12,346"),
        (numbers.usd(Decimal("0.00004")), "< 0.0001"),
        (numbers.usd(Decimal("0.0421")), "0.0421"),
        (numbers.usd(Decimal("1234.567")), "1,234.57"),
        (numbers.usd("0"), "0.0000"),
        (numbers.of(280, 300), "280 / 300"),
    ],
)
def test_numbers_are_spelled(spelled: str, text: str) -> None:
    assert spelled == text


def test_suite_table(golden: Release) -> None:
    table = golden.suite_tables[0]
    # 186 of 280 and of 300 with Wilson's interval, both worked out by hand.
    assert row(table, "Tiny <b>|& `x`") == [
        "66.4 [60.7, 71.7]",
        "280",
        "62.0 [56.4, 67.3]",
        "0.601 [0.561, 0.641]",
        "0.083 [0.062, 0.104]",
        "native-probability",
        "41.3 [39.6, 42.9]",
        "not billed",
        "280 / 300",
    ]
    assert row(table, "Cloud 2") == ["skipped: no-credential · 0 of 300 asked"]
    assert [r.values[0].text for r in table.rows] == [entry.display.label for entry in ENTRIES.values()]


def test_undefined_measure_is_a_footnote(golden: Release) -> None:
    table = golden.suite_tables[1]
    macro_f1 = table.rows[0].values[4]
    assert (macro_f1.text, macro_f1.notes) == ("n/a", (1,))
    assert table.notes == ("Option texts differ between items.",)


def test_absent_or_noteless_measure_is_said() -> None:
    notes = Notes()
    assert value_of(None, "ece", notes).text == "n/a"
    assert value_of(MeasureRecord(value=None), "ece", notes).text == "n/a"
    assert notes.texts == ["This measure is not part of the cell's score.", "No reason was recorded."]


def test_one_bound_and_a_note_beside_a_value() -> None:
    notes = Notes()
    value = value_of(MeasureRecord(value=212.4, high=240, n=80, note="upper bound only"), "latency_p95_ms", notes)
    assert (value.text, value.interval, value.n, value.notes) == ("212", "≤ 240", "n 80", (1,))


def test_groups_stand_beside_n() -> None:
    assert size(MeasureRecord(value=0.5, n=275, n_groups=25)) == "n 275 in 25 groups"
    assert size(MeasureRecord(value=0.5, n=25, n_groups=25)) == "n 25"


def test_measure_tables_hold_whoever_was_asked(golden: Release) -> None:
    table = next(table for table in golden.measure_tables if table.id == "measure-failed-rate")
    assert [column.label for column in table.columns] == ["Contender", *golden.suites]
    assert row(table, "Cloud 1")[0] == "1.3 [0.5, 3.4] n 300"
    assert table.remarks == ("Not asked (skipped: no-credential): Cloud 2.",)
    assert table.unit == "%"


def test_confidence_measures_name_the_kind(golden: Release) -> None:
    for table in golden.measure_tables:
        assert table.columns[-1].label != "Confidence", table.id
    assert [table.columns[-1].label for table in golden.calibration_tables] == ["Confidence"] * 3
    # a release scored by a version that had no floors
    bare = [
        score.model_copy(update={"metrics": {k: m for k, m in score.metrics.items() if k != "ece_floor"}})
        for score in golden.scores
    ]
    tables = {table.id: table for table in dataclasses.replace(golden, scores=tuple(bare)).measure_tables}
    assert {i for i, table in tables.items() if table.columns[-1].label == "Confidence"} >= {
        "measure-ece",
        "measure-brier",
    }
    assert "underconfidence" in tables["measure-ece"].caption


def test_calibration_stands_beside_its_floor(golden: Release) -> None:
    errors, scores, kept = golden.calibration_tables
    assert [c.label for c in errors.columns[2:]] == ["n", "ECE", "95 % floor", "Debiased", "Smooth", "Confidence"]
    assert len(errors.rows) == len(golden.suites) * 4 and "Cloud 2" in errors.remarks[0]
    first = row(errors, "intent-77", "Random")
    assert first == ["300", "0.010 [-0.011, 0.031]", "0.061", "0.000", "0.009", "rule"]
    assert errors.notes == ("With chance taken off nothing is left.",)
    # what was clipped is a column and no footnote; who has no probabilities says so once
    assert scores.notes == ("No reply has a probability for each option.",)
    assert row(scores, "intent-77", "Cloud 1")[5:9] == ["0.684", "5", "n/a", "n/a"]
    assert [v.text for v in kept.rows[0].values[2:]] == ["300", "0.590", "4.0", "20.0", "40.0", "rule"]


def test_accuracy_has_a_band_where_rows_were_lost(golden: Release) -> None:
    (band,) = golden.band_tables
    assert {r.values[1].text for r in band.rows} == {"Tiny <b>|& `x`", "Cloud 1"}
    lost, *ends = row(band, "intent-77", "Cloud 1")
    assert lost == "9 / 300" and [text.split()[0] for text in ends] == ["80.0", "82.5", "83.0"]
    whole = {("random", "gate-spam"): Answers(90, {"valid": 300}, 1.0)}
    assert release({"random": ENTRIES["random"]}, whole, ["gate-spam"]).band_tables == ()


def test_simulated_cells_are_marked_in_every_table_that_shows_them(golden: Release) -> None:
    for table in (
        *golden.suite_tables,
        *golden.measure_tables,
        golden.outcome_table,
        golden.coverage_table,
        *golden.cardinality_tables,
        golden.confidence_table,
    ):
        assert table.simulated, table.id
    plain = release(ENTRIES, {("random", "intent-77"): Answers(5, {"valid": 300}, 1.0)}, ["intent-77"])
    assert not plain.simulated and not any(table.simulated for table in plain.measure_tables)


def test_outcomes_and_coverage(golden: Release) -> None:
    dnf = row(golden.outcome_table, "order-stability", "Cloud 1")
    assert dnf == ["260", "0", "0", "0", "10", "0", "130", "400"]
    assert sum(map(int, dnf[:-1])) == int(dnf[-1])
    assert row(golden.coverage_table, "order-stability", "Cloud 1") == [
        "dnf",
        "deadline",
        "v9-1",
        "270 / 400",
        "260 / 400",
        "270",
        "0",
    ]
    assert row(golden.coverage_table, "intent-77", "Cloud 2") == [
        "skipped",
        "no-credential",
        "v9-1",
        "0 / 300",
        "0 / 300",
        "0",
        "0",
    ]


def test_cardinality_is_by_size_and_ends_where_nothing_is_answered(golden: Release) -> None:
    trend, accuracy, end_to_end, latency = golden.cardinality_tables
    assert row(trend, "Cloud 1") == ["-2.0 [-3.3, -0.7] n 7", "512", "none"]
    assert row(trend, "Tiny <b>|& `x`")[1:] == ["255", "from 256 on"]
    assert [r.values[0].text for r in accuracy.rows] == [
        "2",
        "8",
        "32",
        "64",
        "128",
        "192",
        "254",
        "255",
        "256",
        "384",
        "512",
    ]
    assert row(accuracy, "255")[2] == "64.0 [44.5, 79.8] n 25"
    assert row(accuracy, "256")[2] == row(latency, "256")[2] == "unsupported"
    assert row(end_to_end, "256")[2] == "0.0 [0.0, 13.3] n 25"


def test_order_table_shows_the_control_beside_the_flips(golden: Release) -> None:
    (table,) = golden.order_tables
    assert row(table, "Tiny <b>|& `x`") == [
        "27.0 [22.3, 32.3] n 300 in 100 groups",
        "4.0 [1.6, 9.8] n 100",
        "+27.0 [+23.0, +31.0] n 100",
        "+0.003 [-0.017, +0.023] n 100",
        "native-probability",
    ]


def test_honesty_and_slices() -> None:
    made = release(
        {"random": ENTRIES["random"]},
        {
            ("random", s): Answers(90, {"valid": 300}, 1.0, "stated", ece=0.1)
            for s in ("gate-spam", "confidence-honesty")
        },
        ["gate-spam", "confidence-honesty"],
    )
    table, thresholds = made.honesty_tables
    assert [text.split(" ")[0] for text in row(table, "Random")] == ["70.0", "15.0", "45.0", "stated"]
    assert row(thresholds, "Random")[1:3] == ["70.0 → 60.0 [53.3, 66.4]", "30.0 → 20.0 [13.0, 29.4]"]
    assert row(thresholds, "Random")[3:] == ["none", "0.931: 17.0 → 5.9 [2.0, 15.9]", "0.85: 25.0 → 10.7 [5.5, 19.7]"]
    (parts,) = made.slice_tables
    assert [column.label for column in parts.columns] == ["Anonymised", "Random"]
    assert row(parts, "yes")[0].startswith("30.6 [") and row(parts, "yes")[0].endswith("n 62")
    assert not made.cardinality_tables and not made.order_tables


def test_spend_never_turns_unknown_into_nothing(golden: Release) -> None:
    table = golden.spend_table
    assert row(table, "Random")[:2] == ["not billed", "not billed"]
    assert row(table, "Random")[-1] == "not billed: runs on your own machine"
    # Two known cells of three and a part of the third: a lower bound, and no rate.
    assert row(table, "Cloud 1") == [
        "at least 0.1624",
        "unknown",
        "845",
        "1.2",
        "at least 52,325",
        "at least 6,540",
        "at least 6,900",
        "1 of 3 cells unknown, usage not reported (10 attempts)",
    ]
    assert row(table, "Cloud 2") == ["skipped: no-credential"]


def test_nought_that_nobody_bills_is_not_printed_as_a_price() -> None:
    made = release(
        {"tiny": ENTRIES["tiny"]},
        {("tiny", "intent-77"): Answers(1, {"valid": 300}, 1.0, cost_usd="0", cost_note="not billed")},
        ["intent-77"],
    )
    assert row(made.suite_tables[0], "Tiny <b>|& `x`")[-2] == "not billed"
    assert row(made.spend_table, "Tiny <b>|& `x`")[:2] == ["not billed", "not billed"]


def test_share_of_unknown_cost_is_over_attempts() -> None:
    given = {
        ("cloud", "intent-77"): Answers(
            1, {"valid": 300}, 1.0, cost_note="no usage", cost=cost_record(300, "0", unknown={"no usage": 3})
        ),
        ("cloud", "gate-spam"): Answers(1, {"valid": 300}, 1.0, cost_usd="0.1"),
    }
    made = release({"cloud": ENTRIES["cloud"]}, given, ["intent-77", "gate-spam"])
    assert row(made.spend_table, "Cloud 1")[3] == "0.5"


def test_reasons_for_unknown_cost_are_joined_over_suites() -> None:
    given = {
        ("cloud", "intent-77"): Answers(
            1, {"valid": 300}, 1.0, cost_note="no usage (3 attempts); no price (1 attempts)"
        ),
        ("cloud", "gate-spam"): Answers(1, {"valid": 300}, 1.0, cost_note="no usage (1204 attempts)"),
    }
    made = release(ENTRIES, given, ["intent-77", "gate-spam"])
    assert row(made.spend_table, "Cloud 1")[-1] == "no usage (1,207 attempts), no price (1 attempt)"
    assert made.spend_table.remarks == (
        "In all: unknown.",
        "Not asked (skipped: no-credential): Random, Majority, Tiny <b>|& ˋxˋ, Cloud 2.",
    )


def test_spend_with_everything_known() -> None:
    made = release(
        ENTRIES,
        {("cloud", "intent-77"): Answers(200, {"valid": 290, "failed": 10}, 1.0, cost_usd="0.0611")},
        ["intent-77"],
    )
    assert row(made.spend_table, "Cloud 1") == [
        "0.0611",
        "0.2037",
        "300",
        "0.0",
        "27,300",
        "not reported",
        "3,600",
        "–",
    ]


def test_price_dates_are_those_of_the_contenders_in_the_release(golden: Release) -> None:
    assert golden.priced_on == (dt.date(2026, 10, 28), dt.date(2026, 11, 1))
    assert row(golden.price_table, "Cloud 2") == [
        "1.5",
        "unknown",
        "unknown",
        "6",
        "–",
        "2026-10-28",
        "https://example.org/prices",
    ]
    keyless = {name: ENTRIES[name] for name in ("random", "tiny")}
    assert release(keyless, {}, ["intent-77"], prices=PRICES).priced_on is None


def test_places_say_where_they_cannot_be_told_from_labels(golden: Release) -> None:
    fixed, permuted = golden.place_tables
    assert (fixed.id, permuted.id) == ("places-intent-77", "places-order-stability")
    assert "same order" in fixed.remarks[0] and not permuted.remarks
    assert row(fixed, "Random")[0] == "+5.0 [+2.0, +8.0] (38.3 / 33.3)"


def test_league_ranks_are_ranges_and_the_first_is_measured_against(golden: Release) -> None:
    table = golden.result_tables[1]
    assert table.id == "league-intent-77" and table.caption.startswith("6 tests (McNemar, exact, corrected by Holm)")
    assert row(table, "Cloud 1") == ["1", "82.5", "first", "–", "–"]
    assert row(table, "Random")[0] == row(table, "Majority")[0] == "3–4"
    assert row(table, "Tiny <b>|& `x`")[3:] == ["< 0.001", "271"]
    # who was not asked has no rank, and stands with the suite's own table
    assert "Cloud 2" not in [r.values[0].text for r in table.rows] and not table.remarks


def test_prediction_collapse(golden: Release) -> None:
    assert row(golden.prediction_table, "intent-77", "Majority") == ["1", "card_arrival", "100.0 n 300", "25.0"]
    assert row(golden.histogram_tables[0], "intent-77", "Majority") == ["card_arrival 300 (75)"]
    assert golden.prediction_table.remarks == ("Not counted, since options differ between items: `cardinality`.",)


def test_several_slots_have_a_table_each() -> None:
    made = release(
        {"random": ENTRIES["random"]}, {("random", "intent-77"): Answers(90, {"valid": 300}, 1.0)}, ["intent-77"]
    )
    score = made.scores[0]
    twice = {f"{slot}.{key}": record for slot in ("route", "urgency") for key, record in score.metrics.items()}
    made = release(
        {"random": ENTRIES["random"]}, {}, ["intent-77"], scores=(score.model_copy(update={"metrics": twice}),)
    )
    assert [table.id for table in made.suite_tables] == ["route-suite-intent-77", "urgency-suite-intent-77"]
    assert made.suite_tables[0].title == "Banking intents (`intent-77`), slot `route`"
    assert row(made.suite_tables[1], "Random")[0] == "30.0 [25.1, 35.4]"


def test_another_primary_measure_stands_in_front() -> None:
    made = golden_release()
    spec = made.suites["intent-77"]
    spec = spec.model_copy(update={"metrics": spec.metrics.model_copy(update={"primary": "brier"})})
    made = dataclasses.replace(made, suites=made.suites | {"intent-77": spec})
    assert [column.label for column in made.suite_tables[0].columns][:4] == [
        "Contender",
        "Brier score",
        "n",
        "Accuracy, valid",
    ]


def test_measures_keep_their_order_and_unknown_ones_are_shown() -> None:
    assert in_order(["ece", "zeta", "accuracy_valid", "b.ece", "ece"]) == ["accuracy_valid", "ece", "zeta", "b.ece"]
    assert measure("zeta").label == "zeta"
    assert measure("b.ece").label == "b: Expected calibration error"
    assert value_of(MeasureRecord(value=1.25, n=3), "zeta", Notes()).text == "1.25"


def test_a_cell_without_score_is_an_error(golden: Release) -> None:
    with pytest.raises(MissingEvidence, match=r"no score for cloud-big\.order-stability"):
        _ = golden_release(scores=golden.scores[:-1]).cells


def test_undefined_cost_of_a_billed_contender_is_unknown() -> None:
    made = release(
        {"cloud": ENTRIES["cloud"]},
        {("cloud", "intent-77"): Answers(1, {"valid": 300}, 1.0, cost_note="no usage in the replies")},
        ["intent-77"],
    )
    table = next(table for table in made.measure_tables if table.id == "measure-cost-usd-per-1000")
    assert row(table, "Cloud 1") == ["unknown"] and table.notes == ("No usage in the replies.",)
    assert undefined("x").value is None


def test_price_windows_and_missing_prices_are_said() -> None:
    windows = [(dt.date(2026, 3, 1), None), (None, dt.date(2026, 4, 1)), (dt.date(2026, 3, 1), dt.date(2026, 4, 1))]
    dated = [PRICES.price[1].model_copy(update={"valid_from": start, "valid_to": end}) for start, end in windows]
    made = golden_release(prices=PricesFile(price=tuple(dated)))
    assert [r.values[5].text for r in made.price_table.rows] == [
        "from 2026-03-01",
        "until 2026-04-01",
        "2026-03-01 to 2026-04-01",
    ]
    assert made.price_table.remarks == ("Billed, and no price is known: Tiny <b>|& ˋxˋ ◇, Cloud 2.",)


def test_each_measure_stands_in_one_place(golden: Release) -> None:
    ids = {table.id for table in golden.measure_tables}
    # Flips have a section of their own, and what is nought everywhere is a line.
    assert not ids & {"measure-flip-rate", "measure-flip-rate-rerun", "measure-ece-drift"}
    once = "n/a in every cell: Disagreement between repeats (each item is asked once)."
    assert "measure-refused-rate" in ids and golden.measure_lines == (once,)
    keyless = {name: ENTRIES[name] for name in ("random", "cloud")}
    made = release(
        keyless,
        {("random", s): Answers(90, {"valid": 300}, 1.0) for s in ("gate-spam", "confidence-honesty")},
        ["gate-spam", "confidence-honesty"],
    )
    assert made.measure_lines == (
        "0 in every cell: Malformed, Truncated, Refused, Failed, Unsupported.",
        "Not billed in any cell: Cost per 1,000 decisions.",
        once,
    )
    assert not {t.id for t in made.measure_tables} & {
        "measure-refused-rate",
        "measure-disagreement-rate",
        "measure-honest-rate",
        "measure-accuracy-controls",
    }


def test_many_skipped_contenders_are_a_line(golden: Release) -> None:
    assert [r.span for r in golden.suite_tables[0].rows if r.span] and not golden.suite_tables[0].remarks
    made = release(ENTRIES, {("random", "intent-77"): Answers(9, {"valid": 300}, 1.0)}, ["intent-77"])
    (table,) = made.suite_tables
    assert [r.values[0].text for r in table.rows] == ["Random"]
    assert table.remarks == ("Not asked (skipped: no-credential): Majority, Tiny <b>|& ˋxˋ, Cloud 1, Cloud 2.",)
    assert len(made.outcome_table.rows) == len(made.coverage_table.rows) == len(ENTRIES)


def test_runs_that_nobody_bills_have_no_columns_of_noughts(golden: Release) -> None:
    assert [c.label for c in golden.run_table.columns] == [
        "Run",
        "Started",
        "Scored",
        "Negotiation",
        "Unsettled",
        "Versions",
    ]
    answers = {("random", "intent-77"): Answers(9, {"valid": 300}, 1.0)}
    nought = {"scored": "0", "negotiation": "0.00", "unsettled": "0"}
    for spend, billed in ((nought, False), (nought | {"negotiation": "0.01"}, True), ({}, True)):
        runs = (dataclasses.replace(golden.runs[0], spend_usd=spend),)
        table = release({n: ENTRIES[n] for n in ("random", "cloud")}, answers, ["intent-77"], runs=runs).run_table
        assert ("Scored" in [c.label for c in table.columns]) == billed
        assert ("not billed" in table.caption) != billed
    # Where nobody could send a bill, an amount that an old run did not write down is none.
    runs = (dataclasses.replace(golden.runs[0], spend_usd={}),)
    keyless = release({"random": ENTRIES["random"]}, answers, ["intent-77"], runs=runs)
    assert len(keyless.run_table.columns) == 3


def test_sections_with_nothing_are_not_there(golden: Release) -> None:
    assert [section.id for section in sections(golden)] == [
        "overview",
        "results",
        "tradeoff",
        "sanity",
        "outcomes-and-coverage",
        "cardinality",
        "order",
        "places",
        "calibration",
        "thresholds",
        "cost",
        "times",
        "measures",
        "items",
        "kinds",
        "collapse",
        "deviations",
        "setup",
        "attribution",
        "recompute",
    ]
    made = release(ENTRIES, {("random", "intent-77"): Answers(9, {"valid": 300}, 1.0)}, ["intent-77"])
    assert not {"cardinality", "order", "honesty", "slices"} & {s.id for s in sections(made)}
    # Asked of nobody: heads without rows say nothing either.
    unasked = release(ENTRIES, {}, list(SUITES))
    assert [s.id for s in sections(unasked)][:4] == ["results", "sanity", "outcomes-and-coverage", "cost"]
    assert "kinds" not in {s.id for s in sections(unasked)}
    assert "calibration" not in {s.id for s in sections(unasked)}


def test_slices_explain_themselves() -> None:
    kinds = {"order-stability": ("rerun", "permuted"), "confidence-honesty": ("control", "underdetermined")}
    made = release(
        {"random": ENTRIES["random"]}, {("random", s): Answers(9, {"valid": 300}, 1.0) for s in kinds}, list(kinds)
    )
    cut = tuple(
        score.model_copy(
            update={
                "slices": tuple(
                    SliceRecord(by="kind", value=value, n_expected=9, metrics={"accuracy_valid": rate(3, 9)})
                    for value in kinds[score.suite]
                )
            }
        )
        for score in made.scores
    )
    order, honesty = dataclasses.replace(made, scores=cut).slice_tables
    assert order.title.endswith("by kind of repetition") and "`rerun`: the same order again" in order.caption
    assert honesty.title.endswith("by kind of item") and honesty.columns[0].label == "Kind of item"


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("no resample differs: no interval", "every resample gives the same value, so no interval is printed"),
        ("upper bound not bounded below n = 299", "n is too small for an upper bound (299 needed)"),
        (
            "attainable ceiling 15/20: labels absent from the gold score 0; a label with one group: no interval",
            "at most 15/20 = 0.750 is attainable: 5 labels have no item; some label has only one group, so no interval is printed",
        ),
        (
            "attainable ceiling 3/4: labels absent from the gold score 0",
            "at most 3/4 = 0.750 is attainable: 1 label has no item",
        ),
        ("3 of 7 pairs lack a choice; whatever", "3 of 7 pairs lack a choice; whatever"),
    ],
)
def test_notes_are_in_plain_words(note: str, said: str) -> None:
    assert in_words(note) == said


def test_captions_say_what_a_number_is_worth(golden: Release) -> None:
    captions = {table.id: table.caption for table in (*golden.measure_tables, *golden.cardinality_tables)}
    latencies = [caption for name, caption in captions.items() if "latency" in name]
    assert len(latencies) == 4 and all("what else it was doing" in caption for caption in latencies)


def test_lead_counts_in_the_right_number() -> None:
    made = release(
        {"random": ENTRIES["random"]}, {("random", "intent-77"): Answers(9, {"valid": 300}, 1.0)}, ["intent-77"]
    )
    assert lead(made).startswith("1 contender, 1 suite of frozen items, 300 expected decisions. ")
