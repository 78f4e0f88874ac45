"""One simulated provider, asked by DMB and by a vendor's SDK."""

from __future__ import annotations

from typing import Any

from dmb.contracts.request import Request
from dmb.contracts.scenario import FaultRule, Scenario
from dmb.engine.judge import Verdict
from tests.oracles.asking import KEY, Case, asked, asker

#: Slot -> (place of the option, confidence as it stands in the reply).
Answers = dict[str, tuple[int, float | None]]

FAIR = Scenario(name="fair", key=KEY)


def fault(do: str, first: int | None = None, **parameters: Any) -> Scenario:
    """This goes wrong with every request, or with the first so many tries at one."""
    return Scenario(name=do, key=KEY, fault=(FaultRule(do=do, first=first, **parameters),))


def dmb_reads(case: Case, request: Request, address: str) -> Verdict:
    """What DMB makes of one attempt at a question."""
    asking = asker(case, address, KEY)
    try:
        return asked(asking, request)
    finally:
        asking.close()


def answers_in(verdict: Verdict) -> Answers:
    """What DMB reads. Beside probabilities, the confidence in the reply is the native one."""
    return {
        slot: (out.position, out.native_confidence if out.confidence_kind == "native-probability" else out.confidence)
        for slot, out in verdict.outputs.items()
    }


def written_answers(value: Any, request: Request) -> Answers:
    """An answer that a language model wrote, parsed by somebody else."""
    parts = {request.slots[0].id: value} if len(request.slots) == 1 else value
    return {slot: (part["choice_index"], part.get("confidence")) for slot, part in parts.items()}
