"""Who is asked: one interface over baselines in this process and servers behind HTTP."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dmb.baselines import BASELINES
from dmb.baselines.question import Answer, Knowledge, Question, Unsupported
from dmb.contracts.attempt import Failure
from dmb.contracts.request import Request
from dmb.transport import Transport
from dmb.wires import WIRES, in_process


@dataclass(frozen=True, slots=True)
class Asked:
    """One question put, and the raw answer to it. Milliseconds."""

    body: str | None
    status: int | None
    headers: Mapping[str, str]
    reply: bytes
    failure: Failure | None
    request_ms: float | None
    first_byte_ms: float | None
    connect_ms: float | None
    client_wait_ms: float


class Asker(Protocol):
    """``name`` and ``version`` are logged with each attempt; ``concurrency`` is how many may be in flight."""

    name: str
    version: int
    concurrency: int

    def ask(self, request: Request, key: tuple[str, int, int], option_ids: tuple[str, ...]) -> Asked:
        """One attempt."""

    def close(self) -> None:
        """Nothing is asked afterwards."""


class BaselineAsker:
    """Answers in this process. Preparing (training) happens once, before the first question, and is not timed."""

    concurrency = 1

    def __init__(self, baseline: str, knowledge: Knowledge) -> None:
        self.name = f"baseline:{baseline}"
        self.version = BASELINES[baseline].version
        self._kind = BASELINES[baseline].confidence_kind
        self._answer = BASELINES[baseline].open(knowledge)

    def ask(self, request: Request, key: tuple[str, int, int], option_ids: tuple[str, ...]) -> Asked:
        """Timed around the answer alone."""
        question = Question(key=key, state=request.state, options=tuple(zip(option_ids, request.options, strict=True)))
        began = time.perf_counter_ns()
        answer = self._answer(question)
        took = round((time.perf_counter_ns() - began) / 1e6, 3)
        return Asked(None, None, {}, self._encode(answer), None, took, None, None, 0.0)

    def _encode(self, answer: Answer | Unsupported) -> bytes:
        if isinstance(answer, Unsupported):
            return in_process.encode_unsupported(answer.reason)
        return in_process.encode_answer(answer.choice_index, answer.confidence, self._kind, answer.probabilities)

    def close(self) -> None:
        """Nothing to end."""


class WireAsker:
    """Asks a server in one of the wire formats."""

    def __init__(
        self,
        wire: str,
        model: str,
        settings: Mapping[str, Any],
        dialect: Mapping[str, Any],
        address: str,
        credential: str | None,
        concurrency: int,
        timeout_s: float,
    ) -> None:
        self.name = f"wire:{wire}"
        self.version = WIRES[wire].version
        self.concurrency = concurrency
        self._wire, self._model, self._settings, self._dialect = WIRES[wire], model, settings, dialect
        self._headers = dict(self._wire.authorise(credential, dialect)) if credential else {}
        self._transport = Transport(address, timeout_s, concurrency)

    def ask(self, request: Request, key: tuple[str, int, int], option_ids: tuple[str, ...]) -> Asked:
        """One HTTP call, or none for a question that the wire cannot put. What the network does is returned, not raised."""
        call = self._wire.call(request, self._model, self._settings, self._dialect)
        if call.unsupported is not None:
            unsent = Failure(kind="unsupported", detail=call.unsupported)
            return Asked(None, None, {}, b"", unsent, None, None, None, 0.0)
        x = self._transport.send(call.method, call.path, call.body, {**call.headers, **self._headers})
        failure = None
        if x.error is not None:
            failure = Failure(kind="timeout" if x.timed_out else "transport", detail=x.error)
        return Asked(
            call.body,
            x.status,
            x.headers,
            x.body,
            failure,
            x.request_ms,
            x.first_byte_ms,
            x.connect_ms,
            x.client_wait_ms,
        )

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()
