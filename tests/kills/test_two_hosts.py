"""Two hosts that share the folder: neither judges the other's processes, and nothing is asked or charged twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.kills.evidence import money, newest_receipts
from tests.kills.ground import SCENARIO, Ground
from tests.kills.rounds import Figures, Round


def statuses(root: Path) -> dict[tuple[str, str], int]:
    """(host, status) -> how many runs."""
    found: dict[tuple[str, str], int] = {}
    for path in root.glob("runs/[!_]*/manifest.json"):
        manifest = json.loads(path.read_bytes())
        key = (manifest.get("host", "none"), manifest["status"])
        found[key] = found.get(key, 0) + 1
    return found


def test_starts_by_turns_each_killed(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    figures = Figures()
    ground = Ground(tmp_path / "project", n_items=20, cap="2")
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
        # the dead of the other host stay open, and their reservations charged
        found, book = statuses(ground.root), money(ground.root)
        assert found.get(("north", "running"), 0) == 0 < found["south", "running"]
        assert 0 < book.n_marked < book.open.total()
        this.finish(ground.start(host="south"))
        assert not [key for key in statuses(ground.root) if key[1] == "running"]
        after = money(ground.root)
        assert after.n_marked == after.open.total() and after.charged == book.charged
        record_property("figures", figures.text(after, ground.cap))


def test_an_orphan_of_the_other_host_is_left_to_finish_and_its_cells_are_refused(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "project", n_items=12, cap="2")
    with ground.round("orphans") as simulator:
        simulator.use(SCENARIO.model_copy(update={"delay_ms": 5000}))
        this = Round(ground, Figures())
        first = ground.start(host="north")
        first.wait_for(lambda: ground.n_requests >= 6)
        first.kill_the_leader_alone()
        # nobody here can tell whether north's processes live; their locks say that they do
        second = ground.start(host="south")
        second.wait_for(lambda: "is being asked by run kill-simulated-1" in ground.said())
        simulator.use(SCENARIO)
        assert second.wait() == 1 and "on north" in ground.said(), ground.said()
        first.until_orphans_have_ended()
        this.finish(ground.start(host="south"))
        this.close(None)
        # what the orphans had begun they finished, under the run that they belong to
        assert {r["run"] for r in newest_receipts(ground.root).values()} > {"kill-simulated-1"}
        assert money(ground.root).open == {}
