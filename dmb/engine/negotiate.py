"""``structured = "auto"``: find out once, by asking, how a contender's answers can be demanded and what it lets one set.

The probe is one small question of our own. It is asked like any other (lane, pace, ledger), logged and billed apart, and
never scored. What was found holds for all cells of that contender in that run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dmb.contracts.attempt import Attempt
from dmb.contracts.receipt import Negotiation
from dmb.engine.askers import WireAsker
from dmb.engine.item import Rules, ask_item
from dmb.engine.probe_question import NEGOTIATION, REQUEST, SHOWN
from dmb.engine.stopped import Stopped
from dmb.engine.task import Task
from dmb.errors import DamagedFile
from dmb.store.attempts import AttemptLog, first_rows_sha256, read_attempts
from dmb.store.files import load_json, pretty_json, write_whole
from dmb.store.layout import probes_dir
from dmb.wires import WIRES

AUTO = "auto"

#: Settings without which a contender can be asked all the same, in the order in which they are given up.
GIVEN_UP = ("temperature", "reasoning", "thinking", "effort", "thinking_level", "thinking_budget")


def negotiate(
    run: str, contender: str, asker: WireAsker, wire: str, rules: Rules, simulated: bool, wait: Callable[[float], None]
) -> dict[str, Any]:
    """The settings to ask with, found by this process or by another one of the run.

    Raises ``Stopped`` where nothing is accepted, or where a stop comes meanwhile.
    """
    from filelock import FileLock, Timeout

    found = probes_dir(run) / f"{contender}.json"
    found.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(found.with_suffix(".lock"), timeout=0, thread_local=False)
    while True:
        try:
            with lock:
                if not found.exists():
                    _probe(run, contender, asker, wire, rules, simulated, found)
                return dict(load_json(found)["settings"])
        except Timeout:
            wait(0.05)
            if (reason := rules.may_ask()) is not None:
                raise Stopped(reason) from None


def negotiations(runs: Iterable[str], contender: str, own: str) -> tuple[Negotiation, ...]:
    """What the probes of these runs have come to by now. ``own``: the run that asks, which may not have probed yet.

    An earlier run has asked rows, so it has probed; where its log is gone, that much is known and no more.
    """
    found = []
    for run in sorted(runs):
        log = probes_dir(run) / f"{contender}.jsonl"
        if (told := _found(run, log)) is not None:
            found.append(told)
        elif run != own:
            unknown = {"settings": None, "given_up": (), "n_probes": None, "n_attempts": None, "log_sha256": None}
            found.append(Negotiation(run=run, log=str(log), **unknown))
    return tuple(found)


def _found(run: str, log: Path) -> Negotiation | None:
    found = log.with_suffix(".json")
    try:
        rows = list(read_attempts(log))
        told = load_json(found) if found.exists() else {"settings": None, "given_up": []}
    except DamagedFile:
        # no answer hangs on a log of probes, and a cell that was paid for gets its receipt
        return None
    digest = first_rows_sha256(log, len(rows))
    if not rows or digest is None:
        return None
    return Negotiation(
        run=run,
        settings=told["settings"],
        given_up=tuple(told["given_up"]),
        n_probes=sum(row.attempt == 1 for row in rows),
        n_attempts=len(rows),
        log=str(log),
        log_sha256=digest,
    )


def _probe(run: str, contender: str, asker: WireAsker, wire: str, rules: Rules, simulated: bool, found: Path) -> None:
    purse = rules.purse._replace(kind="negotiation") if rules.purse is not None else None
    rules = rules._replace(retry_malformed=0, purse=purse)
    wanted = dict(asker.settings)
    tried: list[dict[str, Any]] = []
    answered: dict[str, Any] | None = None
    with AttemptLog(found.with_suffix(".jsonl")) as log:
        ladder = _Ladder(wanted, WIRES[wire].structures)
        for settings in ladder:
            asker.settings = settings
            ids = {"cell": NEGOTIATION, "contender": contender, "suite": NEGOTIATION}
            task = Task(f"probe-{len(tried) + 1}", 0, 0, REQUEST, SHOWN)
            last = ask_item(asker, task, ids, rules, lambda row, _: log.append(row), simulated)
            tried.append({"settings": settings, "outcome": last.outcome, "reason": last.reason})
            if last.outcome == "valid":
                answered = settings
                break
            if last.outcome != "failed":
                # taken, though not answered as it should be: good enough where nothing else is
                answered = answered or settings
            elif last.failure is None or last.failure.kind != "rejected":
                raise Stopped(f"execution: negotiation with {contender}: {last.reason}")
            ladder.heard(last)
    if answered is None:
        raise Stopped(f"execution: negotiation with {contender}: nothing is accepted, the last reason is {last.reason}")
    refused = sorted(set(wanted) - set(answered))
    write_whole(
        found, pretty_json({"settings": answered, "given_up": refused, "probes": tried, "simulated": simulated})
    )


class _Ladder:
    """The settings to try, strictest first. What a refusal names is given up; what it does not name is tried in turn."""

    def __init__(self, wanted: Mapping[str, Any], structures: tuple[str, ...]) -> None:
        self._wanted, self._structures = dict(wanted), structures
        self._may_go = [name for name in GIVEN_UP if name in wanted]
        self._named: str | None = None

    def heard(self, last: Attempt) -> None:
        """What became of the last try."""
        words = (last.reason or "").lower() if last.outcome == "failed" else ""
        self._named = next((name for name in self._may_go if name.partition("_")[0] in words), None)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            step = 0
            while step < len(self._structures):
                yield self._wanted | {"structured": self._structures[step]}
                if self._named is not None:
                    self._give_up(self._named)
                    continue
                step += 1
            if not self._may_go:
                return
            self._give_up(self._may_go[0])

    def _give_up(self, name: str) -> None:
        self._wanted.pop(name)
        self._may_go.remove(name)
        self._named = None
