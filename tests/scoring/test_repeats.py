"""Items asked several times, by hand: what is of the first repeat, what of all of them, and what of their median."""

from __future__ import annotations

from typing import Any

import pytest

from dmb.contracts.attempt import Attempt, Timing
from dmb.metrics import wilson
from tests.scoring.by_hand import N_ITEMS, attempt, chat, price, published, release, score, tokens


@pytest.fixture(autouse=True)
def in_a_scratch_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def told(item: int, repeat: int, choice: int | None, request_ms: float | None = 10.0, **more: Any) -> Attempt:
    """An answer with option ``choice`` (0 is the gold); None is one that breaks the form."""
    content = "no JSON" if choice is None else f'{{"choice_index": {choice}, "confidence": 0.9}}'
    timing = Timing(sent_at=f"2026-11-30T12:00:0{repeat}Z", request_ms=request_ms, **more.pop("timing", {}))
    return attempt(chat(tokens(1000, 0), content), item=item, repeat=repeat, timing=timing, **more)


def test_accuracy_is_of_the_first_and_disagreement_of_all():
    attempts = [
        # right, and then wrong twice
        *(told(0, r, c) for r, c in enumerate((0, 1, 1))),
        # wrong, and then right
        *(told(1, r, c) for r, c in enumerate((1, 0, 0))),
        # always the same
        *(told(2, r, 0) for r in range(3)),
        # of one mind as far as it is valid
        *(told(3, r, c) for r, c in enumerate((0, None, 0))),
        # valid once
        *(told(4, r, c) for r, c in enumerate((0, None, None))),
    ]
    found = score("m", attempts, [price("m")], repeats=3)
    metrics = found.metrics
    # items 0, 2, 3, 4 of the first repeat
    assert (metrics["accuracy_valid"].num, metrics["accuracy_valid"].den) == (4, 5)
    assert (metrics["ece"].n, metrics["brier"].n) == (5, 5)
    both = metrics["disagreement_rate"]
    assert (both.num, both.den, both.n, both.n_groups) == (2, 4, 4, 4)
    assert [round(x, 9) for x in (both.low, both.high)] == [round(x, 9) for x in wilson(2, 4)]
    # item 4 and the seven that nobody was asked
    assert both.note == "8 of 12 items have fewer than two valid repeats"
    # outcomes are of every row, the repeats of an item in one group
    assert (found.n_expected, found.n_groups, found.repeats) == (3 * N_ITEMS, N_ITEMS, 3)
    assert (found.outcomes["valid"], found.outcomes["malformed"], found.outcomes["skipped"]) == (12, 3, 21)
    rate = metrics["malformed_rate"]
    assert (rate.num, rate.den, rate.n, rate.n_groups) == (3, 15, 15, 5)
    assert (metrics["valid_rate"].den, metrics["valid_rate"].n_groups) == (36, 12)
    # and so is the cost: 15 attempts of a thousandth of a dollar
    assert (found.cost_usd, metrics["cost_usd_per_1000"].den) == ("0.015", 15)
    assert metrics["cost_usd_per_1000"].n_groups == 5


def test_latency_is_the_median_of_each_items_known_repeats():
    attempts = [
        *(told(0, r, 0, ms) for r, ms in enumerate((100.0, 10.0, 30.0))),
        # the slowest came without its last byte: the mean of the two that are known
        told(1, 0, 0, 20.0),
        told(1, 1, 0, 50.0),
        attempt(None, item=1, repeat=2, timing=Timing(sent_at="2026-11-30T12:00:02Z")),
        # known once
        told(2, 0, 0, 7.0),
        attempt(None, item=2, repeat=1, timing=Timing(sent_at="2026-11-30T12:00:01Z")),
        # never
        attempt(None, item=3, timing=Timing(sent_at="2026-11-30T12:00:00Z")),
    ]
    metrics = score("m", attempts, [price("m")], repeats=3).metrics
    # 7, 30, 35
    for scope in ("latency", "request_latency"):
        assert (metrics[f"{scope}_p50_ms"].value, metrics[f"{scope}_p50_ms"].n) == (30.0, 3)
        assert metrics[f"{scope}_p95_ms"].value == 35.0


def test_the_two_scopes_are_kept_apart():
    first = attempt(chat(tokens(9, 1), "no JSON"), timing=Timing(sent_at="2026-11-30T12:00:00.000Z", request_ms=40.0))
    timing = Timing(sent_at="2026-11-30T12:00:00.100Z", request_ms=30.0, connect_ms=5.0)
    again = attempt(chat(tokens(9, 1)), number=2, cause="malformed", timing=timing)
    metrics = score("m", [first, again], [price("m")]).metrics
    # 100 ms until the second attempt, its connection and its request
    assert (metrics["latency_p50_ms"].value, metrics["request_latency_p50_ms"].value) == (135.0, 30.0)


def test_asked_once_nobody_can_disagree_and_the_report_says_so_in_a_line():
    found = score("m", [told(0, 0, 0)], [price("m")])
    assert (found.metrics["disagreement_rate"].value, found.metrics["disagreement_rate"].note) == (
        None,
        "n/a: each item is asked once",
    )
    made = release([found], [price("m")])
    assert "n/a in every cell: Disagreement between repeats (each item is asked once)." in made.measure_lines
    markdown, page, cells = published(made)
    assert "Repeats:" not in markdown and "measure-disagreement-rate" not in page
    assert cells["cells"][0]["repeats"] == 1


def test_several_repeats_are_said_at_the_top_and_beside_the_latencies():
    attempts = [told(i, r, (i + r) % 2) for i in range(4) for r in range(2)]
    found = score("m", attempts, [price("m")], repeats=2)
    made = release([found], [price("m")])
    (table,) = [t for t in made.measure_tables if t.id == "measure-disagreement-rate"]
    place = table.rows[0].values[1]
    # every item of the four; the other eight were not asked. Wilson's lower limit is 4 / (4 + 1.96 ** 2)
    assert (place.text, place.interval, place.n) == ("100.0", "[51.0, 100.0]", "n 4")
    markdown, page, cells = published(made)
    said = (
        "Each item was asked 2 times: accuracy and calibration are those of the first, latency is the median over the "
        "repeats of an item, and outcomes and cost are of all of them"
    )
    assert markdown.count(said) == page.count(said) == 1
    assert "* Repeats: 2 of each item\n" in markdown and "<dt>Repeats</dt><dd>2 of each item</dd>" in page
    assert cells["cells"][0]["repeats"] == 2
    assert cells["cells"][0]["metrics"]["disagreement_rate"]["num"] == 4
