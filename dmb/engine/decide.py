"""Attempts -> decisions. Pure: the same rows give the same decisions, when asked and ever after."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from dmb.contracts.attempt import Attempt
from dmb.contracts.decision import Decision
from dmb.contracts.slot import Slot
from dmb.engine.judge import Verdict, judge_row
from dmb.engine.protocol import next_cause
from dmb.parsing import Shown

#: (item, permutation, repeat)
Key = tuple[str, int, int]


def by_item(rows: Iterable[Attempt]) -> dict[Key, list[Attempt]]:
    """Rows of each item in the order of their attempts. Raises ``ValueError`` where one attempt stands twice."""
    groups: dict[Key, list[Attempt]] = {}
    for row in rows:
        groups.setdefault((row.item, row.permutation, row.repeat), []).append(row)
    for key, attempts in groups.items():
        if len(attempts) == 1 and attempts[0].attempt == 1:
            continue
        attempts.sort(key=lambda r: r.attempt)
        numbers = [r.attempt for r in attempts]
        if numbers != list(range(1, len(numbers) + 1)):
            raise ValueError(f"attempts of {key} are numbered {numbers}")
    return groups


def decide(
    key: Key,
    shown: Shown,
    attempts: Sequence[Attempt],
    ids: dict[str, str],
    slots: Sequence[Slot],
    verdicts: Sequence[Verdict] | None = None,
) -> Decision:
    """The decision of one item: its last attempt, judged from the logged bytes. No attempts: skipped.

    ``verdicts``: of these very attempts, where they were judged a moment ago.
    """
    item, permutation, repeat = key
    named = {"contender": ids["contender"], "suite": ids["suite"], "item": item}
    named |= {"permutation": permutation, "repeat": repeat}
    if not attempts:
        return Decision(**named, outcome="skipped", reason="not asked", n_attempts=0)
    if verdicts is None:
        verdicts = [judge_row(row, shown, slots) for row in attempts]
    last, verdict = attempts[-1], verdicts[-1]
    return Decision(
        **named,
        outcome=verdict.outcome,
        reason=verdict.reason,
        outputs=verdict.outputs,
        n_attempts=len(attempts),
        latency_ms=_decision_ms(attempts),
        request_latency_ms=last.timing.request_ms,
        usage=tuple(v.usage for v in verdicts),
        served_model=verdict.served_model,
        simulated=any(r.simulated for r in attempts),
    )


def is_finished(attempts: Sequence[Attempt], retry_failed: int, retry_malformed: int) -> bool:
    """Whether these attempts are all that the protocol allows this item; a stop of the provider ends no item."""
    return bool(attempts) and next_cause(attempts, retry_failed, retry_malformed) is None


def _decision_ms(attempts: Sequence[Attempt]) -> float | None:
    """First attempt begun to last byte of the last one: retries, back-off and connection set-up included.

    None when the attempts belong to different runs (nobody waited in between), when the last got no whole reply, or when
    the clock went backwards.
    """
    last = attempts[-1].timing
    if last.request_ms is None:
        return None
    before = 0.0
    if len(attempts) > 1:
        if len({r.origin for r in attempts}) > 1:
            return None
        begun = [dt.datetime.fromisoformat(r.timing.sent_at) for r in (attempts[0], attempts[-1])]
        before = (begun[1] - begun[0]).total_seconds() * 1000
    if before < 0:
        return None  # the clock was set back in between, and nobody knows by how much
    return round(before + (last.connect_ms or 0.0) + (last.tls_ms or 0.0) + last.request_ms, 3)
