"""``dmb doctor``: whether a folder gives what shared state needs, on this host and between hosts."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

#: Where one step of a cluster's job says which it is: every process that it starts meets the others by that name.
_STEP = ("SLURM_JOB_ID", "SLURM_STEP_ID")


def doctor(
    directory: Annotated[Path, typer.Argument(help="A project's folder, or any other.")] = Path(),
    peers: Annotated[
        int | None, typer.Option(min=2, help="So many processes, started on several hosts, try it together.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="A word that all peers are given; in a Slurm step, that of the step.")
    ] = None,
    wait: Annotated[float, typer.Option(min=1.0, help="Seconds that peers wait for each other.")] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Try what shared state needs of the file system. In a project's folder, what peers find is kept in runs/_hosts/.

    Exit code: 0 all that is needed is there, 2 usage, 3 something failed, or peers did not come.
    """
    from dmb.doctor.check import as_json as object_of
    from dmb.doctor.check import exit_code, table
    from dmb.errors import DmbError, UsageError
    from dmb.takeover import PROOFS

    if not directory.is_dir():
        raise UsageError(f"{directory}: is no folder; give one that is there")
    is_project = (directory / "config.yaml").is_file()
    # the evidence may lie on a file system of its own
    where = directory / PROOFS if is_project else directory
    try:
        where.mkdir(parents=True, exist_ok=True)
        if peers is None:
            from dmb.doctor.alone import examine

            number, checks, kept = 0, examine(where), None
        else:
            from dmb.doctor.peers import examine_together, keep_proof

            word = _token(token)
            number, checks, proof = examine_together(where, peers, word, wait)
            kept = keep_proof(directory, proof, word) if is_project and number == 0 else None
    except OSError as e:
        raise DmbError(f"{e.filename or where}: {e.strerror or e}; nothing could be tried") from None
    if number == 0:
        print(json.dumps(object_of(checks), indent=1) if as_json else table(checks))
        if kept is not None and not as_json:
            print(f"kept in {kept}")
    sys.exit(exit_code(checks))


def _token(given: str | None) -> str:
    from dmb.errors import UsageError

    word = given if given is not None else ".".join(os.environ.get(name, "") for name in _STEP).strip(".")
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,60}", word):
        raise UsageError("--token: give all peers the same word, of letters, digits, '.', '-' and '_'")
    return word
