"""Leagues of contenders that are all equal: how often any two are called different."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dmb.metrics import holm, mcnemar_exact, sign_flip_exact
from tests.coverage.populations import SWEEP, logistic, logit

N_CONTENDERS, N_LEAGUES, LEVEL = 12, 500, 0.05


@dataclass(frozen=True)
class League:
    """Equal contenders on one suite."""

    suite: str
    shape: str
    population: str
    answers: Callable[[Generator], NDArray[np.bool_]]
    """(contenders, groups, rows of each) of right answers."""


def _rows(rate: float, difficulty: float) -> Callable[[Generator], NDArray[np.bool_]]:
    def answers(rng: Generator) -> NDArray[np.bool_]:
        chance = logistic(logit(rate) + difficulty * rng.normal(size=(1, 300, 1)))
        return rng.random((N_CONTENDERS, 300, 1)) < chance

    return answers


def _questions(rng: Generator) -> NDArray[np.bool_]:
    """Each contender has weak questions of its own, so that rows of a question hang together in a difference too."""
    own = rng.normal(size=(N_CONTENDERS, 25, 1)) + rng.normal(size=(1, 25, 1))
    return rng.random((N_CONTENDERS, 25, len(SWEEP))) < logistic(4 - 0.4 * np.log2(SWEEP) + own)


LEAGUES = [
    League("intent-77", "300 rows", "80 %, items alike", _rows(0.8, 0.0)),
    League("intent-77", "300 rows", "80 %, items of very unequal difficulty", _rows(0.8, 2.0)),
    League("intent-77", "300 rows", "97 %", _rows(0.97, 1.0)),
    League("cardinality", "25 groups of 11", "74 %, weak questions of their own", _questions),
]


@cache
def _mcnemar(only_a: int, only_b: int) -> float:
    return mcnemar_exact(min(only_a, only_b), max(only_a, only_b))


def share_with_a_find(league: League, n_leagues: int, seed: int = 7) -> float:
    """Share of leagues in which Holm leaves any pair at or below 5 %."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(n_leagues):
        totals = league.answers(rng).sum(axis=2)
        p_values = []
        for a, b in itertools.combinations(range(N_CONTENDERS), 2):
            differences = totals[a] - totals[b]
            if league.shape.endswith("rows"):
                p_values.append(_mcnemar(int((differences > 0).sum()), int((differences < 0).sum())))
            else:
                p_values.append(sign_flip_exact(differences.tolist()))
        found += min(holm(p_values)) <= LEVEL
    return found / n_leagues
