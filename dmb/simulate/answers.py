"""What a decision service answers: an option, its probability, and a confidence by that service's own definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dmb.simulate.asked import Question
from dmb.simulate.draws import Draw


@dataclass(slots=True)
class Answer:
    """``choice``: the option itself. ``probabilities``: in the order of the options. ``score``: the expected level."""

    question: Question
    choice: Any
    confidence: Any
    probabilities: list[Any]
    score: float | None = None
    refused: bool = False
    extra: dict[str, Any] | None = None


def answer(question: Question, decimals: int, top_is_confidence: bool = False) -> Answer:
    """Drawn from the question alone. Each probability is rounded by itself, as services do, so the sum may be off."""
    if question.kind == "yes_no":
        yes = round(question.draw.fraction("yes"), decimals)
        return Answer(question, None, None, [yes])
    exact = spread(question.draw, len(question.options))
    best = max(range(len(exact)), key=exact.__getitem__)
    written = [round(p, decimals) for p in exact]
    if question.kind == "score":
        expected = round(sum(i * p for i, p in enumerate(exact)), decimals)
        return Answer(question, None, round(_score_confidence(exact, best), decimals), written, expected)
    confidence = exact[best] if top_is_confidence else _corrected(exact[best], len(exact))
    return Answer(question, question.options[best], round(confidence, decimals), written)


def spread(draw: Draw, n: int) -> list[float]:
    """Probabilities over ``n`` options: one drawn option well ahead, the others by halves of what is left."""
    if n == 1:
        return [1.0]
    least = 0.55 if n == 2 else 0.36
    top = least + (0.98 - least) * draw.fraction("probability")
    first = draw.below(n, "choice")
    shares = [0.0] * n
    shares[first] = top
    left = 1.0 - top
    for step in range(1, n):
        share = left if step == n - 1 else left / 2
        shares[(first + step) % n] = share
        left -= share
    return shares


def _corrected(top: float, n: int) -> float:
    """Zero for a guess, one for certainty."""
    return 1.0 if n == 1 else (top - 1 / n) / (1 - 1 / n)


def _score_confidence(p: Sequence[float], mode: int) -> float:
    """One minus the mean distance from the likeliest level, as a share of the distance that even odds would have."""
    n = len(p)
    even = sum(abs(i - (n - 1) / 2) for i in range(n)) / n
    return 1.0 if n == 1 else max(0.0, 1 - sum(q * abs(i - mode) for i, q in enumerate(p)) / even)
