"""What can be made to go wrong, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dmb.contracts.scenario import FaultRule
from dmb.simulate.draft import Draft

Fault = Callable[..., None]


def delay(draft: Draft, *, ms: int = 1000) -> None:
    """The reply comes so much later."""
    draft.delivery.delay_ms += ms


FAULTS: dict[str, Fault] = {"delay": delay}


def apply_fault(rule: FaultRule, draft: Draft) -> None:
    """Change the draft by the rule's fault and its parameters."""
    given: dict[str, Any] = rule.parameters()
    FAULTS[rule.do](draft, **given)
