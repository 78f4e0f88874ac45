"""``dmb report``: a report of runs that are on disk, merged. Asks nobody; scores and draws, and changes no evidence."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def report(
    runs: Annotated[
        list[str], typer.Option("--runs", help="A run's id or directory, with all that follow: later ones win.")
    ],
    more: Annotated[list[str] | None, typer.Argument(help="Further runs, in order.")] = None,
    release: Annotated[
        str, typer.Option(help="Name of the report: results/<name>.md and what belongs to it.")
    ] = "merged",
    allow_protocol_mix: Annotated[
        bool,
        typer.Option("--allow-protocol-mix", help="Merge runs of different protocols, and print where they differ."),
    ] = False,
) -> None:
    """Check the runs, put a later run's cells in the place of an earlier one's, and publish the result.

    Exit code: 0 published, 2 runs that cannot stand together or a name that is taken, 3 evidence missing or damaged.
    """
    from dmb.merge.merged import merge_runs
    from dmb.planning.project import load_project
    from dmb.publish.document import document_bytes
    from dmb.publish.of_runs import document_of_runs
    from dmb.publish.rebuild import rebuild
    from dmb.publish.write import publish
    from dmb.store.layout import RESULTS

    project = load_project()
    _must_be_free(release, set(project.config.releases))
    merged = merge_runs([*runs, *(more or ())], allow_protocol_mix)
    mix = " --allow-protocol-mix" if allow_protocol_mix else ""
    command = f"dmb report --runs {' '.join(run.id for run in merged.runs)} --release {release}{mix}"
    document = document_of_runs(project, merged, release, command)
    made = publish(rebuild(document), RESULTS, document_bytes(document))
    for run in merged.runs:
        if run.simulated:
            print(f"dmb: run {run.id} holds simulated answers; they are marked wherever they show", file=sys.stderr)
    for note in merged.notes:
        print(f"dmb: {note.what} {note.why}", file=sys.stderr)
    print(f"dmb: {len(document.cells)} cells of {len(document.runs)} runs; published {made[-1]}")


def _must_be_free(name: str, planned: set[str]) -> None:
    """A merged report does not take the place of a release that the workflow builds, or of a sealed one."""
    import re

    from dmb.errors import UsageError
    from dmb.planning.rehearsal import SUFFIX
    from dmb.store.layout import RESULTS

    if not re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", name) or len(name) > 60:
        raise UsageError(f"--release: {name!r} is no name; use lower-case words and digits joined by hyphens")
    if name in planned or name.removesuffix(SUFFIX) in planned:
        raise UsageError(
            f"--release: {name!r} is a release of config.yaml, which snakemake builds; choose another name"
        )
    if (RESULTS / name / "MANIFEST.sha256").exists():
        raise UsageError(f"--release: {name!r} is sealed and never changes; choose another name")
