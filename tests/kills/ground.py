"""What is killed: a small project with three billed lanes, a simulator that outlives it, and starts that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dmb.contracts.price import PricesFile
from dmb.contracts.scenario import FaultRule, Scenario
from dmb.inputs import parse_toml
from dmb.simulate import Simulator
from tests.dag.tiny import Tiny
from tests.kills import aimed

RELEASE = "kill-simulated"

#: Contender -> the lane it is asked in, which is a provider here. Three wires.
LANES = {"jev": "typesafe", "gpt-5-4-nano": "openai", "claude-haiku-4-5": "anthropic"}
SUITES = ("alpha", "beta")

#: In flight at once in each lane.
SLOTS = 4

SEED = 7

#: What each fault comes to is the same however often it is asked, but for the overload, which the first attempt meets.
SCENARIO = Scenario(
    name="kills",
    delay_ms=20,
    jitter_ms=40,
    fault=(
        FaultRule(do="overloaded", share=0.05, first=1),
        FaultRule(do="refusal", share=0.04),
        FaultRule(do="truncated", share=0.04),
        FaultRule(do="unknown_choice", share=0.06),
    ),
)

CONFIG = """\
all: [kill]
releases:
  kill:
    title: Killed again and again
    suites: [{suites}]
    contenders: [{contenders}]
    nonce: "{nonce}"
protocol: {{ version: 3, backoff_s: 0.05 }}
budget: {{ soft_usd: {cap}, hard_usd: {cap} }}
"""


class Ground:
    """One project folder. Each ``round`` asks the same questions afresh; runs and ledger go on through all of them."""

    def __init__(self, root: Path, n_items: int, cap: str) -> None:
        self.tiny = Tiny.make(root)
        self.root, self.cap, self.n_items = root, cap, n_items
        for suite in SUITES:
            rows = [
                {"id": f"{suite}-{i}", "text": f"{suite} {i}: paint it {c}", "label": c}
                for i, c in zip(range(n_items), ["red", "blue", "green"] * n_items, strict=False)
            ]
            (root / f"data/{suite}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
        # what every request of a lane writes, and what a run finds out first, are in the way of kills as well
        self.tiny.edit(
            "data/providers.toml", "[typesafe]\n", "[typesafe]\nlimits = { requests_per_minute = 1000000 }\n"
        )
        text = (root / "data/contenders.toml").read_text()
        entry = text[text.index("[gpt-5-4-nano]") :].partition("\n\n")[0]
        auto = entry.replace('structured = "json_schema"', 'structured = "auto"')
        assert auto != entry
        (root / "data/contenders.toml").write_text(text.replace(entry, auto))
        self.log = root / "starts.log"
        self._simulator: Simulator | None = None

    @property
    def n_rows(self) -> int:
        """Decisions of a round."""
        return self.n_items * len(SUITES) * len(LANES)

    @property
    def simulator(self) -> Simulator:
        """The one of this round."""
        assert self._simulator is not None
        return self._simulator

    @property
    def n_requests(self) -> int:
        """What the server of this round has counted, up to now."""
        return self.simulator.counts()["requests"]

    def counts(self) -> dict[str, Any]:
        """The same in full, once all is taken in that a killed client had sent: a few turns of the server's loop later."""
        for _ in range(8):
            self.simulator.counts()
        return self.simulator.counts()

    @contextmanager
    def round(self, nonce: str) -> Iterator[Simulator]:
        """Fresh cells, and a server that has counted nothing yet."""
        words = {"suites": ", ".join(SUITES), "contenders": ", ".join(LANES)}
        (self.root / "config.yaml").write_text(CONFIG.format(nonce=nonce, cap=self.cap, **words))
        text = (self.root / "data/prices.toml").read_text()
        prices = PricesFile.model_validate(parse_toml(text, "prices.toml")).price
        with Simulator(SCENARIO, seed=SEED, prices=prices) as self._simulator:
            yield self._simulator

    # -- starts

    def start(self, retry: bool = False, kill: str | None = None, host: str | None = None) -> Start:
        """The workflow's steps in processes of one group. ``kill``: a moment as `aimed.py` takes it."""
        options = json.dumps({"release": RELEASE, **({"retry": "true"} if retry else {})})
        program = str(Path(__file__).with_name("start.py"))
        more = {k: v for k, v in ((aimed.KILL_VARIABLE, kill), (aimed.HOST_VARIABLE, host)) if v is not None}
        return self._begin([sys.executable, program, RELEASE, options], more)

    def run(self, run: str) -> Start:
        """`dmb run`: the real thing."""
        return self._begin([sys.executable, "-m", "dmb", "run", "--id", run, "--release", RELEASE], {})

    def dmb(self, *args: str) -> subprocess.CompletedProcess[str]:
        """A command of dmb that finds the simulator of this round."""
        return self.tiny.dmb(*args, env={"DMB_SIMULATOR": self.simulator.address})

    def _begin(self, command: list[str], more: dict[str, str]) -> Start:
        environment = self.tiny.environment({"DMB_SIMULATOR": self.simulator.address, **more})
        with self.log.open("ab") as log:
            return Start(
                subprocess.Popen(
                    command,
                    cwd=self.root,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def said(self) -> str:
        """The end of what the starts have said."""
        return self.log.read_text(errors="replace")[-4000:]


class Start:
    """A leader and all that it has started, which are one session."""

    def __init__(self, leader: subprocess.Popen) -> None:
        self._leader = leader
        self.began = time.monotonic()

    def ended_within(self, seconds: float) -> bool:
        """Whether the leader ends by itself in that time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._leader.wait(max(0.0, seconds))
        return self._leader.poll() is not None

    def wait(self, timeout_s: float = 120.0) -> int:
        """Its exit code, negative for a signal; afterwards nobody of it is left."""
        code = self._leader.wait(timeout_s)
        self._until_alone()
        return code

    def wait_for(self, condition: Callable[[], bool], timeout_s: float = 120.0) -> bool:
        """Whether it comes true before the leader ends."""
        end = time.monotonic() + timeout_s
        while not condition():
            if self._leader.poll() is not None:
                return condition()
            assert time.monotonic() < end, "nothing came of it"
            time.sleep(0.002)
        return True

    def kill(self) -> bool:
        """SIGKILL for the whole session; False where it had come to a good end before. Afterwards nobody of it is left."""
        code = self._leader.poll()
        self._until_alone(signal.SIGKILL)
        self._leader.wait()
        assert code in (None, 0), f"ended with {code}"
        return code is None

    def kill_the_leader_alone(self) -> None:
        """What it has started stays."""
        self._leader.kill()
        self._leader.wait()

    def until_orphans_have_ended(self) -> None:
        """By themselves."""
        self._until_alone()

    def _until_alone(self, with_signal: int | None = None) -> None:
        end = time.monotonic() + 30
        if with_signal is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._leader.pid, with_signal)
        while left := _of_session(self._leader.pid):
            for pid in left if with_signal is not None else ():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, with_signal)
            assert time.monotonic() < end, f"still there: {left}"
            self._leader.poll()
            time.sleep(0.002)


def _of_session(session: int) -> list[int]:
    """Living processes of a session. Linux."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                # pid (name) state ppid pgrp session ...; a name may hold blanks
                state, _, _, of = (path / "stat").read_text().rpartition(") ")[2].split()[:4]
                if int(of) == session and state not in "ZX":
                    found.append(int(path.name))
    return found
