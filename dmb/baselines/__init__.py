"""Contenders that answer in this process. Nothing heavy is imported before a baseline is opened."""

from __future__ import annotations

from dmb.baselines import keyword, majority, minilm_nearest, random_choice, tfidf_logreg
from dmb.baselines.question import Baseline

BASELINES: dict[str, Baseline] = {
    "random": random_choice.BASELINE,
    "majority": majority.BASELINE,
    "keyword": keyword.BASELINE,
    "tfidf-logreg": tfidf_logreg.BASELINE,
    "minilm-nearest": minilm_nearest.BASELINE,
}
