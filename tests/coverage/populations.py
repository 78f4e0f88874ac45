"""Made-up populations with a known truth, and samples of them in the shapes of the suites."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

#: Sizes of the lists in `cardinality`.
SWEEP = (2, 8, 32, 64, 128, 192, 254, 255, 256, 384, 512)
_MANY = 200_000

Hits = NDArray[np.bool_]
#: (groups, rows of each) of success probabilities.
Chances = Callable[[Generator, int], NDArray[np.float64]]


def logistic(x: NDArray[np.float64] | float) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-x))


def logit(p: float) -> float:
    return math.log(p / (1.0 - p))


@dataclass(frozen=True)
class Alike:
    """Groups whose rows succeed with a probability of the group's own, Beta(a, b): the smaller a + b, the more alike."""

    a: float
    b: float

    @property
    def truth(self) -> float:
        return self.a / (self.a + self.b)

    def hits(self, rng: Generator, n_groups: int, size: int) -> Hits:
        return rng.random((n_groups, size)) < rng.beta(self.a, self.b, (n_groups, 1))


@dataclass(frozen=True)
class Curve:
    """Questions of unequal difficulty, asked with ever longer lists: logit = start - fall * log2 N + the question's own."""

    start: float
    fall: float
    spread: float

    def chances(self, questions: NDArray[np.float64]) -> NDArray[np.float64]:
        return logistic(self.start - self.fall * np.log2(SWEEP) + questions[:, None] * self.spread)

    @property
    def by_size(self) -> NDArray[np.float64]:
        """The true rate at each size, over an even spread of all questions."""
        return self.chances(_normal_grid()).mean(axis=0)

    def hits(self, rng: Generator, n_groups: int) -> Hits:
        return rng.random((n_groups, len(SWEEP))) < self.chances(rng.normal(size=n_groups))


@dataclass(frozen=True)
class Two:
    """Two contenders, right in `a` and `b` of typical rows; `shared`: how much groups differ for both, `own`: for each."""

    a: float
    b: float
    shared: float
    own: float

    def hits(self, rng: Generator, n_groups: int, size: int) -> tuple[Hits, Hits]:
        common = rng.normal(size=(n_groups, 1)) * self.shared
        return tuple(
            rng.random((n_groups, size)) < logistic(logit(p) + common + rng.normal(size=(n_groups, 1)) * self.own)
            for p in (self.a, self.b)
        )

    @property
    def truth(self) -> float:
        spread = math.hypot(self.shared, self.own)
        a, b = (logistic(logit(p) + _normal_grid() * spread).mean() for p in (self.a, self.b))
        return float(a - b)


@dataclass(frozen=True)
class Flips:
    """Items whose answers flip with a probability of their own; `rerun` and `permuted` for a typical item."""

    rerun: float
    permuted: float
    spread: float

    def flips(self, rng: Generator, n_items: int, orders: int) -> tuple[Hits, Hits]:
        own = rng.normal(size=(n_items, 1)) * self.spread
        return (
            rng.random((n_items, orders)) < logistic(logit(self.permuted) + own),
            rng.random((n_items, 1)) < logistic(logit(self.rerun) + own),
        )

    @property
    def truth(self) -> float:
        own = _normal_grid() * self.spread
        return float((logistic(logit(self.permuted) + own) - logistic(logit(self.rerun) + own)).mean())


@dataclass(frozen=True)
class Labels:
    """Rows per label, fixed; each label is right in a share of its own, and errors go to three labels of its own."""

    counts: tuple[int, ...]
    confusion: NDArray[np.float64]
    """(labels, labels): what is answered, by gold label."""

    @classmethod
    def make(cls, counts: tuple[int, ...], a: float, b: float, seed: int) -> Labels:
        rng = np.random.default_rng(seed)
        n = len(counts)
        confusion = np.zeros((n, n))
        for label, right in enumerate(rng.beta(a, b, n)):
            others = rng.choice([k for k in range(n) if k != label], size=min(3, n - 1), replace=False)
            confusion[label, others] = (1.0 - right) * rng.dirichlet(np.ones(len(others)))
            confusion[label, label] = right
        return cls(counts, confusion)

    @property
    def f1(self) -> float:
        """Macro-F1 of the population with these shares of labels."""
        weights = np.array(self.counts, dtype=float)
        right = weights * np.diag(self.confusion)
        return float((2 * right / (weights + weights @ self.confusion)).mean())

    @property
    def accuracy(self) -> float:
        return float(np.array(self.counts) @ np.diag(self.confusion) / sum(self.counts))

    def sample(self, rng: Generator) -> tuple[list[int], list[int]]:
        """(gold, predicted)."""
        gold = np.repeat(np.arange(len(self.counts)), self.counts)
        steps = self.confusion.cumsum(axis=1)[gold]
        predicted = (rng.random((gold.size, 1)) > steps[:, :-1]).sum(axis=1)
        return gold.tolist(), predicted.tolist()


@dataclass(frozen=True)
class Confident:
    """Items with a confidence that an order moves a little, and are right less often than it says by `over`.

    `over`: as first asked and in other orders. `alike`: how much the answers of one item hang together, 0 to 1.
    """

    over: tuple[float, float]
    alike: float

    def draw(self, rng: Generator, n_items: int, orders: int) -> tuple[NDArray, Hits, NDArray, Hits]:
        """Confidence and correct as first asked (n_items, 1), and in other orders (n_items, orders)."""
        own = 0.3 + 0.7 * rng.beta(2.5, 1.5, (n_items, 1))
        sides = []
        luck = rng.random((n_items, 1))
        for over, size in zip(self.over, (1, orders), strict=True):
            confidence = np.clip(own + rng.normal(0, 0.05, (n_items, size)), 0.01, 1.0).round(2)
            together = rng.random((n_items, size)) < self.alike
            drawn = np.where(together, luck, rng.random((n_items, size)))
            sides += [confidence, drawn < np.clip(confidence - over, 0.0, 1.0)]
        return tuple(sides)


def _normal_grid() -> NDArray[np.float64]:
    """Even quantiles of a standard normal, whose mean stands for the expectation."""
    from statistics import NormalDist

    return np.array([NormalDist().inv_cdf((k + 0.5) / 4000) for k in range(4000)])
