"""Every interval of dmb.metrics at the sizes of the suites."""

from __future__ import annotations

import math
from decimal import Decimal
from statistics import NormalDist

import numpy as np
from numpy.random import Generator

from dmb import metrics
from dmb.metrics import Measure
from tests.coverage.populations import SWEEP, Alike, Confident, Curve, Flips, Labels, Two
from tests.coverage.trying import Line

#: suite -> (items, groups), held to data/items.lock.json and the suite files by the test.
SHAPES = {
    "intent-77": (300, 300),
    "gate-spam": (300, 300),
    "cardinality": (275, 25),
    "order-stability": (400, 100),
    "confidence-honesty": (300, 300),
    "starter-route": (200, 200),
    "starter-gate": (150, 150),
    "starter-order": (120, 30),
}

#: Rows of each of the 77 labels of `intent-77`: two or three of the evaluation, one or two of `order-stability`.
INTENT_ROWS = tuple(2 + (k < 46) + 1 + (k * 37 % 77 < 23) for k in range(77))
TWO_SIDED, RATE_MOST = 0.93, 0.97


def _groups(n_groups: int, size: int) -> list[int]:
    return np.repeat(np.arange(n_groups), size).tolist()


# -- rates


def _stratified(suite: str, counts: tuple[int, ...], a: float, b: float) -> Line:
    """Fixed numbers of each label, which are right in shares of their own."""
    labels = Labels.make(counts, a, b, seed=1)

    def sample(rng: Generator) -> Measure:
        gold, predicted = labels.sample(rng)
        return metrics.rate([g == p for g, p in zip(gold, predicted, strict=True)])

    words = f"labels of their own, mean {labels.accuracy:.0%}"
    return Line("stratified", suite, f"{sum(counts)} rows", words, labels.accuracy, sample, TWO_SIDED, quick=300)


def _alike(suite: str, n_groups: int, size: int, a: float, b: float, words: str) -> Line:
    population, groups = Alike(a, b), _groups(n_groups, size)

    def sample(rng: Generator) -> Measure:
        return metrics.rate(population.hits(rng, n_groups, size).ravel(), groups)

    shape = f"{n_groups} groups of {size}"
    return Line("clusters", suite, shape, f"{population.truth:.0%}, {words}", population.truth, sample, TWO_SIDED)


def _curve(n_groups: int, curve: Curve, words: str) -> Line:
    truth, groups = float(curve.by_size.mean()), _groups(n_groups, len(SWEEP))

    def sample(rng: Generator) -> Measure:
        return metrics.rate(curve.hits(rng, n_groups).ravel(), groups)

    shape = f"{n_groups} groups of {len(SWEEP)}"
    return Line("clusters", "cardinality", shape, f"{truth:.0%}, {words}", truth, sample, TWO_SIDED)


STRATIFIED = [
    _stratified("intent-77", INTENT_ROWS, 8, 2),
    _stratified("intent-77", INTENT_ROWS, 2, 0.5),
    _stratified("gate-spam", (37, 263), 18, 2),
    _stratified("starter-route", (10,) * 20, 9, 1),
]

GENTLE, STEEP, HARD = Curve(6, 0.3, 1.5), Curve(4, 0.4, 1), Curve(2, 0.5, 1)
CLUSTERS = [
    _curve(25, STEEP, "falling from 96 to 58 %"),
    _curve(25, GENTLE, "falling from 99 to 92 %"),
    _curve(8, STEEP, "one tier, falling from 96 to 58 %"),
    _alike("cardinality", 25, 11, 1, 1, "rows much alike"),
    _alike("cardinality", 25, 11, 80, 20, "rows hardly alike"),
    _alike("cardinality", 25, 11, 19, 1, "rows a little alike"),
    _alike("cardinality", 25, 11, 1.9, 0.1, "rows nearly all alike"),
    _alike("order-stability", 100, 4, 8, 2, "rows a little alike"),
    _alike("order-stability", 100, 4, 1.9, 0.1, "rows nearly all alike"),
    _alike("order-stability", 100, 3, 0.15, 3, "flips of a few items"),
    _alike("order-stability", 100, 3, 1, 9, "flips of many items"),
    _alike("starter-order", 30, 4, 8, 2, "rows a little alike"),
    _alike("starter-order", 30, 3, 0.3, 2.7, "flips of a few items"),
]


# -- macro-F1


def _macro_f1(suite: str, shape: str, counts: tuple[int, ...], a: float, b: float, least: float) -> Line:
    labels = Labels.make(counts, a, b, seed=2)
    names = list(range(len(counts)))

    def sample(rng: Generator) -> Measure:
        return metrics.macro_f1(*labels.sample(rng), names)

    words = f"F1 {labels.f1:.3f}"
    return Line("macro-F1", suite, shape, words, labels.f1, sample, least, draws=1_000, quick=8)


