"""`docs/statistics.md` and `docs/statistics-tables.md`, spelled from what was seen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from tests.coverage.exact import bound_coverage, least_wilson_coverage, pair_coverage, power, wilson_coverage
from tests.coverage.leagues import LEAGUES, N_CONTENDERS, N_LEAGUES
from tests.coverage.lines import LINES
from tests.coverage.trying import Line, Seen

RATE_SIZES = {
    25: "`cardinality`, one size",
    30: "`starter-order`, rerun",
    100: "`confidence-honesty`, one kind; `order-stability`, rerun",
    150: "as many as `starter-gate`",
    200: "as many as `starter-route`; `confidence-honesty`, honest rate",
    300: "as many as `intent-77` and `gate-spam`",
}
RATES = (0.5, 0.7, 0.8, 0.9, 0.95)
ALL_RATES = np.linspace(0.5, 0.97, 95)
#: (right in a only, right in b only)
PAIR_SHARES = ((0.10, 0.10), (0.15, 0.05), (0.02, 0.02), (0.04, 0.0), (0.01, 0.0), (0.30, 0.10))
PAIR_SIZES = (25, 100, 150, 200, 300)
PERCENTILES = (0.50, 0.95, 0.99)
BOUND_SIZES = (25, 100, 150, 200, 275, 300, 400)
POWER_TESTS = {1: 0.0, 10: 0.80, 66: 0.60}

_HEAD = """\
# What the intervals hold

An interval that says 95 % should hold the truth in 95 of 100 samples. Whether it does depends on method and sample size, so
it is tried at the sizes of the suites, on made-up populations whose truth is known. The test that tries it writes this
page: `pytest tests/coverage -m long --fix`; the default test run repeats it with fewer samples and holds both to each other.
Below each method stands the least and the most that it held, over all populations in [the tables](statistics-tables.md).

A method that falls short must say so: the measure then carries the note *approximate*, and the report prints it. A *silent
miss* is an interval that misses the truth without that note. Their share is held to the bar, give or take two standard
errors of the number of samples.

## Rates, each row a group of its own

Wilson's interval. Summed up over all outcomes, so there is no chance in these numbers: percent of samples that hold a true
rate of 50 to 95 %, and the lowest for any rate from 50 to 97 %. No interval for a rate is level: at 25 rows some rates are
held in 92 %. Held to 93-97 % from 100 rows on, the lowest to 92.5.

"""

_TABLES_HEAD = """\
# What the intervals hold: tables

Written by `pytest tests/coverage -m long --fix`; [the page before](statistics.md) says what was tried, and why.

* *holds*: percent of samples whose interval holds the truth, of those that have one
* *marked*: percent of samples where the measure says *approximate*, or has no interval
* *silent misses*: percent of samples whose interval misses and is not marked, and *bar*: the most that is allowed
* *width*: mean distance of the limits, on the scale of the measure
* *rows alike*: rows of a group succeed or fail together more often than by chance
"""

#: section -> heading, what is done there.
_TEXTS = {
    "stratified": (
        "Rates over label-stratified samples",
        """With fixed numbers of rows per label chance has less room, so Wilson's interval holds more than it says. Only the lower end
is a bar.""",
    ),
    "clusters": (
        "Rates over groups of rows",
        """Wilson's interval for the effective number of rows, with Student's t. Marked where the rarer outcome occurs in fewer than four
groups: then nothing tells how alike rows of a group are.""",
    ),
    "macro-F1": (
        "Macro-F1",
        """Groups resampled within each label, one less than there is and scaled up; basic interval. Without that scaling it held about 91 %
at 300 rows. The bar is 90 % up to 300 rows, where a few rows per label, or few of the rare label, must do; 94 % at 616.""",
    ),
    "pairs": (
        "Differences between two contenders",
        """Agresti and Min's interval, never less than Wilson's where all differing rows point one way. First rows that are groups of
their own, summed up over all outcomes. Columns: share of rows that the first alone has right, and the second alone.""",
    ),
    "position": (
        "Position effect",
        "Flips in three other orders minus flips of one rerun, per item; the same interval on these differences.",
    ),
    "cost": (
        "Cost per 1,000 decisions",
        """Student's t on group totals. Marked where a few decisions carry much of the cost (Cochran's rule on skewness), since no interval
that was tried holds 95 % there. A basic bootstrap held up to two points less. Widths are in dollars.""",
    ),
    "drift": (
        "Calibration drift",
        """Items resampled, basic interval. It falls short, as did percentile, normal and bias-corrected intervals, each in some
population: an ECE near 0 can only be too large, the more so on fewer rows. So it is always marked.""",
    ),
    "trend": (
        "Trend over the number of options",
        "Least squares on log2 N, standard errors over questions. Marked where the rarer outcome occurs in fewer than five groups.",
    ),
    "floor": (
        "The noise floor of ECE",
        "A perfectly calibrated contender should stay at or below its printed 95 % floor in 93-97 % of samples.",
    ),
    "latency": (
        "Upper bounds of percentiles",
        """Order statistics; one-sided, so at least 95 % is wanted. First independent times, summed up, the same for every continuous
