"""What an in-process contender is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dmb.contracts.decision import ConfidenceKind

#: Option id -> share of the gold answers in the prior's source suite.
Prior = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Question:
    """One item as a baseline sees it. ``key``: (item id, permutation, repeat), for seeded draws."""

    key: tuple[str, int, int]
    state: str
    options: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a baseline may know of a suite beforehand. ``train``: rows (text, option id)."""

    settings: Mapping[str, Any]
    prior: Prior | None = None
    keywords: Mapping[str, Sequence[str]] = field(default_factory=dict)
    train: Sequence[tuple[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """``probabilities`` follow the options' order, where the method has any."""

    choice_index: int
    confidence: float
    probabilities: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The method has no answer to this question by design; ``reason`` is printed."""

    reason: str


Answerer = Callable[[Question], Answer | Unsupported]


@dataclass(frozen=True, slots=True)
class Baseline:
    """``version`` is part of the cell key; ``libraries`` name the distributions whose versions are, too.

    ``needs``: what is read beforehand and so belongs into the key: "prior", "train", "keywords".
    ``settings``: names that an entry may set, each a number.
    ``open`` trains or prepares once per cell and returns the answerer.
    """

    version: int
    open: Callable[[Knowledge], Answerer]
    needs: frozenset[str] = frozenset()
    settings: frozenset[str] = frozenset()
    libraries: tuple[str, ...] = ()
    confidence_kind: ConfidenceKind = "rule"
