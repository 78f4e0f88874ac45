"""A rehearsal recorded through the workflow, and built again from the recordings with no simulator running."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from dmb.simulate import Simulator
from tests.dag.changes import tree
from tests.dag.tiny import Tiny

CONFIG = "all: [tiny]\nreleases:\n  tiny: {title: T, suites: [beta], contenders: [jev, gpt-5-4-nano]}\n"


def run(t: Tiny, run_id: str, release: str = "tiny-simulated", **env: str) -> subprocess.CompletedProcess[str]:
    return t.dmb("run", "--id", run_id, "--release", release, env=env)


def decisions(t: Tiny, run_id: str) -> dict[str, list]:
    """File -> item, outcome and outputs of its decisions."""
    found = {}
    for path in sorted((t.root / f"runs/{run_id}/decisions").glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        found[path.name] = [(r["item"], r["outcome"], r["outputs"], r["served_model"], r["usage"]) for r in rows]
    return found


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """A project whose simulated twin was built once, exchanges written down; its simulator is gone."""
    t = Tiny.make(tmp_path_factory.mktemp("replay") / "project")
    (t.root / "config.yaml").write_text(CONFIG)
    with Simulator(seed=5) as simulator:
        done = run(t, "recorded", DMB_SIMULATOR=simulator.address, DMB_RECORD="recordings")
        assert done.returncode == 0, done.stdout + done.stderr
        assert simulator.counts()["requests"] == 12
    return t


def test_recordings_stand_for_the_simulator(recorded: Tiny, tmp_path: Path) -> None:
    t = recorded.copy(tmp_path / "copy")
    files = sorted(p.relative_to(t.root).parts[:2] for p in (t.root / "recordings").rglob("*.json"))
    assert files == [("recordings", "openai")] * 6 + [("recordings", "typesafe")] * 6
    before = tree(t, "recordings")
    done = run(t, "replayed", DMB_REPLAY="recordings")
    assert done.returncode == 0, done.stdout + done.stderr
    assert decisions(t, "replayed") == decisions(t, "recorded")
    assert len(decisions(t, "replayed")["jev.beta.jsonl"]) == 6
    # marked as simulated, like what it stands for
    published = json.loads((t.root / "results/tiny-simulated.cells.json").read_text())
    assert {c["simulated"] for c in published["cells"]} == {True}
    assert tree(t, "recordings") == before
    # other recordings are other cells; the same ones are not asked again
    assert "everything is asked already" in run(t, "again", DMB_REPLAY="recordings").stdout

    gone = next((t.root / "recordings/typesafe").glob("*.json"))
    key = json.loads(gone.read_text())["key"]
    gone.unlink()
    receipts = tree(t, "runs/_cells")
    done = run(t, "missing", DMB_REPLAY="recordings")
    assert done.returncode == 3
    terminal = (done.stdout + done.stderr).splitlines()
    # at the step, and once more at the end of the run
    [told] = {line.strip().removeprefix("dmb ask: ").removeprefix("dmb: ") for line in terminal if key in line}
    assert told == (
        f"recordings/typesafe/{key[:16]}.json: POST /v1/systemone of typesafe, key {key}, was never recorded; "
        "record it with DMB_RECORD"
    )
    assert not any("Traceback" in line for line in terminal)
    assert json.loads((t.root / "runs/missing/manifest.json").read_text())["status"] == "failed"
    # the other contender's cell is whole, this one's has no receipt and no decisions
    new = {name.split("/")[0] for name in set(tree(t, "runs/_cells")) - set(receipts) if "receipt" in name}
    assert new == {"gpt-5-4-nano.beta"}
    assert set(decisions(t, "missing")) == {"gpt-5-4-nano.beta.jsonl"}


def test_what_cannot_be_replayed_is_told_before_anything_is_begun(recorded: Tiny, tmp_path: Path) -> None:
    t = recorded.copy(tmp_path / "copy")
    runs = {p.name for p in (t.root / "runs").iterdir()}
    for release, env, code, said in (
        (
            "tiny",
            {"DMB_REPLAY": "recordings"},
            2,
            "recordings are no fresh answers; build 'tiny-simulated', or unset it",
        ),
        ("tiny-simulated", {"DMB_REPLAY": "recordings", "DMB_RECORD": "x"}, 2, "are both set"),
        ("tiny-simulated", {"DMB_REPLAY": "nowhere"}, 3, "nowhere: is no folder of recorded exchanges"),
    ):
        done = run(t, "never", release, **env)
        assert done.returncode == code and done.stdout == ""
        assert done.stderr.startswith("dmb: ") and said in done.stderr and done.stderr.count("\n") == 1
    assert {p.name for p in (t.root / "runs").iterdir()} == runs
