"""Intervals hold what they say at the sizes of the suites, tests find what is there and nothing else, and
`docs/statistics.md` says so."""

from __future__ import annotations

import json
import math
import tomllib

import pytest

from dmb.metrics import paired_difference
from tests.conftest import PROJECT
from tests.coverage.exact import bound_coverage, least_wilson_coverage, pair_coverage, power, wilson_coverage
from tests.coverage.leagues import LEAGUES, N_LEAGUES, share_with_a_find
from tests.coverage.lines import INTENT_ROWS, LINES, SHAPES, SWEEP
from tests.coverage.page import (
    ALL_RATES,
    BOUND_SIZES,
    PAIR_SHARES,
    PAIR_SIZES,
    PERCENTILES,
    POWER_TESTS,
    RATE_SIZES,
    RATES,
    pages,
    percent,
    read_rows,
)
from tests.coverage.trying import Line, Seen, judge, try_line

DOCS = PROJECT / "docs"
PAGE, TABLES = DOCS / "statistics.md", DOCS / "statistics-tables.md"
#: Standard errors that a quick look has to spare, so that none of so many is red by chance.
QUICK_ERRORS, LONG_ERRORS = 4.0, 2.0
QUICK_LEAGUES = 60


def quickly(line: Line) -> Seen:
    return try_line(line, line.quick)


# -- the sizes are those of the suites


def test_shapes_are_those_of_the_frozen_suites():
    lock = json.loads((PROJECT / "data/items.lock.json").read_text(encoding="utf-8"))
    assert {suite: n for suite, (n, _) in SHAPES.items()} == {suite: entry["n_items"] for suite, entry in lock.items()}
    params = {
        suite: tomllib.loads((PROJECT / f"data/suites/{suite}.toml").read_text(encoding="utf-8"))["items"]["params"]
        for suite in SHAPES
    }
    assert tuple(params["cardinality"]["sweep"]) == SWEEP and SHAPES["cardinality"][1] * len(SWEEP) == 275
    for suite in ("order-stability", "starter-order"):
        n_items, n_groups = SHAPES[suite]
        assert n_items == n_groups * (params[suite]["permutations"] + 1)
    assert params["confidence-honesty"]["per_kind"] == 100
    assert sum(INTENT_ROWS) == params["intent-77"]["n_eval"] + params["intent-77"]["n_order"]
    assert min(INTENT_ROWS) == 3


def test_every_suite_is_tried():
    tried = {line.suite for line in LINES} | {league.suite for league in LEAGUES}
    assert set(SHAPES) - tried == {"confidence-honesty"}, "whose rates are in the table of independent rows"


# -- what is summed up


@pytest.mark.parametrize("n", [n for n in RATE_SIZES if n >= 100])
def test_rates_of_independent_rows(n):
    for rate in RATES:
        assert 0.93 <= wilson_coverage(n, rate) <= 0.97
    assert least_wilson_coverage(n, ALL_RATES)[0] >= 0.925


def test_at_25_rows_wilson_is_uneven():
    assert all(0.91 <= wilson_coverage(25, rate) <= 0.98 for rate in RATES)


@pytest.mark.parametrize("n", PAIR_SIZES)
def test_pairs_of_independent_rows(n):
    assert all(pair_coverage(n, up, down) >= 0.94 for up, down in PAIR_SHARES)
    # the exact sum stands on the very limits that are printed
    measure = paired_difference([1] * 3 + [0] * (n - 3), [0] * (n - 1) + [1])
    assert measure.low <= measure.value <= measure.high


@pytest.mark.parametrize("share", PERCENTILES)
def test_bounds_of_percentiles(share):
    assert all(bound_coverage(n, share) in (None,) or bound_coverage(n, share) >= 0.95 for n in BOUND_SIZES)
    assert bound_coverage(299, share) is not None


def test_power():
    for n_tests, bar in POWER_TESTS.items():
        assert power(300, 0.15, 0.05, n_tests) >= bar


# -- what is drawn, in short


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.section}: {line.label}")
def test_an_interval_holds_what_it_says_and_the_page_says_what_it_holds(line: Line):
    seen = quickly(line)
    assert judge(line, seen, QUICK_ERRORS) is None
    kept = read_rows(TABLES.read_text(encoding="utf-8"))
    assert line.label in kept, "`pytest tests/coverage -m long --fix` writes the page"
    samples, holds, misses = kept[line.label]
    assert samples == line.draws
    for written, found in ((holds, seen.covered), (misses, seen.unmarked_misses)):
        error = math.sqrt(max(written * (1 - written), 0.01) * (1 / seen.draws + 1 / samples))
        assert abs(written - found) <= QUICK_ERRORS * error + 0.0005, (
            "`pytest tests/coverage -m long --fix` rewrites it"
        )


def test_the_page_says_nothing_else():
    assert set(read_rows(TABLES.read_text(encoding="utf-8"))) == {line.label for line in LINES}


def test_what_is_summed_up_stands_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    for n in RATE_SIZES:
        assert " | ".join(percent(wilson_coverage(n, rate)) for rate in RATES) in text
    for n in PAIR_SIZES:
        assert " | ".join([str(n), *(percent(pair_coverage(n, *shares)) for shares in PAIR_SHARES)]) in text
    for n_tests in POWER_TESTS:
        assert f"| {n_tests} | {percent(power(300, 0.15, 0.05, n_tests))} |" in text


@pytest.mark.parametrize("league", LEAGUES, ids=lambda league: f"{league.suite}, {league.population}")
def test_equal_contenders_are_rarely_called_different(league):
    allowed = 0.05 + QUICK_ERRORS * math.sqrt(0.05 * 0.95 / QUICK_LEAGUES)
    assert share_with_a_find(league, QUICK_LEAGUES) <= allowed


# -- can it fail?


def test_a_method_that_misses_in_silence_is_seen():
    line = next(line for line in LINES if line.section == "drift")
    seen = Seen(draws=1000, covered=0.88, unmarked_misses=0.12, marked=0.0, width=0.1)
    assert judge(line, seen, LONG_ERRORS) == "12.0% miss unmarked, 7% + 1.6% allowed"
    marked = Seen(draws=1000, covered=0.88, unmarked_misses=0.0, marked=1.0, width=0.1)
    assert judge(line, marked, LONG_ERRORS) is None
    wide = Seen(draws=400, covered=1.0, unmarked_misses=0.0, marked=0.0, width=1.0)
    floor = next(line for line in LINES if line.section == "floor")
    assert judge(floor, wide, LONG_ERRORS) == "100.0% covered, at most 97% wanted"


# -- what is drawn, in full


@pytest.mark.long
def test_in_full_and_the_page_is_what_was_seen(request):
    seen = {(line.section, line.label): try_line(line, line.draws) for line in LINES}
    missed = {
        key: why
        for line in LINES
        if (why := judge(line, seen[key := (line.section, line.label)], LONG_ERRORS)) is not None
    }
    assert not missed
    leagues = {(league.suite, league.population): share_with_a_find(league, N_LEAGUES) for league in LEAGUES}
    assert max(leagues.values()) <= 0.05 + LONG_ERRORS * math.sqrt(0.05 * 0.95 / N_LEAGUES)
    made = pages(seen, leagues)
    if request.config.getoption("--fix", default=False):
        for name, text in made.items():
            (DOCS / name).write_text(text, encoding="utf-8", newline="\n")
    kept = {name: (DOCS / name).read_text(encoding="utf-8") for name in made}
    assert made == kept, "docs/statistics*.md differ; `pytest tests/coverage -m long --fix` rewrites them"
