"""The command line: a thin front, one file a command; the workflow does the work.

Jobs of the workflow pass through here too, so nothing is loaded before it is wanted.
"""

from __future__ import annotations


def main() -> None:
    """Entry point of the commands."""
    from dmb.cli.app import run_app

    run_app()
