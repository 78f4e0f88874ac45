"""Evidence -> what it comes to. Used when asking and again, from the logged bytes alone, when scoring."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dmb.contracts.attempt import Attempt, Failure, Outcome, Usage
from dmb.contracts.decision import Output
from dmb.contracts.reply import Reply
from dmb.contracts.slot import Slot
from dmb.parsing import Shown, judge_reply
from dmb.wires import WIRES, in_process

#: A failure that is nobody's fault but the question's size is no failure of the contender to answer in time.
_OUTCOME_OF: Mapping[str, Outcome] = {"unsupported": "unsupported"}


class Verdict(NamedTuple):
    """One attempt, judged."""

    outcome: Outcome
    reason: str | None
    outputs: dict[str, Output]
    failure: Failure | None
    usage: Usage | None
    served_model: str | None


def judge(
    asker: str,
    status: int | None,
    headers: Mapping[str, str],
    body: bytes,
    failure: Failure | None,
    shown: Shown,
    slots: Sequence[Slot],
) -> Verdict:
    """``asker``: ``wire:<name>`` or ``baseline:<name>``. ``failure``: what the transport saw, when no reply came."""
    read = failure if failure is not None else _read(asker, status, headers, body, slots)
    if isinstance(read, Failure):
        outcome = _OUTCOME_OF.get(read.kind, "failed")
        reason = f"{read.kind}: {read.detail}" if read.detail else read.kind
        return Verdict(outcome, read.detail if outcome == "unsupported" else reason, {}, read, None, None)
    j = judge_reply(read, shown, slots)
    return Verdict(j.outcome, j.reason, j.outputs, None, read.usage, read.model)


def _read(
    asker: str, status: int | None, headers: Mapping[str, str], body: bytes, slots: Sequence[Slot]
) -> Reply | Failure:
    kind, _, name = asker.partition(":")
    if kind == "baseline":
        return in_process.read(body, slots[0].id)
    return WIRES[name].read(status or 0, headers, body, [s.id for s in slots])


def reply_bytes(row: Attempt) -> bytes:
    """The reply as it came, from a logged row."""
    if row.reply_base64 is not None:
        return base64.b64decode(row.reply_base64)
    return (row.reply or "").encode("utf-8")


def judge_row(row: Attempt, shown: Shown, slots: Sequence[Slot]) -> Verdict:
    """A logged attempt, judged from its bytes; what was judged when it was asked is not looked at."""
    transport_failure = row.failure if row.status is None and row.reply is None and row.reply_base64 is None else None
    return judge(row.asker, row.status, {}, reply_bytes(row), transport_failure, shown, slots)
