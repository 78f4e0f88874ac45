"""CPU and memory of a dry run over many synthetic cells, beside a bare workflow with as many jobs.

Usage: python scripts/bench_planning.py [CELLS ...]        default: 20 200 1000

Each project is made in a temporary folder: ten small suites, as many seeded `random` contenders as it takes.
Prints, per size, CPU seconds and peak memory of `snakemake -n` and their ratio to the bare workflow's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
N_SUITES = 10

SUITE = """\
id = "s{i}"
title = "Synthetic {i}"
description = "For measuring only."
publish_text = true
[items]
builder = "jsonl"
files = ["data/items-of-{i}.jsonl", "data/labels.json"]
params = {{ id = "id", text = "text", truth = "label" }}
[question]
instructions = "Which one?"
"""

BARE = """\
CELLS = range({n})
rule all:
    input: "report.md"
rule ask:
    output: "cells/{{c}}.receipt.json"
    log: "cells/{{c}}.log"
    shell: "touch {{output}}"
rule score:
    input: ancient("cells/{{c}}.receipt.json")
    output: "cells/{{c}}.score.json"
    log: "cells/{{c}}.score.log"
    shell: "touch {{output}}"
rule publish:
    input: ancient(expand("cells/{{c}}.score.json", c=CELLS))
    output: "report.md"
    log: "report.log"
    shell: "touch {{output}}"
"""


def main() -> None:
    """Measure each size."""
    sizes = [int(a) for a in sys.argv[1:]] or [20, 200, 1000]
    print(f"{'cells':>6} {'DMB CPU s':>10} {'bare CPU s':>11} {'ratio':>6} {'DMB MB':>7} {'bare MB':>8}")
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            ours, bare = Path(folder) / "dmb", Path(folder) / "bare"
            make_project(ours, n)
            bare.mkdir()
            (bare / "Snakefile").write_text(BARE.format(n=n))
            target = ["results/big.md"]
            dry_run(ours, target)  # warms the file cache, and the memory of code digests
            cpu, memory = dry_run(ours, target)
            bare_cpu, bare_memory = dry_run(bare, ["report.md"])
            print(
                f"{n:>6} {cpu:>10.2f} {bare_cpu:>11.2f} {cpu / bare_cpu:>6.2f} {memory:>7.0f} {bare_memory:>8.0f}",
                flush=True,
            )


def make_project(root: Path, n_cells: int) -> None:
    """A project with ``n_cells`` cells that nothing was built in."""
    root.mkdir()
    for name in ("rules", "profiles", "dmb"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", root / "Snakefile")
    (root / "data/suites").mkdir(parents=True)
    for name in ("providers.toml", "sources.toml"):
        shutil.copy(ROOT / "data" / name, root / "data" / name)
    (root / "data/labels.json").write_text(json.dumps([{"id": c, "text": f"option {c}"} for c in "ab"]))
    for i in range(N_SUITES):
        (root / f"data/suites/s{i}.toml").write_text(SUITE.format(i=i))
        rows = [{"id": f"i{k}", "text": f"text {k} of {i}", "label": "ab"[k % 2]} for k in range(4)]
        (root / f"data/items-of-{i}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    n_contenders = max(1, n_cells // N_SUITES)
    entry = '[c{k}]\nprovider = "in-process"\nbaseline = "random"\nmodel = "random"\nsettings = {{ seed = {k} }}\ndisplay = {{ label = "C{k}" }}\n'
    (root / "data/contenders.toml").write_text("".join(entry.format(k=k) for k in range(n_contenders)))
    price = '[[price]]\nprovider = "in-process"\nmodel = "random"\nunbilled = true\nsource = "here"\nchecked_on = 2026-11-30\n'
    (root / "data/prices.toml").write_text(price)
    suites = ", ".join(f"s{i}" for i in range(N_SUITES))
    contenders = ", ".join(f"c{k}" for k in range(n_contenders))
    config = f"all: [big]\nreleases:\n  big:\n    title: Big\n    suites: [{suites}]\n    contenders: [{contenders}]\n"
    (root / "config.yaml").write_text(config)


def dry_run(folder: Path, target: list[str]) -> tuple[float, float]:
    """(CPU seconds, peak MB) of one dry run, of the process itself."""
    command = [sys.executable, "-m", "snakemake", "-n", "--quiet", "all", "--scheduler", "greedy", *target]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SNAKEMAKE", "DMB_"))}
    with tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=err)
        # the kernel's own account of this one child
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            err.seek(0)
            raise SystemExit(err.read()[-2000:])
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    main()
