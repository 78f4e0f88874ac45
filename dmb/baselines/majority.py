"""The class prior: always the option that was most frequent in the prior's source suite."""

from __future__ import annotations

import math

from dmb.baselines.question import Answer, Answerer, Baseline, Knowledge, Question


def open_majority(knowledge: Knowledge) -> Answerer:
    """An answerer that picks the most probable of the shown options.

    Equal shares: the first in the prior's own order. Confidence: its share among the shown options.
    Without a prior, or when the prior gives no shown option any share: the first by option id, confidence 1/n.
    """
    prior = dict(knowledge.prior or {})
    place = {option_id: i for i, option_id in enumerate(prior)}

    def answer(question: Question) -> Answer:
        ids = [option_id for option_id, _ in question.options]
        # fsum, since a plain sum would depend on the display order in its last digit
        total = math.fsum(prior.get(option_id, 0.0) for option_id in ids)
        if total <= 0:
            first = min(range(len(ids)), key=ids.__getitem__)
            return Answer(choice_index=first, confidence=1 / len(ids))
        known = [i for i, option_id in enumerate(ids) if option_id in prior]
        best = min(known, key=lambda i: (-prior[ids[i]], place[ids[i]]))
        return Answer(choice_index=best, confidence=min(1.0, prior[ids[best]] / total))

    return answer


BASELINE = Baseline(version=1, open=open_majority, needs=frozenset({"prior"}))
