"""One start in the current folder, in the steps of the workflow and without the workflow, which takes seconds to begin.

Usage: python start.py RELEASE OPTIONS        OPTIONS: what `dmb run` hands on, as JSON

Sweep, plan, open the run, ask every cell that is to be asked in a process of its own, close the run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

CORES = 4

if __name__ == "__main__":
    sys.path[0] = str(Path.cwd())
    sys.path.append(str(Path(__file__).parent))
    import aimed

    aimed.arm("start")
    from dmb.cli.jobs import items
    from dmb.errors import DmbError
    from dmb.planning.driver import Driver
    from dmb.planning.plan import PlannedCell


def _build_items(cell: PlannedCell) -> None:
    path, texts = cell.job["items"]["path"], cell.job["texts"]
    if not Path(path).exists():
        items(cell.suite, cell.job["items"]["sha256"][:12], path, texts)


def _as_the_workflow_has_it(cell: PlannedCell) -> Any:
    wildcards = SimpleNamespace(contender=cell.contender, suite=cell.suite, cell=cell.key[:16])
    return SimpleNamespace(rule=SimpleNamespace(name="ask"), wildcards=wildcards, output=[str(cell.receipt)])


def _ask(cells: list[PlannedCell]) -> bool:
    """Whether every job ended well."""
    program = [sys.executable, "-m", "dmb"]
    if aimed.KILL_VARIABLE in os.environ or aimed.HOST_VARIABLE in os.environ:
        program = [sys.executable, aimed.__file__]
    waiting, at_work, begun = list(cells), [], []
    while waiting or at_work:
        while waiting and len(at_work) < CORES:
            c = waiting.pop(0)
            begun.append(subprocess.Popen([*program, "ask", c.key[:16], str(c.receipt)]))
            at_work.append(begun[-1])
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        at_work = [p for p in at_work if p.poll() is None]
    return not any(p.returncode for p in begun)


def main(release: str, options: dict[str, Any]) -> int:
    """Exit code: 1 where a job failed."""
    driver = Driver(options, dry=False)
    planned = driver._release_plan(release)
    cells = [c for c in planned.cells if c.asks]
    for cell in cells:
        _build_items(cell)
    print("planned", flush=True)
    driver.start([_as_the_workflow_has_it(c) for c in cells], touch=False, here=True)
    well = _ask(cells)
    driver.end(success=well)
    return 0 if well else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], json.loads(sys.argv[2])))
    except DmbError as e:
        print(f"dmb: {e}", file=sys.stderr)
        sys.exit(e.exit_code)
