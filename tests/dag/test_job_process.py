"""The process of a single job parses the Snakefile again: on a cluster's node, or in a subprocess of the workflow's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dmb.store.layout import CELLS
from tests.dag.tiny import Tiny

#: Written down by every interpreter that finds it: what is opened, with which mode, and what is loaded in the end.
SPY = """\
import atexit, os, sys
out = os.open(os.environ["SPY"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def hook(event, args):
    if event == "open" and isinstance(args[0], str):
        writes = "w" if args[2] & (os.O_WRONLY | os.O_RDWR) else "r"
        os.write(out, f"{writes} {os.path.abspath(args[0])}\\n".encode())
sys.addaudithook(hook)
atexit.register(lambda: os.write(out, "".join(f"m {m}\\n" for m in sorted(sys.modules)).encode()))
"""


def parse_as_a_job(tiny: Tiny, cell: Path, run: str | None, spy: Path) -> subprocess.CompletedProcess[str]:
    """What an executor starts for the asking of ``cell``, but as a dry run, which ends where the job would begin."""
    (spy / "sitecustomize.py").write_text(SPY)
    contender, suite = cell.parent.name.split(".")
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(tiny.root / "Snakefile")]
    command += [
        "--target-jobs",
        f"ask:contender={contender},suite={suite},cell={cell.name},n=1",
        "--allowed-rules",
        "ask",
    ]
    command += ["--mode", "remote", "--dry-run", "--cores", "1", "--force", "--nolock", "--no-hooks"]
    env = Tiny.environment({"PYTHONPATH": str(spy), "SPY": str(spy / "log")} | ({"DMB_RUN": run} if run else {}))
    return subprocess.run(command, cwd=tiny.root, env=env, capture_output=True, text=True, check=False)


def files_below(root: Path) -> dict[str, tuple[int, int]]:
    """Everything but what the workflow keeps for itself, with size and time of change."""
    found = [p for p in root.rglob("*") if ".snakemake" not in p.parts and "__pycache__" not in p.parts]
    return {str(p): (p.stat().st_size, p.stat().st_mtime_ns) for p in found}


@pytest.fixture
def cell(tiny: Tiny) -> Path:
    """A planned cell without its receipt, of a run that is open."""
    manifest = tiny.root / "runs/tiny-1/manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"status": "running"}))
    [found] = (tiny.root / CELLS / "keyword.beta").iterdir()
    (found / "receipt.1.json").unlink()
    return found


def test_it_reads_its_run_and_nothing_else_and_writes_nothing(tiny: Tiny, cell: Path, tmp_path: Path) -> None:
    """Neither tables nor sources nor code are there to be read: whatever a job is to know was settled before it began."""
    for name in ("contenders.toml", "providers.toml", "prices.toml", "sources.toml", "items.lock.json"):
        (tiny.root / "data" / name).unlink()
    shutil.rmtree(tiny.root / "data/suites")
    (tiny.root / "config.yaml").unlink()
    before = files_below(tiny.root)
    spy = tmp_path / "spy"
    spy.mkdir()
    done = parse_as_a_job(tiny, cell, "tiny-1", spy)
    assert done.returncode == 0 and "rule ask:" in done.stdout + done.stderr, done.stderr
    # the items are named to the workflow, which looks whether they are there, and they are opened by nobody
    assert "data/items/beta." in done.stdout + done.stderr
    assert files_below(tiny.root) == before
    log = [line.split(" ", 1) for line in (spy / "log").read_text().splitlines()]
    root = f"{tiny.root}{os.sep}"
    opened = {path.removeprefix(root) for how, path in log if how in "rw" and path.startswith(root)}
    # names that the workflow opens relative to another folder are none of these files
    own = {p for p in opened if not p.startswith((".snakemake/", "dmb/")) and (tiny.root / p).is_file()}
    rules = {f"rules/{p.name}" for p in (tiny.root / "rules").glob("*.smk")}
    read = {"runs/tiny-1/plan.json", "runs/tiny-1/manifest.json"}
    assert read <= own <= read | rules | {"Snakefile", "profiles/default/config.yaml"}
    assert not [
        p for how, p in log if how == "w" and p.startswith(root) and "/.snakemake/" not in p and ".pyc" not in p
    ]
    # what it loads of our own is what it uses, and no table, no wire and no builder
    loaded = {name for how, name in log if how == "m" and name.partition(".")[0] == "dmb"}
    assert not [
        n for n in loaded if n.split(".")[1:2] in (["contracts"], ["wires"], ["suites"], ["baselines"], ["engine"])
    ]
    assert "dmb.planning.joined" in loaded and len(loaded) <= 15, sorted(loaded)


@pytest.mark.parametrize(
    ("run", "status", "told"),
    [
        ("tiny-1", "complete", "run tiny-1 has ended (complete): nothing may be asked under it"),
        (None, "running", "DMB_RUN is not set here"),
    ],
)
def test_it_refuses_before_the_workflow_deletes_anything(
    tiny: Tiny, cell: Path, tmp_path: Path, run: str | None, status: str, told: str
) -> None:
    manifest = tiny.root / "runs/tiny-1/manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"status": status}))
    before = files_below(tiny.root)
    done = parse_as_a_job(tiny, cell, run, tmp_path)
    assert done.returncode == 3 and told in done.stderr and "Traceback" not in done.stderr
    assert files_below(tiny.root) == before
