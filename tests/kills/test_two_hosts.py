"""Two hosts that share the folder: neither judges the other's processes, and nothing is asked or charged twice."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from dmb.mounts import mount_of
from dmb.process_identity import machine_id
from tests.kills.evidence import money, newest_receipts
from tests.kills.ground import SCENARIO, Ground
from tests.kills.rounds import Figures, Round

#: `dmb release-lock`, but for the time that it watches; nobody of whom it is told here is alive, and beats.
RELEASE = "import sys; from dmb.store.abandoned import *; print(release(chosen(sys.argv[1:], None), lambda s: None))"


def statuses(root: Path) -> dict[tuple[str, str], int]:
    """(host, status) -> how many runs."""
    found: dict[tuple[str, str], int] = {}
    for path in root.glob("runs/[!_]*/manifest.json"):
        manifest = json.loads(path.read_bytes())
        key = (manifest.get("host", "none"), manifest["status"])
        found[key] = found.get(key, 0) + 1
    return found


def locks_were_tried(root: Path, held: bool) -> None:
    """What `dmb doctor --peers` leaves behind."""
    (root / "runs/_hosts").mkdir(parents=True, exist_ok=True)
    hosts = [{"host": h, "machine": machine_id(), "mount": mount_of(root).text} for h in ("north", "south")]
    (root / "runs/_hosts/peers.1.json").write_text(json.dumps({"locks_shared": held, "hosts": hosts}))


def test_starts_by_turns_each_killed(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    figures = Figures()
    ground = Ground(tmp_path / "project", n_items=20, cap="2")
    locks_were_tried(ground.root, held=True)
    with ground.round("two-hosts"):
        this = Round(ground, figures)
        for turn in range(4):
            start, n = ground.start(host=("north", "south")[turn % 2]), ground.n_requests
            start.wait_for(lambda n=n: ground.n_requests >= n + 12)
            figures.kills["asking"] += start.kill()
            figures.n_starts += 1
            this.check(killed=True)
        this.finish(ground.start(host="north"))
        this.close(None)
        # where locks are known to hold between the two, each sees that the other's process is gone
        assert not [key for key in statuses(ground.root) if key[1] == "running"]
        after = money(ground.root)
        assert 0 < after.n_marked == after.open.total()
        record_property("figures", figures.text(after, ground.cap))


def test_where_locks_are_not_known_to_hold_the_user_says_that_a_process_is_gone(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "project", n_items=12, cap="2")
    with ground.round("unknown"):
        this = Round(ground, Figures())
        first = ground.start(host="north")
        first.wait_for(lambda: ground.n_requests >= 12)
        assert first.kill()
        this.check(killed=True)
        n = ground.n_requests
        # nothing but its kernel locks says that north's process is gone, and they may not reach here
        assert ground.start(host="south").wait() == 3 and ground.n_requests == n
        said = ground.said().splitlines()[-1]
        assert "process" in said and "on north, last heartbeat" in said and "`dmb release-lock start`" in said
        told = subprocess.run(
            [sys.executable, "-c", RELEASE, "start"], cwd=ground.root, capture_output=True, text=True, check=True
        )
        assert "Taken(name='kill-simulated-1'" in told.stdout and "lives" not in told.stdout, told.stdout
        this.finish(ground.start(host="south"))
        this.close(None)
        assert statuses(ground.root) == {("north", "interrupted"): 1, ("south", "complete"): 1}
        # that the other host's reservations will never be settled is not for this one to say; they stay charged
        assert 0 == money(ground.root).n_marked < money(ground.root).open.total()


def test_an_orphan_of_the_other_host_is_told_to_end_and_waited_for(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "project", n_items=12, cap="2")
    locks_were_tried(ground.root, held=True)
    with ground.round("orphans") as simulator:
        simulator.use(SCENARIO.model_copy(update={"delay_ms": 2000}))
        this = Round(ground, Figures())
        first = ground.start(host="north")
        first.wait_for(lambda: ground.n_requests >= 6)
        first.kill_the_leader_alone()
        simulator.use(SCENARIO)
        second = ground.start(host="south")
        this.finish(second)
        first.until_orphans_have_ended()
        this.close(None)
        assert "kill-simulated-1 was stopped while" in ground.said()
        assert "kill-simulated-2" in {r["run"] for r in newest_receipts(ground.root).values()}
        assert money(ground.root).open == {}


def test_a_cell_that_is_asked_on_the_other_host_is_refused(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "project", n_items=12, cap="2")
    with ground.round("held") as simulator:
        simulator.use(SCENARIO.model_copy(update={"delay_ms": 12_000}))
        this = Round(ground, Figures())
        first = ground.start(host="north")
        first.wait_for(lambda: ground.n_requests >= 6)
        first.kill_the_leader_alone()
        # the user believes all of it to be gone; of the orphans the locks say that they live
        command = RELEASE + "; import dmb.store.runs as r; print(r.sweep(0))"
        subprocess.run(
            [sys.executable, "-c", command, "start"], cwd=ground.root, capture_output=True, text=True, check=True
        )
        second = ground.start(host="south")
        second.wait_for(lambda: "is being asked by run kill-simulated-1" in ground.said())
        simulator.use(SCENARIO)
        assert second.wait() == 1 and "on north" in ground.said(), ground.said()
        first.until_orphans_have_ended()
        this.finish(ground.start(host="south"))
        this.close(None)
