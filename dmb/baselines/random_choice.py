"""The chance floor: a uniform draw that the seed and the question decide."""

from __future__ import annotations

from dmb import sampling
from dmb.baselines.question import Answer, Answerer, Baseline, Knowledge, Question


def open_random(knowledge: Knowledge) -> Answerer:
    """An answerer that draws by ``settings["seed"]`` (0 when absent) and the question key; confidence 1/n."""
    seed = int(knowledge.settings.get("seed", 0))

    def answer(question: Question) -> Answer:
        n = len(question.options)
        index = sampling.pick(range(n), seed, "random-choice", *question.key)
        return Answer(choice_index=index, confidence=1 / n)

    return answer


BASELINE = Baseline(version=1, open=open_random, settings=frozenset({"seed"}))
