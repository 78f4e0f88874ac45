"""Which cells of a simulated twin are replayed from recordings, and what their plan says."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmb.errors import MissingEvidence, UsageError
from dmb.planning.plan import PlannedCell, Planner
from dmb.planning.project import load_project
from dmb.simulate import Simulator

#: A key that is set, as it may be where somebody rehearses.
KEYS = {"TYPESAFE_API_KEY": "k", "OPENAI_API_KEY": "k"}


@pytest.fixture
def planned(tmp_path: Path, project_copy: Path):
    """Cells of ``quickstart-simulated`` with two remote contenders more, under an environment."""
    config = project_copy / "config.yaml"
    text = config.read_text(encoding="utf-8")
    old = "contenders: [random, majority, keyword, tfidf-logreg, sparrow-nano]"
    assert old in text
    config.write_text(text.replace(old, "contenders: [random, sparrow-nano, jev, gpt-5-4-nano]", 1), encoding="utf-8")
    (tmp_path / "recordings/typesafe").mkdir(parents=True)
    (tmp_path / "recordings/typesafe/0.json").write_text("{}")

    def plan(name: str = "quickstart-simulated", **environment: str) -> dict[str, PlannedCell]:
        cells = Planner(load_project(), {**KEYS, **environment}).release(name).cells
        return {c.contender: c for c in cells if c.suite == "starter-route"}

    plan.folder = str(tmp_path / "recordings")
    return plan


def test_those_who_would_be_called_are_replayed_and_nobody_else(planned) -> None:
    cells = planned(DMB_REPLAY=planned.folder)
    assert {c: (cell.job["replayed"], cell.job["simulated"]) for c, cell in cells.items()} == {
        "random": (False, False),
        # served on this machine: it answers for itself
        "sparrow-nano": (False, False),
        "jev": (True, True),
        "gpt-5-4-nano": (True, True),
    }
    for name in ("jev", "gpt-5-4-nano"):
        # no address, so that nobody could be called, and no variable of a key
        assert {"address", "credential"}.isdisjoint(cells[name].job["provider"]), name
    real = planned("quickstart")
    assert [cells[n].key == real[n].key for n in cells] == [True, True, False, False]
    assert not any(cell.job["replayed"] for cell in real.values())


def test_other_recordings_make_other_cells(planned) -> None:
    before = planned(DMB_REPLAY=planned.folder)["jev"].key
    assert planned(DMB_REPLAY=planned.folder)["jev"].key == before
    (Path(planned.folder) / "typesafe/1.json").write_text("{}")
    assert planned(DMB_REPLAY=planned.folder)["jev"].key != before


def test_a_simulator_is_asked_unless_there_are_recordings(planned) -> None:
    with Simulator(seed=1) as simulator:
        asked = planned(DMB_SIMULATOR=simulator.address)["jev"]
        assert (asked.job["replayed"], asked.job["simulated"]) == (False, True)
        assert asked.job["provider"]["address"] == f"{simulator.address}/typesafe"
        both = planned(DMB_SIMULATOR=simulator.address, DMB_REPLAY=planned.folder)["jev"]
        assert both.job["replayed"] and both.key != asked.key
        # recording a rehearsal changes nothing of it
        assert planned(DMB_SIMULATOR=simulator.address, DMB_RECORD="x")["jev"].key == asked.key
    real = planned("quickstart")["jev"].key
    assert planned("quickstart", DMB_RECORD="x")["jev"].key == real != asked.key


def test_a_real_release_is_never_replayed(planned) -> None:
    with pytest.raises(UsageError, match="recordings are no fresh answers; build 'quickstart-simulated', or unset it"):
        planned("quickstart", DMB_REPLAY=planned.folder)


def test_recordings_that_are_not_there_and_both_variables_are_refused(planned) -> None:
    with pytest.raises(MissingEvidence, match="is no folder of recorded exchanges"):
        planned(DMB_REPLAY=f"{planned.folder}/nowhere")
    with pytest.raises(UsageError, match="DMB_RECORD and DMB_REPLAY are both set"):
        planned(DMB_REPLAY=planned.folder, DMB_RECORD="x")
