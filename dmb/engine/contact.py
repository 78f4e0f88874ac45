"""Whoever a cell is put to, ready to be asked: served, addressed, with a credential, a lane, a pace and a purse."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dmb.contracts.contender import Contender, Provider
from dmb.contracts.contender import Lane as LaneEntry
from dmb.contracts.price import PriceRow
from dmb.contracts.slot import Slot
from dmb.engine.askers import Asker, WireAsker
from dmb.engine.clock import Clock
from dmb.engine.credentials import find_credential
from dmb.engine.item import Rules
from dmb.engine.lane import Lane
from dmb.engine.negotiate import AUTO, negotiate
from dmb.engine.pace import Pace, windows_of
from dmb.errors import DmbError
from dmb.price_tiers import ordered_tier
from dmb.store.frozen_items import gold_shares, load_items, load_train
from dmb.store.layout import budget_dir, lane_dir, run_dir
from dmb.transport import REPLAY_VARIABLE
from dmb.turns import Turns

if TYPE_CHECKING:
    from dmb.baselines.question import Knowledge
    from dmb.engine.purse import Purse
    from dmb.engine.serve import ServedModel

#: What a decision service may write that takes no cap on its output; so far it is a few tokens per option, or nothing.
OUTPUT_TOKENS_WITHOUT_CAP = 4096

#: Sent to a simulator in the place of a key. It is scrubbed like one, so it must be no word of a reply.
REHEARSAL_KEY = "no-key-in-a-rehearsal"


class Contact(NamedTuple):
    """``served``: the process behind it, where it is served here. ``agree``: settle what is still to be negotiated,
    before the first question; raises ``Stopped``."""

    asker: Asker
    rules: Rules
    served: ServedModel | None
    agree: Callable[[], None]


@contextmanager
def open_contact(
    run: str,
    plan: Mapping[str, Any],
    release: Mapping[str, Any],
    may_ask: Callable[[], str | None],
    clock: Clock,
    turns: Turns,
) -> Iterator[Contact]:
    """``plan``: of the cell; ``release``: what the run's plan says for all of them (the budget); ``turns``: of its threads.

    Where recordings are replayed there is nobody to be spared, waited for or paid: no lane, no pace, no purse.
    Raises ``DmbError``: no credential, a served model that does not come up, no recordings.
    """
    entry, provider = Contender.model_validate(plan["entry"]), Provider.model_validate(plan["provider"])
    protocol, shared = plan["protocol"], LaneEntry.model_validate(plan["lane"])
    replayed = plan.get("replayed", False)
    clock = clock._replace(sleep=turns.while_waiting(clock.sleep))
    with ExitStack() as closing:
        served = None
        if entry.serve is not None:
            from dmb.engine.serve import ServedModel

            served = ServedModel(entry.serve, entry.health, entry.env, serve_log(run, plan), plan.get("withheld", ()))
            closing.callback(served.close)
        asker = _asker(run, plan, entry, provider, shared.concurrency, served, turns)
        closing.callback(asker.close)
        lane = pace = purse = None
        if entry.baseline is None and not replayed:
            lane = Lane(lane_dir(shared.id), shared.concurrency, clock.sleep, may_ask)
            closing.callback(lane.close)
            pace = _pace(shared, plan["contender"], entry, may_ask, clock)
        if provider.billed and not replayed:
            purse = _purse(run, plan, release["budget"], entry, clock, turns, closing)
        rules = Rules(
            retry_failed=protocol["retry_failed"],
            retry_malformed=plan["policy"]["retry_malformed"],
            backoff_s=protocol["backoff_s"],
            sleep=_no_wait if replayed else clock.sleep,
            now=clock.now,
            may_ask=may_ask,
            lane=lane,
            pace=pace,
            purse=purse,
        )

        def agree() -> None:
            if isinstance(asker, WireAsker) and asker.settings.get("structured") == AUTO:
                wire, simulated = entry.wire or "", plan["simulated"]
                asker.settings = negotiate(run, plan["contender"], asker, wire, rules, simulated, clock.sleep)

        yield Contact(asker, rules, served, agree)


def _purse(
    run: str,
    plan: Mapping[str, Any],
    budget: Mapping[str, str],
    entry: Contender,
    clock: Clock,
    turns: Turns,
    closing: ExitStack,
) -> Purse:
    """What this contender may spend. Loaded for those who are billed only."""
    from dmb.engine.purse import Purse
    from dmb.ledger.ledger import Ledger

    caps = Decimal(budget["hard_usd"]), Decimal(budget["soft_usd"])
    # a run may work for several releases, and each has its own cap
    ledger = Ledger(budget_dir(plan["release"]), *caps, now=clock.now, waiting=turns.waiting)
    closing.callback(ledger.close)
    prices = tuple(PriceRow.model_validate(r) for r in plan["prices"])
    return Purse(ledger, prices, ordered_tier(entry.settings), run, plan["contender"], most_output_tokens(entry))


def serve_log(run: str, plan: Mapping[str, Any]) -> Path:
    """Where the output of a model goes that is served for a cell."""
    return run_dir(run) / "serve" / f"{plan['contender']}.{plan['suite']}.log"


def most_output_tokens(entry: Contender) -> int:
    """What an answer of this contender is reserved for: its cap, or a bound of ours where its format has none."""
    return int(entry.settings.get("max_output_tokens", OUTPUT_TOKENS_WITHOUT_CAP))


def _pace(
    shared: LaneEntry, contender: str, entry: Contender, may_ask: Callable[[], str | None], clock: Clock
) -> Pace | None:
    home = lane_dir(shared.id)
    files = [
        (home / "pace.json", windows_of(shared.limits)),
        (home / f"pace.{contender}.json", windows_of(entry.limits, alone=True)),
    ]
    if not any(windows for _, windows in files):
        return None
    return Pace(files, most_output_tokens(entry), lambda: clock.now().timestamp(), clock.sleep, may_ask)


def _asker(
    run: str,
    plan: Mapping[str, Any],
    entry: Contender,
    provider: Provider,
    concurrency: int,
    served: ServedModel | None,
    turns: Turns,
) -> Asker:
    if entry.baseline is not None:
        from dmb.engine.baseline_asker import BaselineAsker

        return BaselineAsker(entry.baseline, _knowledge(plan, entry))
    address = served.address if served is not None else provider.address
    replay = _recordings(run, plan)
    if entry.wire is None or (address is None and replay is None):
        raise DmbError(f"contender {plan['contender']}: has neither a baseline nor a wire and an address")
    return WireAsker(
        entry.wire,
        entry.model,
        entry.settings,
        provider.dialect,
        entry.provider,
        address or "",
        _credential(run, plan, provider),
        concurrency,
        plan["protocol"]["request_timeout_s"],
        replay,
        turns.waiting,
    )


def _recordings(run: str, plan: Mapping[str, Any]) -> Path | None:
    """The folder to replay from, where the plan says that this cell is replayed: then, and only then."""
    if not plan.get("replayed", False):
        return None
    if folder := os.environ.get(REPLAY_VARIABLE):
        return Path(folder)
    raise DmbError(f"{REPLAY_VARIABLE} was set where run {run} was planned and is not set here")


def _no_wait(_seconds: float) -> None:
    """What a server asked for when it was recorded has passed."""


def _credential(run: str, plan: Mapping[str, Any], provider: Provider) -> str | None:
    if plan["simulated"]:
        # a rehearsal needs no key, and must not send a real one anywhere
        return REHEARSAL_KEY
    if not provider.credential:
        return None
    if (value := find_credential(provider.credential, os.environ)) is None:
        raise DmbError(f"{' or '.join(provider.credential)} was set where run {run} was planned and is not set here")
    return value


def _knowledge(plan: Mapping[str, Any], entry: Contender) -> Knowledge:
    from dmb.baselines.question import Knowledge

    prior = None
    if plan["prior"] is not None:
        source = plan["prior"]
        slots = [Slot.model_validate(s) for s in plan["slots"]]
        prior = gold_shares(load_items(Path(source["path"]), source["sha256"]), slots[0].id)
    train = None
    if plan["train"] is not None:
        train = load_train(Path(plan["train"]["path"]), plan["train"]["sha256"])
    return Knowledge(settings=entry.settings, prior=prior, keywords=plan["keywords"], train=train)
