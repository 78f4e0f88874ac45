"""Scores to probabilities whose bytes do not depend on the display order."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dmb.baselines.question import Answer

#: Digits kept, so that the last bits of a float do not reach a log.
DIGITS = 9


def answer_from_scores(ids: Sequence[str], scores: Sequence[float]) -> Answer:
    """The softmax of the scores and its best option; equal probabilities: the first by option id.

    A score of ``-inf`` is a probability of 0. At least one score must be finite.
    """
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    # fsum: exact, so the order of the options cannot show
    total = math.fsum(weights)
    probabilities = tuple(round(weight / total, DIGITS) for weight in weights)
    index = min(range(len(ids)), key=lambda i: (-probabilities[i], ids[i]))
    return Answer(choice_index=index, confidence=probabilities[index], probabilities=probabilities)
