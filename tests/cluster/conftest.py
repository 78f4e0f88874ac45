"""A real Slurm of three nodes on this machine, for as long as the tests here take."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.cluster.slurm import MINISLURM, Slurm


@pytest.fixture(scope="session")
def slurm() -> Iterator[Slurm]:
    """Started once; another checkout's tests on this machine are waited for."""
    for plugin in ("slurm", "cluster_generic"):
        pytest.importorskip(f"snakemake_executor_plugin_{plugin}", reason="the extra `cluster` is not installed")
    folder = Path("/var/tmp/dmb-minislurm")
    with FileLock(f"{folder}.lock", timeout=600):
        env = {**os.environ, "MINISLURM_DIR": str(folder)}
        done = subprocess.run([MINISLURM, "start"], env=env, capture_output=True, text=True, check=False)
        if done.returncode == 3:
            pytest.skip(f"no Slurm here: {done.stderr.strip()}")
        assert done.returncode == 0, done.stderr
        try:
            yield Slurm(folder)
        finally:
            subprocess.run([MINISLURM, "stop"], env=env, check=True)
