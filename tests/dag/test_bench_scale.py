"""The script behind docs/scale.md, on a project of two cells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/bench_scale.py"


def measure(tmp_path: Path, *options: str) -> list[str]:
    """The last line of its table, in words."""
    # whatever it makes lies below the folder for temporary files
    command = [sys.executable, str(SCRIPT), *options]
    # executors of the workflow look for their programs when they are loaded
    env = {"TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    return done.stdout.splitlines()[-1].split()


def test_a_real_run_is_split_into_its_parts(tmp_path: Path) -> None:
    cells, wall, cpu, peak, starting, snakemake, plan, ask, score, publish, ours = map(
        float, measure(tmp_path, "--dry", "--run", "2")
    )
    assert cells == 2 and min(wall, peak, starting, snakemake, ask, score, publish) > 0
    assert ours == pytest.approx(plan + ask + score + publish, abs=0.003)
    # nothing is counted twice, and nothing is left out
    assert cells * (starting + snakemake + ours) == pytest.approx(cpu, abs=0.51)


@pytest.mark.long
def test_dry_runs_are_measured_beside_a_bare_workflow(tmp_path: Path) -> None:
    cells, files, *figures = map(float, measure(tmp_path, "--dry", "2", "--run"))
    assert cells == 2 and files > 100 and len(figures) == 10 and min(figures) > 0


def test_what_would_take_too_long_is_not_begun(tmp_path: Path) -> None:
    told = " ".join(measure(tmp_path, "--dry", "--run", "2", "--minutes", "-1"))
    assert told == "2 not measured: no time is left for it"
