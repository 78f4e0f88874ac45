"""One item to its attempts: what is retried, how often, after which wait."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from dmb.contracts.attempt import Attempt, Failure, Timing
from dmb.engine.asked import Asked
from dmb.engine.askers import Asker
from dmb.engine.judge import Verdict, judge
from dmb.engine.lane import Lane
from dmb.engine.pace import Pace, Ticket
from dmb.engine.protocol import STOPS_PROVIDER, next_cause
from dmb.engine.purse import Place, Purse, Unpriced
from dmb.engine.stopped import EveryLaneStopped, LaneStopped, Stopped
from dmb.engine.task import Task
from dmb.ledger.refusals import BudgetExhausted, LedgerUnusable
from dmb.prompting import request_digest
from dmb.wires.retry_hint import retry_after_s

if TYPE_CHECKING:
    from dmb.ledger.ledger import Reservation

#: A server's wish for a longer wait than this is not followed; the wish is in the log.
LONGEST_WAIT_S = 60.0

#: While waiting, stop marks and the deadline are looked at this often.
LONGEST_STEP_S = 0.5


class Rules(NamedTuple):
    """The protocol and the suite's policy. ``sleep`` and ``now`` are given, so that time is an argument.

    ``lane``, ``pace`` and ``purse``: for those who are called and billed; None where nothing leaves this machine.
    """

    retry_failed: int
    retry_malformed: int
    backoff_s: float
    sleep: Callable[[float], None]
    now: Callable[[], dt.datetime]
    may_ask: Callable[[], str | None]
    lane: Lane | None = None
    pace: Pace | None = None
    purse: Purse | None = None


def ask_item(
    asker: Asker,
    task: Task,
    ids: dict[str, str],
    rules: Rules,
    record: Callable[[Attempt, Verdict], None],
    simulated: bool,
    earlier: Sequence[Attempt] = (),
) -> Attempt:
    """Ask until the item is finished; every attempt goes to ``record`` as it was judged; returns the last one.

    ``ids``: cell, contender, suite. ``earlier``: attempts that an earlier run logged for this item; they count.
    Raises ``Stopped`` when nothing more may be asked or the provider refuses: what was logged so far stays.
    """
    attempts = list(earlier)
    while (cause := next_cause(attempts, rules.retry_failed, rules.retry_malformed)) is not None:
        if (reason := rules.may_ask()) is not None:
            raise Stopped(reason)
        cost_usd = None
        # the place in the lane is kept until row and charge are written: a crash leaves no more open than it has places
        with ExitStack() as place:
            tried = _attempt(asker, task, ids["suite"], len(attempts) + 1, rules, place)
            verdict = judge(
                asker.name,
                tried.asked.status,
                tried.asked.headers,
                tried.asked.reply,
                tried.asked.failure,
                task.shown,
                task.request.slots,
            )
            row = _row(asker, task, ids, len(attempts) + 1, cause, tried, verdict, simulated)
            record(row, verdict)
            attempts.append(row)
            if rules.purse is not None and tried.reservation is not None:
                cost_usd = _settle(rules.purse, tried.reservation, tried, verdict)
        if rules.pace is not None and tried.ticket is not None:
            rules.pace.note(tried.ticket, verdict.usage, cost_usd)
        if row.failure is not None and row.failure.kind in STOPS_PROVIDER:
            raise LaneStopped(STOPS_PROVIDER[row.failure.kind])
        if next_cause(attempts, rules.retry_failed, rules.retry_malformed) == "failed":
            hint = _hint(tried.asked, verdict.failure, rules.now())
            _wait(rules, min(LONGEST_WAIT_S, hint if hint is not None else rules.backoff_s))
    return attempts[-1]


class _Tried(NamedTuple):
    """One attempt that was made."""

    sent_at: dt.datetime
    asked: Asked
    reservation: Reservation | None = None
    ticket: Ticket | None = None


def _attempt(asker: Asker, task: Task, suite: str, number: int, rules: Rules, place: ExitStack) -> _Tried:
    """One attempt, with the money reserved before it. Raises ``Stopped``.

    ``place`` gets the place in the lane, which whoever closes it gives up.
    """
    call = asker.call(task.request)
    option_ids = tuple(i for i, _ in task.shown)
    if call is None or call.unsupported is not None:
        return _Tried(rules.now(), asker.ask(task.request, call, task.key, option_ids))
    ticket = rules.pace.wait(call.body) if rules.pace is not None else None
    if rules.lane is not None:
        place.enter_context(rules.lane.slot())
    if rules.purse is None:
        return _Tried(rules.now(), asker.ask(task.request, call, task.key, option_ids), None, ticket)
    try:
        reservation = rules.purse.reserve(Place(suite, *task.key, number), call.body, rules.now())
    except Unpriced as e:
        raise Stopped(f"budget: {e}") from None
    except BudgetExhausted as e:
        raise EveryLaneStopped(f"budget: {e}") from None
    sent_at = rules.now()
    return _Tried(sent_at, asker.ask(task.request, call, task.key, option_ids), reservation, ticket)


def _settle(purse: Purse, reservation: Reservation, tried: _Tried, verdict: Verdict) -> Decimal | None:
    """What it was charged. A ledger that can no longer be written stops everybody: the row is kept, and the reservation
    stays charged."""
    try:
        return purse.settle(reservation, tried.asked, verdict, tried.sent_at)
    except LedgerUnusable as e:
        raise EveryLaneStopped(f"budget: {e}") from None


def _wait(rules: Rules, seconds: float) -> None:
    """Wait in short steps: a deadline or a stop that comes meanwhile ends the item."""
    while seconds > 0:
        step = min(LONGEST_STEP_S, seconds)
        rules.sleep(step)
        seconds -= step
        if (reason := rules.may_ask()) is not None:
            raise Stopped(reason)


def _hint(asked: Asked, failure: Failure | None, now: dt.datetime) -> float | None:
    if failure is not None and failure.retry_after_s is not None:
        return failure.retry_after_s
    return retry_after_s(asked.headers, now)


def _row(
    asker: Asker,
    task: Task,
    ids: dict[str, str],
    number: int,
    cause: str,
    tried: _Tried,
    verdict: Verdict,
    simulated: bool,
) -> Attempt:
    asked = tried.asked
    text, raw = _text_or_base64(asked.reply)
    answered = asked.failure is None
    return Attempt(
        **ids,
        item=task.item,
        permutation=task.permutation,
        repeat=task.repeat,
        attempt=number,
        cause=cause,  # type: ignore[arg-type]
        request=request_digest(task.request),
        asker=asker.name,
        asker_version=asker.version,
        body=asked.body,
        sent=asked.sent,
        status=asked.status,
        reply=text if answered else None,
        reply_base64=raw if answered else None,
        failure=verdict.failure,
        outcome=verdict.outcome,
        reason=verdict.reason,
        timing=Timing(
            sent_at=tried.sent_at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
            request_ms=asked.request_ms,
            first_byte_ms=asked.first_byte_ms,
            connect_ms=asked.connect_ms,
            tls_ms=asked.tls_ms,
            new_connection=asked.new_connection,
            client_wait_ms=asked.client_wait_ms,
            lag_ms=asked.lag_ms,
        ),
        # a simulator says so, wherever somebody has put its address
        simulated=simulated or asked.headers.get("x-simulated") == "true",
        n_scrubbed=asked.n_scrubbed,
    )


def _text_or_base64(reply: bytes) -> tuple[str | None, str | None]:
    try:
        return reply.decode("utf-8"), None
    except UnicodeDecodeError:
        return None, base64.b64encode(reply).decode("ascii")