MACRO_F1 = [
    _macro_f1("intent-77", "300 rows, 77 labels", INTENT_ROWS, 8, 2, 0.90),
    _macro_f1("intent-77", "300 rows, 77 labels", INTENT_ROWS, 19, 1, 0.90),
    _macro_f1("of 77 labels", "616 rows, 77 labels", (8,) * 77, 8, 2, 0.94),
    _macro_f1("of 77 labels", "616 rows, 77 labels", (8,) * 77, 19, 1, 0.94),
    _macro_f1("gate-spam", "37 and 263 rows", (37, 263), 18, 2, 0.90),
    _macro_f1("starter-route", "200 rows, 20 labels", (10,) * 20, 9, 1, 0.90),
    _macro_f1("starter-gate", "100 and 50 rows", (100, 50), 18, 2, 0.90),
]


# -- pairs


def _pair(suite: str, n_groups: int, size: int, population: Two, words: str) -> Line:
    groups = _groups(n_groups, size)

    def sample(rng: Generator) -> Measure:
        a, b = population.hits(rng, n_groups, size)
        return metrics.paired_difference(a.ravel(), b.ravel(), groups)

    truth = population.truth
    return Line(
        "pairs", suite, f"{n_groups} groups of {size}", f"{100 * truth:+.1f} points, {words}", truth, sample, 0.94
    )


def _position(suite: str, n_items: int, flips: Flips, words: str) -> Line:
    orders, items = _groups(n_items, 3), list(range(n_items))

    def sample(rng: Generator) -> Measure:
        permuted, rerun = flips.flips(rng, n_items, 3)
        return metrics.position_effect(permuted.ravel(), orders, rerun.ravel(), items)

    truth = flips.truth
    return Line(
        "position", suite, f"{n_items} items of 3 and 1", f"{100 * truth:+.1f} points, {words}", truth, sample, 0.94
    )


PAIRS = [
    _pair("cardinality", 25, 11, Two(0.8, 0.8, 1, 0.5), "equal"),
    _pair("cardinality", 25, 11, Two(0.97, 0.97, 1, 0.5), "equal and nearly always right"),
    _pair("cardinality", 25, 11, Two(0.9, 0.7, 1, 1), "apart"),
    _pair("cardinality", 25, 11, Two(0.95, 0.95, 0, 3), "each with weak groups of its own"),
    _pair("cardinality", 25, 11, Two(0.99, 0.9, 2, 2), "apart, and weak groups"),
    _pair("order-stability", 100, 4, Two(0.8, 0.75, 1.5, 0.5), "close"),
    _pair("order-stability", 100, 4, Two(0.97, 0.97, 1, 1), "equal and nearly always right"),
    _pair("starter-order", 30, 4, Two(0.9, 0.8, 1, 1), "apart"),
]
POSITION = [
    _position("order-stability", 100, Flips(0.02, 0.02, 1), "flips by chance only"),
    _position("order-stability", 100, Flips(0.05, 0.15, 1), "an effect"),
    _position("order-stability", 100, Flips(0.0005, 0.002, 2), "hardly any flips"),
    _position("order-stability", 100, Flips(0.2, 0.6, 1), "a large effect"),
    _position("starter-order", 30, Flips(0.05, 0.15, 1), "an effect"),
]


# -- cost, calibration drift, trend


def _cost(words: str, draw, n_groups: int = 300, size: int = 1) -> Line:
    truth = float(draw(np.random.default_rng(0), 2_000_000).mean()) * 1000
    groups = _groups(n_groups, size)

    def sample(rng: Generator) -> Measure:
        costs = [Decimal(round(1e9 * cost)).scaleb(-9) for cost in draw(rng, n_groups * size)]
        return metrics.cost_per_1000(costs, groups)

    shape = f"{n_groups} rows" if size == 1 else f"{n_groups} groups of {size}"
    suite = "intent-77" if size == 1 else "cardinality"
    return Line("cost", suite, shape, words, truth, sample, TWO_SIDED, draws=2_000, quick=25)


def _long_lists(rng: Generator, n: int) -> np.ndarray:
    return (20 + np.resize(SWEEP, n)) * 1e-6 * rng.lognormal(0, 0.1, n)


COST = [
    _cost("short answers", lambda rng, n: 1e-4 * rng.lognormal(0, 0.2, n)),
    _cost("one in 20 retried", lambda rng, n: 1e-4 * rng.lognormal(0, 0.1, n) * (1 + (rng.random(n) < 0.05))),
    _cost("reasoning of uneven length", lambda rng, n: 1e-3 * rng.lognormal(0, 0.6, n)),
    _cost("reasoning of very uneven length", lambda rng, n: 1e-3 * rng.lognormal(0, 1.2, n)),
    _cost("one in 30 costs 40 times as much", lambda rng, n: 1e-4 * np.where(rng.random(n) < 0.03, 40.0, 1.0)),
    _cost("growing with the list", _long_lists, 25, 11),
]


