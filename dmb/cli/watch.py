"""``dmb watch``: how far a run has come, from its files, while it runs or afterwards. Asks nothing, writes nothing."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dmb.planning.progress import RunNow
    from dmb.planning.watching import Watch

#: Seconds between two looks, for people and for pipes.
EVERY_S, EVERY_PIPED_S = 1.0, 2.0

#: A pipe hears at least this often that a run goes on, while it does.
HEARTBEAT_S = 60.0


def watch(
    run: Annotated[
        str | None, typer.Argument(help="Id of a run; default: the newest that is at work, otherwise the newest.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="One snapshot with a line for each cell, and end.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a line: a snapshot whenever something has changed.")
    ] = False,
) -> None:
    """Progress per cell, rate, spend against the caps and time left; ends by itself when the run has ended.

    Exit code: that of the run once it has ended, as `dmb run` gives it; 0 with --once, or after Ctrl-C.
    """
    from dmb.planning.watching import Watch, choose_run

    watched = Watch(choose_run(run, _now()))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a character that the terminal does not have is no reason to end
        sys.stdout.reconfigure(errors="replace")
    try:
        if once:
            _print_once(watched.look(_now()), as_json)
            return
        if as_json:
            code = _follow_as_json(watched)
        elif sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            code = _follow_on_a_terminal(watched)
        else:
            code = _follow_in_lines(watched)
    except KeyboardInterrupt:
        code = 0
    except BrokenPipeError:
        # whoever read has seen enough; nothing more may be flushed into the pipe at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def exit_code_of(run: RunNow) -> int | None:
    """What `dmb run` ends with for this run; None while it has not ended."""
    from dmb.cli.run import exit_code

    if not run.ended:
        return None
    endings = [(c.state, c.reason) for c in run.cells if c.state in ("dnf", "stopped", "skipped")]
    return exit_code("interrupted" if run.status == "gone" else run.status, endings, 0)


def _print_once(run: RunNow, as_json: bool) -> None:
    from dmb.cli.watch_words import ending_text, snapshot
    from dmb.planning.progress import as_json as plain_data

    code = exit_code_of(run)
    if as_json:
        print(json.dumps(plain_data(run, code)), flush=True)
        return
    print("\n".join([*snapshot(run), *([ending_text(run, code)] if code is not None else [])]), flush=True)


def _follow_as_json(watched: Watch) -> int:
    from dmb.planning.progress import as_json as plain_data

    last: dict[str, object] = {}
    while True:
        run = watched.look(_now())
        code = exit_code_of(run)
        data = plain_data(run, code)
        # rates and times run on by themselves; they are no news
        news = {
            k: v for k, v in data.items() if k not in ("at", "heard_at", "elapsed_s", "rows_per_s", "left_s", "lanes")
        }
        news["cells"] = [{**c, "rows_per_s": None, "left_s": None} for c in data["cells"]]
        if news != last:
            print(json.dumps(data), flush=True)
            last = news
        if code is not None:
            return code
        time.sleep(EVERY_PIPED_S)


def _follow_in_lines(watched: Watch) -> int:
    from dmb.cli.watch_words import changes, ending_text, heartbeat

    before: RunNow | None = None
    said_at, said_rows = time.monotonic(), -1
    while True:
        run = watched.look(_now())
        for line in changes(before, run):
            print(line, flush=True)
        if time.monotonic() - said_at >= HEARTBEAT_S:
            if run.n_done != said_rows:
                print(heartbeat(run), flush=True)
            said_at, said_rows = time.monotonic(), run.n_done
        if (code := exit_code_of(run)) is not None:
            print(ending_text(run, code), flush=True)
            return code
        before = run
        time.sleep(EVERY_PIPED_S)


def _follow_on_a_terminal(watched: Watch) -> int:
    from dmb.cli.watch_view import Style, frame
    from dmb.cli.watch_words import ending_text

    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    style = Style(colour="NO_COLOR" not in os.environ, unicode=encoding.startswith("utf"))
    drawn, size = 0, shutil.get_terminal_size()
    while True:
        run = watched.look(_now())
        if shutil.get_terminal_size() != size:
            # lines may have been wrapped anew: begin on a clean page
            size, drawn = shutil.get_terminal_size(), 0
            sys.stdout.write("\x1b[2J\x1b[H")
        lines = frame(run, size.columns - 1, max(4, size.lines - 2), style)
        # back to the first line, each line over the old one, and away with what the old picture had more
        back = f"\x1b[{drawn}A" if drawn else ""
        sys.stdout.write(back + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J")
        sys.stdout.flush()
        drawn = len(lines)
        if (code := exit_code_of(run)) is not None:
            print(ending_text(run, code), flush=True)
            return code
        time.sleep(EVERY_S)
