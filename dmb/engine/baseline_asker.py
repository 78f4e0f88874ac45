"""A contender that answers in this process."""

from __future__ import annotations

import time

from dmb.baselines import BASELINES
from dmb.baselines.question import Answer, Knowledge, Question, Unsupported
from dmb.contracts.request import Request
from dmb.engine.asked import Asked
from dmb.wires import in_process
from dmb.wires.exchange import Call


class BaselineAsker:
    """Answers in this process. Preparing (training) happens once, before the first question, and is not timed."""

    concurrency = 1

    def __init__(self, baseline: str, knowledge: Knowledge) -> None:
        self.name = f"baseline:{baseline}"
        self.version = BASELINES[baseline].version
        self._kind = BASELINES[baseline].confidence_kind
        self._answer = BASELINES[baseline].open(knowledge)

    def call(self, request: Request) -> None:
        """Nothing is sent."""

    def ask(self, request: Request, call: Call | None, key: tuple[str, int, int], option_ids: tuple[str, ...]) -> Asked:
        """Timed around the answer alone."""
        question = Question(key=key, state=request.state, options=tuple(zip(option_ids, request.options, strict=True)))
        began = time.perf_counter_ns()
        answer = self._answer(question)
        took = round((time.perf_counter_ns() - began) / 1e6, 3)
        return Asked(reply=self._encode(answer), request_ms=took)

    def _encode(self, answer: Answer | Unsupported) -> bytes:
        if isinstance(answer, Unsupported):
            return in_process.encode_unsupported(answer.reason)
        return in_process.encode_answer(answer.choice_index, answer.confidence, self._kind, answer.probabilities)

    def close(self) -> None:
        """Nothing to end."""