def _drift(suite: str, n_items: int, population: Confident, words: str) -> Line:
    big = population.draw(np.random.default_rng(0), 300_000, 3)
    truth = _true_ece(big[2], population.over[1]) - _true_ece(big[0], population.over[0])
    groups = _groups(n_items, 3)

    def sample(rng: Generator) -> Measure:
        before, right_before, after, right_after = population.draw(rng, n_items, 3)
        repeated = [np.repeat(column, 3, axis=1).ravel() for column in (before, right_before)]
        return metrics.ece_drift(*repeated, after.ravel(), right_after.ravel(), groups)

    shape = f"{n_items} items of 3 and 1"
    return Line("drift", suite, shape, words, truth, sample, TWO_SIDED, draws=1_000, quick=8)


def _true_ece(confidence: np.ndarray, over: float) -> float:
    column = confidence.ravel()
    gaps = column - np.clip(column - over, 0.0, 1.0)
    bins = np.ceil(np.round(column * 100) / 10).astype(int)
    return float(np.abs(np.bincount(bins, weights=gaps)).sum() / column.size)


DRIFT = [
    _drift("order-stability", 100, Confident((0.0, 0.0), 0.7), "calibrated in every order"),
    _drift("order-stability", 100, Confident((0.15, 0.15), 0.7), "as overconfident in every order"),
    _drift("order-stability", 100, Confident((0.05, 0.20), 0.7), "more overconfident in other orders"),
]


def _trend(curve: Curve, words: str) -> Line:
    x, y = np.log2(SWEEP), curve.by_size
    truth = float(((x - x.mean()) * y).sum() / ((x - x.mean()) ** 2).sum())
    sizes, groups = list(SWEEP) * 25, _groups(25, len(SWEEP))

    def sample(rng: Generator) -> Measure:
        return metrics.log2_trend(sizes, curve.hits(rng, 25).ravel(), groups).slope

    words = f"{100 * truth:+.1f} points a doubling, {words}"
    return Line("trend", "cardinality", f"25 groups of {len(SWEEP)}", words, truth, sample, TWO_SIDED, quick=60)


TREND = [
    _trend(STEEP, "from 96 to 58 %"),
    _trend(GENTLE, "from 99 to 92 %"),
    _trend(HARD, "from 78 to 11 %"),
    _trend(Curve(4, 0.0, 1), "97 % throughout"),
]


# -- latency


def _percentile(suite: str, n_groups: int, size: int, share: float, alike: float, words: str) -> Line:
    truth, groups = NormalDist().inv_cdf(share), _groups(n_groups, size)

    def sample(rng: Generator) -> Measure:
        own, rest = rng.normal(size=(n_groups, 1)), rng.normal(size=(n_groups, size))
        times = math.sqrt(alike) * own + math.sqrt(1.0 - alike) * rest
        # only the order counts, so normal is as good as any
        return metrics.percentile(times.ravel().tolist(), share, groups=groups)

    shape = f"{n_groups} groups of {size}"
    return Line("latency", suite, shape, f"p{100 * share:.0f}, {words}", truth, sample, 0.95, draws=2_000, quick=60)


LATENCY = [
    _percentile("cardinality", 25, 11, 0.50, 0.5, "rows much alike"),
    _percentile("cardinality", 25, 11, 0.95, 0.2, "rows a little alike"),
    _percentile("cardinality", 25, 11, 0.95, 0.5, "rows much alike"),
    _percentile("order-stability", 100, 4, 0.50, 0.5, "rows much alike"),
    _percentile("order-stability", 100, 4, 0.95, 0.8, "rows nearly all alike"),
    _percentile("starter-order", 30, 4, 0.95, 0.2, "rows a little alike"),
]


# -- the noise floor of calibration


def _floor(n: int, words: str, a: float, b: float) -> Line:
    def sample(rng: Generator) -> Measure:
        confidence = (0.3 + 0.7 * rng.beta(a, b, n)).round(2)
        correct = rng.random(n) < confidence
        floor = metrics.ece_floor(confidence)
        # the floor holds the contender's ECE: put as an interval around "no miscalibration"
        return Measure(value=floor.value, high=floor.value - metrics.ece(confidence, correct).value, n=n)

    return Line("floor", "any", f"{n:,} rows", words, 0.0, sample, TWO_SIDED, RATE_MOST, draws=2_000, quick=25)


FLOOR = [
    _floor(200, "confidences spread out", 2.5, 1.5),
    _floor(200, "confidences mostly high", 6, 0.7),
    _floor(1_000, "confidences spread out", 2.5, 1.5),
    _floor(1_000, "confidences mostly high", 6, 0.7),
]

LINES = [*STRATIFIED, *CLUSTERS, *MACRO_F1, *PAIRS, *POSITION, *COST, *DRIFT, *TREND, *FLOOR, *LATENCY]
assert len({(line.section, line.label) for line in LINES}) == len(LINES)
assert all(math.isfinite(line.truth) for line in LINES)
