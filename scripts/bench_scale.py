"""What many cells cost: dry runs and real runs of made-up projects, beside a bare workflow with as many jobs.

    python scripts/bench_scale.py [--dry 20 200 2000] [--run 20] [--minutes 30]

A project of n cells has about the square root of n contenders, of four made-up providers that bill, and the rest is suites of
four items, every fifth of which is compared with the one before it. It lies in a temporary folder, which is removed.

Dry runs are `snakemake --dry-run results/big.md` as a user types it, with nothing built and with everything built (for the
latter, the files that a dry run looks at are made up). A real run asks `dmb simulate`, scores and publishes. CPU seconds are
the kernel's own account of each process, children included. What a cell costs is split: what jobs take before their first
line and in imports; the rest of the jobs, and DMB's planning, opening and closing in the main process; and what remains,
which is Snakemake with its imports, shells, and the ending of interpreters. Stops before a size for which the minutes would not do.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
PROVIDERS = 4
KEY_VARIABLE = "BENCH_SCALE_KEY"

#: A command that takes longer is given up.
LIMIT_S = 3 * 3600

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

COMPARED = """\
id = "s{i}"
title = "Synthetic {i}"
description = "For measuring only."
publish_text = true
[items]
builder = "order-stability"
suite = "s{other}"
params = {{ seed = 1, n = 2, permutations = 1 }}
[question]
same_as = "s{other}"
[metrics]
compare_with = "s{other}"
"""

CONTENDER = """\
[c{k}]
provider = "lab-{p}"
wire = "chat_completions"
model = "m{k}"
settings = {{ structured = "json_schema", temperature = 0, max_output_tokens = 64 }}
display = {{ label = "C{k}" }}
"""

PROVIDER = """\
[lab-{p}]
address = "https://lab-{p}.example"
credential = ["{variable}"]
"""

PRICE = """\
[[price]]
provider = "lab-{p}"
model = "m{k}"
input = "0.20"
output = "1.{k}"
source = "made up"
checked_on = 2026-11-30
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

#: Found by every interpreter of a measured run: each leaves its CPU, how much of it went by before it began and in imports,
#: and in the main process how much of it DMB's driver took.
SPY = """\
import atexit, builtins, functools, json, os, sys, threading, time
words = sys.orig_argv[1:]
module = words[words.index("-m") + 1] if "-m" in words else None
spent = {"imports": sum(os.times()[:2]), "driver": 0.0}
inside = threading.local()
def timed(function, what):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if getattr(inside, what, False):
            return function(*args, **kwargs)
        setattr(inside, what, True)
        began = time.thread_time()
        try:
            return function(*args, **kwargs)
        finally:
            setattr(inside, what, False)
            spent[what] += time.thread_time() - began
    return wrapped
if module in ("dmb", "snakemake"):
    what = words[words.index("-m") + 2] if module == "dmb" else "main"
    def leave():
        row = {"what": what, "cpu": sum(os.times()[:2]), **spent}
        with open(os.environ["BENCH_SPY"], "a") as f:
            f.write(json.dumps(row) + "\\n")
    atexit.register(leave)
    if module == "snakemake":
        sys.path.insert(0, os.getcwd())
        from dmb.planning.driver import Driver
        for name, function in list(vars(Driver).items()):
            if callable(function):
                setattr(Driver, name, timed(function, "driver"))
    builtins.__import__ = timed(builtins.__import__, "imports")
"""

#: Makes up all that a dry run looks at where everything is built.
BUILD_UP = """\
from pathlib import Path
from dmb.planning.plan import Planner
from dmb.planning.project import load_project
for _ in range(2):
    planned = Planner(load_project()).release("big")
    for c in planned.cells:
        c.receipt.parent.mkdir(parents=True, exist_ok=True)
        c.receipt.write_text('{"status": "complete", "stop_reason": null}')
        c.score.write_text("{}")
Path("results/big").mkdir(parents=True, exist_ok=True)
Path("results/big.html").write_text("")
Path("results/big.cells.json").write_text("")
Path("results/big.md").write_text(f"<!-- release-key: {planned.key} -->")
"""


