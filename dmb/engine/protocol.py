"""When an item is finished, and why it would be asked once more. Pure; the same rule when asking, resuming and scoring."""

from __future__ import annotations

from collections.abc import Sequence

from dmb.contracts.attempt import Attempt, Failure

#: Failures that another try may mend. A refused credential, an empty account or a question too large stay as they are.
RETRYABLE = frozenset({"rate_limit", "overloaded", "transport", "timeout"})

#: Failures after which nobody of this provider is asked again in this run, and the stop reason.
STOPS_PROVIDER = {"authentication": "authentication", "permission": "authentication", "budget": "budget"}


def next_cause(attempts: Sequence[Attempt], retry_failed: int, retry_malformed: int) -> str | None:
    """Why the next attempt would be made: "first", "failed", "malformed"; None when the item is finished.

    Each kind of retry is spent once in a run. An attempt that met a stop of the provider (bad key, empty account) says
    nothing about the item, and a failure that an earlier run recorded is no answer: with those the item begins anew.
    """
    counted = [r for r in attempts if not _says_nothing(r)]
    if not counted:
        return "first"
    cause = _retry_cause(counted[-1].outcome, counted[-1].failure)
    allowed = {"failed": retry_failed, "malformed": retry_malformed}
    if cause is None or sum(r.cause == cause for r in counted) >= allowed[cause]:
        return None
    return cause


def _says_nothing(row: Attempt) -> bool:
    if row.failure is not None and row.failure.kind in STOPS_PROVIDER:
        return True
    return row.origin is not None and row.outcome == "failed"


def _retry_cause(outcome: str, failure: Failure | None) -> str | None:
    if outcome in ("malformed", "truncated"):
        return "malformed"
    if outcome == "failed" and failure is not None and failure.kind in RETRYABLE:
        return "failed"
    return None
