"""``dmb run``: one run with an id of its own, through the workflow, and an exit code from its evidence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Annotated, Any

import typer


def run(
    id: Annotated[str, typer.Option("--id", help="Id of the run: its directory is runs/<id>, made new.")],
    release: Annotated[str | None, typer.Option(help="Release of config.yaml; default: the first under `all`.")] = None,
    suites: Annotated[str | None, typer.Option(help="Only these suites, with commas; ids or nicknames.")] = None,
    contenders: Annotated[str | None, typer.Option(help="Only these contenders, with commas.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Smoke run: a seeded subset of so many items of each suite.")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask again what stopped before its end; finished rows are kept.")
    ] = False,
    executor: Annotated[
        str | None,
        typer.Option(
            help="Where cells are asked: an executor of Snakemake's, such as slurm. Default: on this machine."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="A profile of Snakemake's with what your site needs; it adds to the project's own."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="At most so many jobs at once.")] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[-- SNAKEMAKE OPTIONS]", help="Handed on to Snakemake as they are.")
    ] = None,
) -> None:
    """Ask what is missing for a release, or for a part of it, and say how many rows were taken over and asked.

    Exit code: 0 complete, 2 usage, 3 execution failure, 4 budget stop, 5 authentication stop, 6 deadline stop.
    """
    from dmb.cli.handed_on import handed_on
    from dmb.errors import UsageError
    from dmb.planning.driver import OPTIONS_VARIABLE
    from dmb.planning.plan import Planner, Selection
    from dmb.planning.project import load_project
    from dmb.store.runs import check_run_id

    more = handed_on(executor, profile, jobs, words or [])
    check_run_id(id)
    project = load_project()
    name = release or project.config.all[0]
    selection = Selection(suites=_words(suites), contenders=_words(contenders), limit=limit, retry=retry)
    for given, option in ((suites, "--suites"), (contenders, "--contenders")):
        if given is not None and not _words(given):
            raise UsageError(f"{option}: names nothing; give at least one, with commas between")
    planned = Planner(project).release(name, selection)
    part = bool(selection.suites or selection.contenders or selection.limit)
    options = {
        "run": id,
        "release": name,
        "retry": retry or None,
        "suites": suites,
        "contenders": contenders,
        "limit": limit,
    }
    target = "selected" if part else f"results/{name}.md"
    command = [sys.executable, "-m", "snakemake", target, *more]
    # not by --config, which would read the id 1e5 as a number
    given = json.dumps({k: str(v) for k, v in options.items() if v is not None})
    code = _carried_out(command, {**os.environ, OPTIONS_VARIABLE: given})
    sys.exit(_conclude(id, [c.key for c in planned.cells], limit, code))


def _carried_out(command: list[str], env: dict[str, str]) -> int:
    """The workflow's exit code. Signals end it, and it ends the run; it is never killed, and never left behind.

    A terminal's Ctrl-C reaches it by itself: it cancels its jobs, which takes longer than the quarter of a second after
    which ``subprocess.run`` would kill it. SIGTERM is handed on: jobs at work are waited for, and no other begins.
    """
    with subprocess.Popen(command, env=env) as workflow:
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda number, _: workflow.send_signal(number))
        return workflow.wait()


def _words(text: str | None) -> tuple[str, ...]:
    return tuple(w.strip() for w in (text or "").split(",") if w.strip())


def _conclude(run_id: str, keys: list[str], limit: int | None, workflow_code: int) -> int:
    """Exit code from the manifest and the evidence; the workflow's own code counts only where no run was opened."""
    from dmb.errors import EXIT_COMPLETE, EXIT_EXECUTION
    from dmb.store.layout import run_dir
    from dmb.store.runs import receipts_of, run_status

    if not run_dir(run_id).exists():
        if workflow_code == 0:
            print(f"dmb: everything is asked already; run {run_id} was not opened")
            return EXIT_COMPLETE
        # below 0: ended by a signal
        return EXIT_EXECUTION if workflow_code <= 1 else workflow_code
    receipts = list(receipts_of(run_id).values())
    status = run_status(run_id)
    asked, imported = sum(r.n_asked for r in receipts), sum(r.n_imported for r in receipts)
    print(
        f"dmb: run {run_id}: {status}; {len(receipts)} cells, {asked} rows asked, {imported} rows taken over from earlier runs"
    )
    _print_not_valid(receipts, limit)
    return exit_code(status, [(r.status, r.stop_reason) for r in receipts], workflow_code)


def exit_code(status: str, endings: list[tuple[str, str | None]], workflow_code: int) -> int:
    """The first of execution, authentication, budget, deadline that happened; 0 when none did."""
    from dmb.errors import EXIT_AUTHENTICATION, EXIT_BUDGET, EXIT_COMPLETE, EXIT_DEADLINE, EXIT_EXECUTION, EXIT_ORDER
    from dmb.store.receipts import LANE_STOPPED

    happened = set()
    if status in ("failed", "interrupted", "running") or workflow_code != 0:
        happened.add(EXIT_EXECUTION)
    for ending, reason in endings:
        # the first word says what stopped it; what follows is for people, and may hold any word
        cause = (reason or "").removeprefix(f"{LANE_STOPPED}: ").partition(":")[0]
        if cause == "authentication":
            happened.add(EXIT_AUTHENTICATION)
        elif cause == "budget":
            happened.add(EXIT_BUDGET)
        elif ending == "dnf":
            happened.add(EXIT_DEADLINE)
        elif ending == "stopped":
            happened.add(EXIT_EXECUTION)
    return next((code for code in EXIT_ORDER if code in happened), EXIT_COMPLETE)


def _print_not_valid(receipts: list[Any], limit: int | None) -> None:
    """A smoke run ends with every outcome that is not valid, so that none goes unexplained."""
    if limit is None or not receipts:
        return
    from dmb.store.layout import decisions_file

    reasons: dict[tuple[str, str, str, str], int] = {}
    for r in receipts:
        path = decisions_file(r.run, r.contender, r.suite)
        if not path.exists():
            key = (r.contender, r.suite, "skipped", r.stop_reason or "")
            reasons[key] = reasons.get(key, 0) + r.n_expected
            continue

        for line in path.read_bytes().splitlines():
            row = json.loads(line)
            if row["outcome"] != "valid":
                key = (r.contender, r.suite, row["outcome"], row.get("reason") or "")
                reasons[key] = reasons.get(key, 0) + 1
    if not reasons:
        print("dmb: every decision of this smoke run is valid")
        return
    print("dmb: decisions of this smoke run that are not valid:")
    print(f"  {'contender':<24} {'suite':<20} {'outcome':<12} {'rows':>5}  reason")
    for (contender, suite, outcome, reason), n in sorted(reasons.items()):
        print(f"  {contender:<24} {suite:<20} {outcome:<12} {n:>5}  {reason[:90]}")
