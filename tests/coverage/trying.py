"""Lines of the page: what is tried, how often, and what was seen."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from dmb.metrics import Measure


@dataclass(frozen=True)
class Line:
    """One population in one shape: an interval that should hold the truth in a share of samples."""

    section: str
    suite: str
    shape: str
    population: str
    truth: float
    sample: Callable[[Generator], Measure]
    """Draws a sample and measures it."""
    least: float
    """The bar: the share of samples that hold the truth."""
    most: float = 1.0
    draws: int = 4_000
    quick: int = 100

    @property
    def label(self) -> str:
        return f"{self.suite} | {self.shape} | {self.population}"


@dataclass(frozen=True)
class Seen:
    """Shares of `draws` samples; `covered`, `width` and so on over those that have an interval."""

    draws: int
    covered: float
    unmarked_misses: float
    """The interval misses, and nothing says that it is approximate."""
    marked: float
    """Marked as approximate, or without an interval, which is said too."""
    width: float

    def error(self, bar: float) -> float:
        """Standard error of a share that is `bar`."""
        return math.sqrt(bar * (1.0 - bar) / self.draws)


def try_line(line: Line, draws: int) -> Seen:
    """The generator is the line's own, so that adding a line changes no other."""
    rng = np.random.default_rng(list(hashlib.sha256(f"{line.section}{line.label}".encode()).digest()[:16]))
    covered = marked = unmarked_misses = with_interval = 0
    width = 0.0
    for _ in range(draws):
        measure = line.sample(rng)
        if measure.high is None:
            marked += 1
            continue
        low = -math.inf if measure.low is None else measure.low
        held = low - 1e-12 <= line.truth <= measure.high + 1e-12
        noted = "approximate" in (measure.note or "")
        with_interval += 1
        covered += held
        marked += noted
        unmarked_misses += not held and not noted
        width += measure.high - low if low > -math.inf else 0.0
    shown = max(1, with_interval)
    return Seen(draws, covered / shown, unmarked_misses / draws, marked / draws, width / shown)


def judge(line: Line, seen: Seen, errors: float) -> str | None:
    """Why a line misses its bar, with so many standard errors to spare; None where it meets it.

    Below the bar a method must say so itself: the share of samples whose interval misses without a word may not exceed
    what the bar allows.
    """
    slack = errors * seen.error(line.least)
    if seen.unmarked_misses > 1.0 - line.least + slack:
        return f"{seen.unmarked_misses:.1%} miss unmarked, {1 - line.least:.0%} + {slack:.1%} allowed"
    if line.most < 1.0 and seen.covered > line.most + errors * seen.error(line.most):
        return f"{seen.covered:.1%} covered, at most {line.most:.0%} wanted"
    return None
