"""The commands, put together."""

from __future__ import annotations

import sys
from functools import cache
from typing import Annotated

import typer

import dmb
from dmb.errors import EXIT_USAGE, DmbError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="An independent, reproducible benchmark of typed decisions. `snakemake results/<release>.md` builds a release.",
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"dmb {dmb.__version__}")
        raise typer.Exit()


@app.callback()
def _front(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Options that stand before a command."""


@cache
def _register() -> None:
    from dmb.cli import (
        archive,
        audit,
        doctor,
        explain,
        export,
        release_lock,
        report,
        run,
        seal,
        simulate,
        verify,
        watch,
    )

    app.command("run")(run.run)
    app.command("audit")(audit.audit)
    app.command("doctor")(doctor.doctor)
    app.command("export")(export.export)
    app.command("release-lock")(release_lock.release_lock)
    app.command("report")(report.report)
    app.command("simulate")(simulate.simulate)
    app.command("watch")(watch.watch)
    app.command("verify")(verify.verify)
    app.command("archive")(archive.archive)
    app.command("restore")(archive.restore)
    app.command("seal")(seal.seal)
    app.command("corrections")(seal.corrections)
    app.command("explain")(explain.explain)


#: What the command-line library raises for a call that it cannot read; it has no public name of its own.
_Unreadable = typer.BadParameter.__base__


def run_app() -> None:
    """Run the command that was typed: errors meant for people are one line on stderr and a documented exit code."""
    _register()
    try:
        sys.exit(app(standalone_mode=False))
    except _Unreadable as e:
        if not sys.argv[1:]:
            e.show()  # the list of commands
        else:
            said = " ".join(e.format_message().split()).rstrip(".")
            print(f"dmb: {said}; `{_name_of(e.ctx)} --help` says what it takes", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    except DmbError as e:
        print(f"dmb: {e}", file=sys.stderr)
        sys.exit(e.exit_code)


def _name_of(context: typer.Context | None) -> str:
    """The command as it is typed, whichever way this process was started."""
    return "dmb" if context is None or context.parent is None else f"dmb {context.info_name}"
