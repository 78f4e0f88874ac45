"""SIGKILL at a random moment, many times: nothing that is on disk is lost or asked again, and the bill stays under the cap.

DMB_KILL_SEED is another seed of the moments.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import deque
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.kills.evidence import money, newest_receipts
from tests.kills.ground import RELEASE, Ground
from tests.kills.rounds import Clock, Figures, Round, kinds_of

SEED = int(os.environ.get("DMB_KILL_SEED", "20261130"))

#: After so many kills a round is asked to its end, and the next one begins.
KILLS_A_ROUND = 10

SETTLE = "dmb.ledger.ledger:Ledger.settle before"


@pytest.mark.parametrize(
    "n_timed, n_aimed, n_items",
    [
        pytest.param((6, 6, 1), 7, 15, id="20 kills"),
        pytest.param((55, 55, 10), 80, 30, id="200 kills", marks=pytest.mark.long),
    ],
)
def test_killed_again_and_again(
    tmp_path: Path,
    n_timed: tuple[int, int, int],
    n_aimed: int,
    n_items: int,
    record_property: Callable[[str, object], None],
) -> None:
    began, rng = time.monotonic(), random.Random(SEED)
    ground = Ground(tmp_path / "project", n_items, cap="5")
    figures, clock = Figures(), Clock()
    with ground.round("undisturbed"):
        undisturbed = Round(ground, figures)
        undisturbed.finish(ground.start())
        expected = undisturbed.close(None)
    kinds = kinds_of(n_timed, n_aimed, rng)
    for number in count(1):
        with ground.round(f"round-{number}"):
            this = Round(ground, figures)
            ended = this.kill_some(kinds, KILLS_A_ROUND, rng, clock)
            if not kinds:
                # at last through the workflow, which has scores and report to make
                this.finish(ground.run("last"))
            elif not ended:
                this.finish(ground.start())
            this.close(expected)
            if not kinds:
                break
    book = money(ground.root)
    assert figures.kills.total() == sum(n_timed) + n_aimed
    assert book.n_marked == book.open.total(), "what nobody will ever settle is not marked"
    n_runs, n_lines = written(ground.root)
    # a row stands in the log of the run that asked it, and in that of the run that finished its cell; kills while it was
    # being copied may have left it once more
    assert n_lines < 2.5 * figures.n_rows
    with ground.round("never-asked"):
        audit_s, audit = audited(ground)
    assert sum(c["calls"] for c in audit["ask"]) == ground.n_rows
    text = f"{figures.text(book, ground.cap)} · {n_runs} runs hold {n_lines} lines; to audit them takes {audit_s:.1f} s"
    record_property("figures", f"{text} · seed {SEED}, {time.monotonic() - began:.0f} s")


def written(root: Path) -> tuple[int, int]:
    """How many runs there are, and how many lines are in their logs."""
    logs = [path.read_bytes().count(b"\n") for path in root.glob("runs/*/raw/*.attempts.jsonl")]
    return len(list(root.glob("runs/[!_]*"))), sum(logs)


def audited(ground: Ground) -> tuple[float, dict[str, Any]]:
    """Seconds that `dmb audit` takes, and what it says."""
    began = time.monotonic()
    done = ground.dmb("audit", RELEASE, "--json")
    assert done.returncode == 0, done.stderr
    return time.monotonic() - began, json.loads(done.stdout)


def test_the_cap_holds_over_kills_and_restarts(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """The money runs out in the middle; no restart finds any that a killed start had reserved."""
    rng = random.Random(SEED)
    ground = Ground(tmp_path / "project", n_items=60, cap="0.03")
    figures, clock = Figures(), Clock()
    with ground.round("poor"):
        # all of it would cost more than that
        poor = Round(ground, figures)
        assert not poor.kill_some(
            deque([f"ask {SETTLE} {rng.randint(1, 4)}", f"ask {SETTLE} {rng.randint(1, 4)}"]), 2, rng, clock
        )
        charged = []
        for _ in range(3):
            start = ground.start(retry=True)
            assert start.wait() == 0, ground.said()
            figures.n_starts += 1
            poor.check(killed=False)
            charged.append(money(ground.root).charged)
        endings = {r["status"]: r["stop_reason"] for r in newest_receipts(ground.root).values()}
        assert "stopped" in endings and "budget" in endings["stopped"], endings
        assert charged == sorted(charged)
        poor.count()
        record_property("figures", figures.text(money(ground.root), ground.cap))
