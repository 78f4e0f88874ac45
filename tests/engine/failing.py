"""One cell, asked by the real engine of the simulator while something goes wrong; what is seen from both ends."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from dmb.cli.run import exit_code
from dmb.contracts.attempt import OUTCOMES
from dmb.contracts.price import PriceRow
from dmb.contracts.scenario import FaultRule, Scenario
from dmb.engine.clock import Clock
from dmb.ledger.shelf import read_totals
from dmb.simulate import Simulator
from dmb.store.attempts import read_attempts
from dmb.store.layout import budget_dir, raw_log
from dmb.store.runs import begin_run, end_run
from dmb.suites.built import Built, BuiltItem
from tests.engine.made_up import OPTIONS, ask, planned
from tests.simulate.asking import WAYS, Way

KEY_VARIABLE = "DMB_TEST_KEY"

RELEASE = "trial"

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)

#: Two more than the failures in a row that stop a cell.
N_QUESTIONS = 12


def questions(n: int, topic: str) -> Built:
    """So many questions of one length, each with the same three options."""
    return Built(
        option_sets={"all": OPTIONS},
        items=tuple(
            BuiltItem(id=f"i{i}", state=f"{topic} number {i:02}", option_set="all", gold={"decision": "bug"})
            for i in range(n)
        ),
    )


def price(provider: str, model: str) -> PriceRow:
    """Dollars a million, so that a token is a whole number of half millionths."""
    rates = {"input": "1", "cached": "0.5", "cache_write": "2", "output": "5"}
    return PriceRow(provider=provider, model=model, **rates, source="made up", checked_on="2026-11-30")


PRICES = [price(provider, model) for provider, model in sorted({(w.provider, w.model) for w in WAYS.values()})]


class WaitedClock:
    """Time that passes by being slept through, and by nothing else. Thread-safe."""

    def __init__(self) -> None:
        self.slept_s = 0.0
        self._lock = threading.Lock()
        self.clock = Clock(now=self.now, elapsed_s=lambda: self.slept_s, sleep=self._sleep)

    def now(self) -> dt.datetime:
        return NOON + dt.timedelta(seconds=self.slept_s)

    def _sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept_s += seconds


@contextlib.contextmanager
def quick_folder() -> Iterator[Path]:
    """In memory where there is such a place: a trial waits for the disk fifteen times."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


@dataclass(frozen=True)
class Case:
    """A fault that every request of a cell meets, or with ``first = 1`` the first attempt of every question.

    ``given``: parameters and matchers of its rule. ``way``: who is asked. ``protocol``: knobs other than usual.
    ``fault`` is None where it is not the simulator's: then nobody listens. ``topic``: a word in every question; the
    server counts the attempts of a question over all cases.
    """

    fault: str | None
    way: str = "gpt"
    given: Mapping[str, Any] = field(default_factory=dict)
    n: int = N_QUESTIONS
    topic: str = "message"
    concurrency: int = 1
    protocol: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended:
    """What became of it. ``billed``, ``settled``, ``unsettled``: millionths of a dollar; ``statuses``: as received."""

    outcomes: dict[str, int]
    kinds: frozenset[str]
    status: str
    requests: int
    retries: int
    waited_s: float
    billed: Decimal
    settled: Decimal
    unsettled: Decimal
    exit_code: int
    statuses: frozenset[int]

    @property
    def asked(self) -> int:
        """Questions that were asked."""
        return sum(n for outcome, n in self.outcomes.items() if outcome != "skipped")


class Trials:
    """Runs cases against one simulator, each in a folder of its own, which is gone afterwards.

    The key stands in the environment. ``look``: called with the folder while it is there.
    """

    def __init__(
        self, simulator: Simulator, time: WaitedClock, folder: Path, look: Callable[[Path], None] = lambda _: None
    ) -> None:
        self._simulator, self._time, self._folder, self._look, self._n = simulator, time, folder, look, 0

    def run(self, case: Case) -> Ended:
        """One cell, in one run, with one ledger."""
        self._n += 1
        home = self._folder / f"trial-{self._n}"
        home.mkdir()
        try:
            with contextlib.chdir(home):
                ended = self._run(case)
            self._look(home)
            return ended
        finally:
            shutil.rmtree(home)

    def _run(self, case: Case) -> Ended:
        way = WAYS[case.way]
        rules = () if case.fault is None else (FaultRule(do=case.fault, **case.given),)
        self._simulator.use(Scenario(name="trial", fault=rules))
        address = f"{self._simulator.address}/{way.provider}" if case.fault else "http://127.0.0.1:9"
        key, job = self._cell(case, way, address)
        plan = {"release": RELEASE, "budget": {"hard_usd": "60", "soft_usd": "40"}, "cells": {key: job}}
        run = begin_run(None, RELEASE, plan, {}, {})
        before, slept_s = self._simulator.counts(), self._time.slept_s
        receipt = ask(run, (key, job), self._time.clock)
        after, totals = self._simulator.counts(), read_totals(budget_dir(RELEASE))
        assert totals.n_open == 0 and totals.committed_usd == totals.settled_usd + totals.unsettled_usd
        rows = list(read_attempts(raw_log(run, "m", "s")))
        return Ended(
            outcomes={o: receipt.outcomes[o] for o in OUTCOMES if receipt.outcomes[o]},
            kinds=frozenset(r.failure.kind for r in rows if r.failure is not None),
            status=receipt.status,
            requests=after["requests"] - before["requests"],
            retries=sum(r.cause != "first" for r in rows),
            waited_s=round(self._time.slept_s - slept_s, 3),
            billed=(Decimal(after["billed_usd"]) - Decimal(before["billed_usd"])) * 10**6,
            settled=totals.settled_usd * 10**6,
            unsettled=totals.unsettled_usd * 10**6,
            exit_code=exit_code(end_run(run), [(receipt.status, receipt.stop_reason)], 0),
            statuses=frozenset(r.status for r in rows if r.status is not None),
        )

    @staticmethod
    def _cell(case: Case, way: Way, address: str) -> tuple[str, dict[str, Any]]:
        writes = way.wire not in ("systemone", "decisions")
        cap = {"max_output_tokens": 256} if writes else {}
        entry = {
            "provider": way.provider,
            "wire": way.wire,
            "model": way.model,
            "settings": {**way.settings, **cap},
            "display": {"label": "M"},
        }
        provider = {
            "address": address,
            "credential": [KEY_VARIABLE],
            "concurrency": case.concurrency,
            "dialect": dict(way.dialect),
        }
        return planned(
            "m",
            entry,
            provider,
            questions(case.n, case.topic),
            release=RELEASE,
            prices=[price(way.provider, way.model).model_dump(mode="json", exclude_defaults=True)],
            protocol={"backoff_s": 1.0, "request_timeout_s": 20.0, **case.protocol},
        )