class Used(NamedTuple):
    """Of one command with all its children: CPU and wall seconds, and the peak memory of the largest process in MB."""

    cpu_s: float
    wall_s: float
    peak_mb: float


def main() -> None:
    """Measure what the command line names, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--dry", type=int, nargs="*", default=[20, 200, 2000], metavar="CELLS", help="sizes of dry runs"
    )
    parser.add_argument("--run", type=int, nargs="*", default=[20], metavar="CELLS", help="sizes of real runs")
    parser.add_argument(
        "--minutes", type=float, default=30, help="begin no size that would take longer than what is left"
    )
    args = parser.parse_args()
    deadline = time.monotonic() + 60 * args.minutes
    for sizes, title, measure in ((args.dry, DRY, _dry), (args.run, RUN, _run)):
        if sizes:
            print(title, flush=True)
        _table(sizes, measure, deadline)


def _table(sizes: Sequence[int], measure, deadline: float) -> None:
    per_cell = 0.0
    for n in sizes:
        if time.monotonic() + per_cell * n > deadline:
            why = f"it would take {per_cell * n / 60:.0f} minutes" if per_cell else "no time is left for it"
            print(f"{n:>7}  not measured: {why}", flush=True)
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="dmb-scale-") as folder:
            print(measure(Path(folder), n), flush=True)
        per_cell = (time.monotonic() - began) / n


DRY = """\
snakemake --dry-run           nothing built              everything built           DMB's plan      bare workflow
  cells    files      CPU s  wall s    MB        CPU s  wall s    MB          CPU s     MB      CPU s    MB"""


def _dry(folder: Path, n: int) -> str:
    ours, bare = folder / "dmb", folder / "bare"
    cells = make_project(ours, n)
    bare.mkdir()
    (bare / "Snakefile").write_text(BARE.format(n=cells))
    plan = "from dmb.planning.plan import Planner; from dmb.planning.project import load_project; Planner(load_project()).release('big')"
    dry = [sys.executable, "-m", "snakemake", "--dry-run", "--scheduler", "greedy"]
    use([sys.executable, "-c", plan], ours)  # compiles the copy, and remembers what the code means
    nothing = use([*dry, "results/big.md"], ours)
    planned = use([sys.executable, "-c", plan], ours)
    use([sys.executable, "-c", BUILD_UP], ours)
    built = use([*dry, "results/big.md"], ours, expect="Nothing to be done")
    beside = use([*dry, "report.md"], bare)
    files = sum(len(names) for _, _, names in os.walk(ours))
    columns = [
        *(f"{u.cpu_s:10.1f} {u.wall_s:7.1f} {u.peak_mb:6.0f}" for u in (nothing, built)),
        *(f"{u.cpu_s:10.1f} {u.peak_mb:6.0f}" for u in (planned, beside)),
    ]
    return f"{cells:>7} {files:>8} " + "   ".join(columns)


#: Jobs that have a column of their own; those that freeze items stand with the planning.
SHOWN = ("ask", "score", "publish")

RUN = """
snakemake results/big-simulated.md: CPU s a cell
  cells   wall s   CPU s     MB    interpreter, imports   snakemake       DMB:  plan, open, close     ask   score   publish    all of DMB"""


def _run(folder: Path, n: int) -> str:
    ours, spy = folder / "dmb", folder / "spy"
    cells = make_project(ours, n)
    spy.mkdir()
    (spy / "sitecustomize.py").write_text(SPY)
    log = spy / "log.jsonl"
    # compiles the copy, and remembers what the code means
    use([sys.executable, "-m", "snakemake", "--dry-run", "results/big.md"], ours)
    with simulator(ours) as address:
        env = {"DMB_SIMULATOR": address, "PYTHONPATH": str(spy), "BENCH_SPY": str(log)}
        used = use([sys.executable, "-m", "snakemake", "--quiet", "all", "--", "results/big-simulated.md"], ours, env)
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    jobs = [r for r in rows if r["what"] != "main"]
    starting = sum(r["imports"] for r in jobs)
    driving = sum(r["driver"] for r in rows)
    own: Counter[str] = Counter()
    for r in jobs:
        own[r["what"] if r["what"] in SHOWN else "items"] += r["cpu"] - r["imports"]
    others = used.cpu_s - sum(r["cpu"] for r in jobs) - driving
    parts = [starting, others, driving + own["items"], *(own[job] for job in SHOWN), driving + own.total()]
    return f"{cells:>7} {used.wall_s:8.0f} {used.cpu_s:7.0f} {used.peak_mb:6.0f}" + "".join(
        f"{part / cells:{width}.3f}" for part, width in zip(parts, (24, 12, 28, 8, 8, 10, 14), strict=True)
    )


def make_project(root: Path, n: int) -> int:
    """A project of about ``n`` cells in which nothing was built; returns how many."""
    n_contenders = max(1, round((n / 2) ** 0.5))
    n_suites = max(1, round(n / n_contenders))
    root.mkdir()
    for name in ("rules", "profiles", "dmb"):
        shutil.copytree(PROJECT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "Snakefile", root / "Snakefile")
    (root / "data/suites").mkdir(parents=True)
    (root / "data/sources.toml").write_text("[sources]\n")
    (root / "data/labels.json").write_text(json.dumps([{"id": c, "text": f"option {c}"} for c in "ab"]))
    for i in range(n_suites):
        text = COMPARED.format(i=i, other=i - 1) if i % 5 == 4 else SUITE.format(i=i)
        (root / f"data/suites/s{i}.toml").write_text(text)
        rows = [{"id": f"i{k}", "text": f"text {k} of {i}", "label": "ab"[k % 2]} for k in range(4)]
        (root / f"data/items-of-{i}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    write = {
        "providers": (PROVIDER, PROVIDERS),
        "contenders": (CONTENDER, n_contenders),
        "prices": (PRICE, n_contenders),
    }
    for name, (text, count) in write.items():
        entries = [text.format(k=k, p=k % PROVIDERS, variable=KEY_VARIABLE) for k in range(count)]
        (root / f"data/{name}.toml").write_text("\n".join(entries))
    # the fifth of a row of suites is compared with the fourth, so its place in the file is free
    suites, contenders = (", ".join(f"{c}{i}" for i in range(m)) for c, m in (("s", n_suites), ("c", n_contenders)))
    (root / "config.yaml").write_text(
        f"all: [big]\nreleases:\n  big:\n    title: Big\n    suites: [{suites}]\n    contenders: [{contenders}]\n"
    )
    return n_contenders * n_suites


@contextmanager
def simulator(root: Path) -> Iterator[str]:
    """Address of a provider on loopback that serves the project's contenders."""
    command = [sys.executable, "-m", "dmb", "simulate", "--port", "0", "--release", "big"]
    child = subprocess.Popen(command, cwd=root, env=_environment({}), stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        told = next((m[1] for line in child.stdout if (m := re.search(r"DMB_SIMULATOR=(\S+)", line))), None)
        if told is None:
            raise SystemExit("dmb simulate did not say where it listens")
        yield told
    finally:
        child.terminate()
        child.wait()


def use(command: Sequence[str], folder: Path, env: Mapping[str, str] = {}, expect: str = "") -> Used:
    """Run it to its end. Ends this program with what it said where it fails, or does not say what is expected."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, cwd=folder, env=_environment(env), stdout=said, stderr=subprocess.STDOUT)
        alarm = _ends_in(child, LIMIT_S)
        # the kernel's own account of this child and of those that it has waited for
        _, status, used = os.wait4(child.pid, 0)
        alarm.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    if child.returncode != 0 or expect not in text:
        raise SystemExit(f"{' '.join(command)[:200]}: ended with {child.returncode}\n{text[-2000:]}")
    return Used(used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024)


def _ends_in(child: subprocess.Popen, seconds: float):
    import threading

    alarm = threading.Timer(seconds, child.kill)
    alarm.daemon = True
    alarm.start()
    return alarm


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    ours = ("SNAKEMAKE", "DMB_", "PYTHONDONTWRITEBYTECODE")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    return kept | {KEY_VARIABLE: "made-up-key", "PYDANTIC_DISABLE_PLUGINS": "__all__", **more}


if __name__ == "__main__":
    main()
