"""``dmb release-lock``: what is taken by whom, and the user's word that an owner is gone whom nobody here can see."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def release_lock(
    what: Annotated[
        list[str] | None, typer.Argument(help="Run (its cells too), folder of a cell, or `start`; default: list all.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="All that this host has taken.")] = None,
) -> None:
    """Declare the owner of a run, a cell or a start dead, on a host that is gone. Watches it for 15 s first.

    Exit code: 0 released (or listed), 2 usage, 3 where an owner lives: its lock is held, or it was heard of meanwhile.
    """
    from dmb.store.abandoned import chosen, release, taken
    from dmb.store.locks import now

    if not what and host is None:
        there = taken()
        for t in there:
            print(f"{t.name}: taken by {t.owner.text(now())}; {t.standing().why}")
        if not there:
            print("nothing is taken")
        return
    refused = 0
    for t, why_not in release(chosen(what or [], host)):
        refused += why_not is not None
        if why_not is None:
            print(f"{t.name}: is free now; it was left by {t.owner.text(now())}")
        else:
            print(f"dmb: {t.name}: stays with {t.owner.text(now())}: {why_not}", file=sys.stderr)
    if refused:
        sys.exit(3)
