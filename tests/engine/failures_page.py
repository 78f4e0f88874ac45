"""`docs/failures.md`, spelled from what was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from tests.engine.failing import N_QUESTIONS, Ended
from tests.engine.failures_table import (
    CONDITIONS,
    DIFFERING,
    LINES,
    MONEY_WORDS,
    PRESCRIBED,
    PROVIDERS,
    WIRES,
    Line,
)
from tests.simulate.asking import WAYS

_HEAD = f"""\
# What goes wrong, and what becomes of it

This page is written by `tests/engine/test_failures.py`, which holds it to what the engine does: `pytest tests/engine --fix`
rewrites it. Each row is a cell of {N_QUESTIONS} questions, asked one after the other by the real engine of
[the simulator](simulate.md), with every request meeting the fault. Requests are counted by the server, and waits are taken by
a clock that the test gives. Questions run over chat completions (a model of OpenAI's) where the row names nobody else.

* *outcomes*: of the {N_QUESTIONS} questions; *waited*: seconds before retries, all together
* *bill*: what the server bills for all requests. *settled*, *unsettled*: what the ledger holds: measured charges, and
  reservations of attempts whose cost nobody can say. All three in millionths of a dollar, at made-up prices.
* *exit*: the code of `dmb run`. A failed question is asked anew by `dmb run --retry`; other outcomes stand.

## Every fault

| fault | outcomes | requests | retries | waited | bill | settled | unsettled | exit | as [the protocol](protocol.md) says |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --- |
"""

_WIRES = """
## Where wires differ

Faults that do not come to the same over every wire. What follows from an outcome is as above. A wire that has no way to show
a fault answers.

| fault | {wires} |
| --- |{bars}
"""

_PROVIDERS = """
## How providers tell it

The HTTP status with which each says so, and what DMB makes of it; a name that differs stands beside its status. A 429
may be an empty account, and a 400 a wrong key.

| condition | {providers} |
| --- |{bars}
"""


def page(
    lines: Mapping[str, Ended], over_wires: Mapping[tuple[str, str], Ended], told: Mapping[tuple[str, str], Ended]
) -> str:
    """``over_wires`` and ``told``: by fault and way of asking."""
    text = _HEAD + "".join(_row(_of(line, lines[line.label])) for line in LINES)
    names = [f"`{wire}`" for wire in WIRES]
    text += _WIRES.format(wires=" | ".join(names), bars=" --- |" * len(names))
    for fault in DIFFERING:
        text += _row([f"`{fault}`", *(_kind(over_wires[fault, way]) for way in WIRES.values())])
    text += _PROVIDERS.format(providers=" | ".join(PROVIDERS), bars=" --- |" * len(PROVIDERS))
    for condition in CONDITIONS:
        kinds = [_kind(told[condition, way]) for way in PROVIDERS.values()]
        usual = max(dict.fromkeys(kinds), key=kinds.count)
        cells = [
            _status(told[condition, way]) + ("" if kind == usual else f" {kind}")
            for way, kind in zip(PROVIDERS.values(), kinds, strict=True)
        ]
        text += _row([f"`{condition}`: {usual}", *cells])
    return text


def _of(line: Line, seen: Ended) -> list[str]:
    words = line.words or PRESCRIBED[line.kind].words
    money = MONEY_WORDS[line.money]
    outcomes = ", ".join(f"{n} {_named(outcome, seen)}" for outcome, n in seen.outcomes.items())
    amounts = [_whole(a) for a in (seen.billed, seen.settled, seen.unsettled)]
    counts = [str(seen.requests), str(seen.retries), f"{seen.waited_s:g}"]
    return [line.label, outcomes, *counts, *amounts, str(seen.exit_code), f"{words}; {money}" if money else words]


def _named(outcome: str, seen: Ended) -> str:
    return f"{outcome} ({', '.join(sorted(seen.kinds))})" if outcome == "failed" else outcome


def _kind(seen: Ended) -> str:
    """The outcome of the one question that was asked."""
    (outcome,) = seen.outcomes
    return _named(outcome, seen)


def _status(seen: Ended) -> str:
    return ", ".join(str(s) for s in sorted(seen.statuses))


def _whole(amount: Decimal) -> str:
    assert amount == int(amount), amount
    return f"{int(amount):,}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


#: Every way of asking is somebody's.
assert set(PROVIDERS.values()) <= set(WAYS)
