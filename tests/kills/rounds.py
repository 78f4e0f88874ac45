"""Rounds of kills: what is counted after each of them, and what must hold."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.kills.evidence import (
    Money,
    asked_for_nothing,
    decisions,
    money,
    newest_receipts,
    own_rows,
    place,
    requests_by_lane,
    rows_of,
)
from tests.kills.ground import LANES, SLOTS, SUITES, Ground, Start

#: Moments inside the work, each with a range for the number of the call: in the asking processes, then in the starting one.
AIMED = (
    ("ask dmb.store.locks:CellLock.__enter__ after", 4),
    ("ask dmb.ledger.pen:_append_to_index before", 1),
    ("ask dmb.ledger.pen:_write_all torn", 20),
    ("ask dmb.ledger.pen:Pen.write after", 20),
    ("ask dmb.ledger.pen:Pen.sync before", 20),
    ("ask dmb.engine.pace:_save before", 20),
    ("ask dmb.engine.negotiate:_probe before", 1),
    ("ask dmb.engine.negotiate:_probe after", 1),
    ("ask dmb.engine.lane:Lane._take after", 20),
    ("ask dmb.transport.live:LiveTransport.send after", 20),
    ("ask dmb.store.attempts:AttemptLog.append before", 20),
    ("ask dmb.store.attempts:AttemptLog.append torn", 20),
    ("ask dmb.store.attempts:AttemptLog.append after", 20),
    ("ask dmb.ledger.ledger:Ledger.settle after", 20),
    ("ask dmb.engine.spool:DecisionSpool.finish before", 1),
    ("ask dmb.engine.spool:DecisionSpool.finish after", 1),
    ("ask dmb.store.files:write_part torn", 3),
    ("ask dmb.store.receipts:write_receipt before", 1),
    ("ask dmb.store.files:write_part after", 3),
    ("ask dmb.store.receipts:write_receipt after", 1),
    ("start dmb.store.runs:mark after", 1),
    ("start dmb.store.runs:set_manifest after", 1),
    ("start dmb.store.runs:sweep after", 1),
    ("start dmb.ledger.ledger:Ledger.sweep after", 1),
    ("start dmb.store.files:write_part torn", 8),
    ("start dmb.store.files:write_part after", 8),
    ("start dmb.store.runs:begin_run after", 1),
    ("start dmb.store.runs:end_run before", 1),
    ("start dmb.store.runs:end_run after", 1),
)


#: At a random moment of a whole start, of the part in which it asks, and of the real workflow.
TIMED = ("random", "asking", "workflow")


def kinds_of(n_timed: tuple[int, int, int], n_aimed: int, rng: random.Random) -> deque[str]:
    """Kinds of kill in some order."""
    aimed: list[str] = []
    while len(aimed) < n_aimed:
        aimed += [f"{what} {rng.randint(1, most)}" for what, most in rng.sample(AIMED, len(AIMED))]
    kinds = aimed[:n_aimed] + [kind for kind, n in zip(TIMED, n_timed, strict=True) for _ in range(n)]
    rng.shuffle(kinds)
    return deque(kinds)


@dataclass
class Figures:
    """What is counted over all rounds. ``n_lost``: requests whose reply is not on disk, and which were asked again."""

    kills: Counter[str] = field(default_factory=Counter)
    n_starts: int = 0
    n_requests: int = 0
    n_rows: int = 0
    n_probes: int = 0
    n_lost: int = 0
    n_kills_that_lost: int = 0
    most_lost_in_a_lane: int = 0
    bill_usd: Fraction = Fraction(0)

    def text(self, book: Money, cap: str) -> str:
        """One line."""
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(self.kills.items()))
        return (
            f"{self.kills.total()} kills ({kinds}) in {self.n_starts} starts · {self.n_requests} requests, {self.n_rows} rows "
            f"and {self.n_probes} probes on disk, {self.n_lost} asked twice ({self.n_kills_that_lost} kills met something in flight, at most "
            f"{self.most_lost_in_a_lane} of {SLOTS} a lane) · {book.open.total()} unsettled, {book.n_marked} of them marked · "
            f"bill {float(self.bill_usd):.4f}, charged {float(book.charged):.4f}, cap {cap} USD"
        )


def is_probe(row: dict[str, Any]) -> bool:
    """Whether it is no question of a cell."""
    return row["suite"] == "negotiation"


class Clock:
    """How long a start takes, learnt from the starts before, so that the moments are uniform over its length."""

    def __init__(self) -> None:
        self._before_s, self._request_s = 2.0, 0.01

    def length_s(self, n_left: int) -> float:
        """Of a start that has so many items to ask."""
        return self._before_s + n_left * self._request_s

    def let(self, start: Start, ground: Ground, share: float, n_left: int, asking: bool) -> None:
        """Give it that share of its length, or of the part of it in which it asks; and learn from what it does with it."""
        n_before = ground.n_requests
        deadline = None if asking else start.began + share * self.length_s(n_left)
        first = None
        while True:
            if first is None and ground.n_requests > n_before:
                first = time.monotonic()
                if asking:
                    deadline = first + share * n_left * self._request_s
            left = 0.02 if deadline is None else min(0.02, deadline - time.monotonic())
            if left <= 0 or start.ended_within(left):
                break
        n = ground.n_requests - n_before
        if first is not None and n > 10:
            self._before_s += (first - start.began - self._before_s) / 2
            self._request_s += ((time.monotonic() - first) / n - self._request_s) / 2


class Round:
    """One round of a ground."""

    def __init__(self, ground: Ground, figures: Figures) -> None:
        self.ground, self.figures = ground, figures
        self._sizes: dict[Path, int] = {}
        self.before = {place(row) for row in own_rows(ground.root, self._sizes)}
        self.rows: dict[Any, dict[str, Any]] = {}
        self._lost: Counter[str] = Counter()
        self._billed_before = figures.bill_usd

    @property
    def n_left(self) -> int:
        """Items without a row."""
        return self.ground.n_rows - len({key[:3] for key, row in self.rows.items() if not is_probe(row)})

    def kill_some(self, kinds: deque[str], at_most: int, rng: random.Random, clock: Clock) -> bool:
        """Whether the last start went to its end: it was done before its moment came."""
        for _ in range(at_most):
            if not kinds:
                return False
            kind = kinds.popleft()
            if not self._kill(kind, rng, clock):
                # a moment inside the work may never come where little is left
                kinds.append(kind if kind in TIMED else "random")
                return True
            self.figures.kills[kind if kind in TIMED else "aimed"] += 1
        return False

    def _kill(self, kind: str, rng: random.Random, clock: Clock) -> bool:
        self.figures.n_starts += 1
        if kind in ("random", "asking"):
            start = self.ground.start()
            clock.let(start, self.ground, rng.random(), self.n_left, kind == "asking")
            killed = start.kill()
        elif kind == "workflow":
            name = f"killed-{self.figures.n_starts}"
            start = self.ground.run(name)
            # the seconds until then belong to others; after the answers come scores and report
            start.wait_for(lambda: (self.ground.root / "runs" / name).exists())
            start.ended_within(rng.random() * (clock.length_s(self.n_left) + 3))
            killed = start.kill()
        else:
            code = self.ground.start(kill=kind).wait()
            assert code in (0, -signal.SIGKILL), self.ground.said()
            killed = code != 0
        self.check(killed)
        return killed

    def finish(self, start: Start) -> None:
        """A start that is left alone."""
        self.figures.n_starts += 1
        assert start.wait() == 0, self.ground.said()
        self.check(killed=False)

    def check(self, killed: bool) -> None:
        """What holds at any time, seen right after the end of a start."""
        ground, figures = self.ground, self.figures
        for row in own_rows(ground.root, self._sizes):
            self.rows[place(row)] = row
        counts, book = ground.counts(), money(ground.root)
        requests, written = requests_by_lane(counts), Counter(LANES[key[0]] for key in self.rows)
        assert written <= requests, "rows of requests that nobody has sent"
        lost = requests - written
        assert self._lost <= lost, "rows of requests that were lost before"
        now = lost - self._lost
        most = max(now.values(), default=0)
        assert most <= (SLOTS if killed else 0), f"{now}: more than was in flight"
        assert max(book.open.values(), default=0) <= SLOTS, book.open
        assert lost.total() <= book.open.total(), "a request that may have been billed is not charged"
        known = self.before | set(self.rows)
        assert book.settled <= known, "a charge was written down before its row"
        assert set(self.rows) <= book.reserved, "something was sent that nothing had been reserved for"
        figures.most_lost_in_a_lane = max(most, figures.most_lost_in_a_lane)
        figures.n_kills_that_lost += bool(now)
        self._lost = lost
        figures.bill_usd = self._billed_before + Fraction(counts["billed_usd"])
        assert counts["unpriced"] == {}
        assert figures.bill_usd <= book.charged <= Fraction(ground.cap)

    def close(self, expected: dict[Any, Any] | None) -> dict[Any, Any]:
        """After a start that went to its end: every reply that was on disk is in the final logs, once. The decisions."""
        ground = self.ground
        asked = {key: row for key, row in self.rows.items() if not is_probe(row)}
        cells = {row["cell"] for row in asked.values()}
        receipts = newest_receipts(ground.root, cells)
        assert len(receipts) == len(cells) == len(SUITES) * len(LANES)
        assert {r["status"] for r in receipts.values()} == {"complete"}
        final = [row for r in receipts.values() for row in rows_of(ground.root, r)]
        by_place = {place(row): row for row in final}
        assert len(by_place) == len(final), "a row stands twice"
        assert by_place == asked, "rows were lost, or came from nowhere"
        assert asked_for_nothing(final) == []
        made = decisions(ground.root, receipts)
        assert len(made) == ground.n_rows
        if expected is not None:
            assert made == expected, [(made[k], expected[k]) for k in expected if made[k] != expected[k]][:3]
        self.count()
        return made

    def count(self) -> None:
        """Put what this round came to into the figures."""
        n_probes = sum(map(is_probe, self.rows.values()))
        self.figures.n_requests += self.ground.n_requests
        self.figures.n_rows += len(self.rows) - n_probes
        self.figures.n_probes += n_probes
        self.figures.n_lost += self._lost.total()