distribution. Empty: too few rows for a bound, and the measure says so.""",
    ),
}


def pages(seen: Mapping[tuple[str, str], Seen], leagues: Mapping[tuple[str, str], float]) -> dict[str, str]:
    """Both pages by name; ``seen`` by section and label, ``leagues`` by suite and population."""
    text, tables = _HEAD + _rates(), _TABLES_HEAD
    for section, (heading, words) in _TEXTS.items():
        lines = [line for line in LINES if line.section == section]
        text += f"\n## {heading}\n\n{words}\n\n"
        tables += f"\n## {heading}\n\n"
        tables += _head("suite", "shape", "population", "samples|holds|marked|silent misses|bar|width")
        tables += "".join(row(line, seen[section, line.label]) for line in lines)
        grouped = "\nThen groups of several rows, as many independent rows as they are worth. "
        text += {"pairs": _pairs() + grouped, "latency": _bounds() + grouped}.get(section, "")
        text += _in_short(lines, [seen[section, line.label] for line in lines])
    return {"statistics.md": text + _leagues(leagues) + _power(), "statistics-tables.md": tables}


def _in_short(lines: Sequence[Line], seen: Sequence[Seen]) -> str:
    held, misses = [s.covered for s in seen], max(s.unmarked_misses for s in seen)
    bars = sorted({1 - line.least for line in lines})
    allowed = " or ".join(f"{100 * bar:.0f}" for bar in bars)
    return (
        f"Held: {percent(min(held))} to {percent(max(held))} % in {len(lines)} populations; silent misses at most "
        f"{percent(misses)} % ({allowed} allowed).\n"
    )


def row(line: Line, seen: Seen) -> str:
    bar = f"{100 * (1 - line.least):.0f}" if line.most == 1.0 else f"{100 * line.least:.0f}-{100 * line.most:.0f} held"
    width = f"{seen.width:.3g}" if seen.width else ""
    shares = (percent(s) for s in (seen.covered, seen.marked, seen.unmarked_misses))
    suite = f"`{line.suite}`" if "-" in line.suite or line.suite == "cardinality" else line.suite
    return _row([suite, line.shape, line.population, f"{seen.draws:,}", *shares, bar, width])


def read_rows(text: str) -> dict[str, tuple[int, float, float]]:
    """(samples, holds, silent misses) by suite, shape, population and place of every row that `row` wrote."""
    out = {}
    for cells in (re.split(r" \| ", line.strip("| \n")) for line in text.splitlines() if line.startswith("| ")):
        if len(cells) >= 8 and re.fullmatch(r"[\d,]+", cells[3]):
            suite, shape, population, samples, holds, _, misses = cells[:7]
            key = f"{suite.strip('`')} | {shape} | {population}"
            out[key] = (int(samples.replace(",", "")), float(holds) / 100, float(misses) / 100)
    return out


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _rates() -> str:
    text = _head("rows", "where", "|".join([*(f"{rate:.0%}" for rate in RATES), "lowest", "at"]))
    for n, where in RATE_SIZES.items():
        lowest, at = least_wilson_coverage(n, ALL_RATES)
        cells = [percent(wilson_coverage(n, rate)) for rate in RATES]
        text += _row([str(n), where, *cells, percent(lowest), f"{at:.1%}"])
    return text


def _pairs() -> str:
    text = _head("rows", "|".join(f"{up:.0%} and {down:.0%}" for up, down in PAIR_SHARES))
    for n in PAIR_SIZES:
        text += _row([str(n), *(percent(pair_coverage(n, up, down)) for up, down in PAIR_SHARES)])
    return text


def _bounds() -> str:
    text = _head("rows", "|".join(f"p{100 * share:.0f}" for share in PERCENTILES))
    for n in BOUND_SIZES:
        held = [bound_coverage(n, share) for share in PERCENTILES]
        text += _row([str(n), *("" if share is None else percent(share) for share in held)])
    return text


def _leagues(leagues: Mapping[tuple[str, str], float]) -> str:
    text = f"""
## Nobody differs

{N_CONTENDERS} equal contenders, 66 pairs, exact tests (McNemar's; where groups have several rows its counterpart that exchanges
whole groups) with Holm's correction: percent of {N_LEAGUES} leagues in which any pair is called different. At most 5 % and two
standard errors are allowed, 6.9.

"""
    text += _head("suite", "shape", "population", "any pair called different")
    for league in LEAGUES:
        found = leagues[league.suite, league.population]
        text += _row([f"`{league.suite}`", league.shape, league.population, percent(found)])
    return text


def _power() -> str:
    text = """
## What is found

300 rows, of which the better contender alone has 15 % right and the other alone 5 %: 10 points. Percent of samples in which
Holm's correction finds it whatever the other pairs of the league come to; summed up over all outcomes.

"""
    text += _head("pairs tested", "found|bar")
    for n_tests, bar in POWER_TESTS.items():
        text += _row([str(n_tests), percent(power(300, 0.15, 0.05, n_tests)), f"{100 * bar:.0f}" if bar else ""])
    return text


def _head(*names: str) -> str:
    """Head of a table; the last name holds those of the columns of numbers, separated by bars."""
    words, numbers = names[:-1], names[-1].split("|")
    return _row([*words, *numbers]) + f"|{' --- |' * len(words)}{' --: |' * len(numbers)}\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
