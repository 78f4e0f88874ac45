"""A run's progress in words: for pipes, for a last look, and for the parts of a terminal's picture. Pure."""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal

from dmb.contracts.attempt import OUTCOMES
from dmb.planning.progress import OPEN, CellNow, RunNow, Spend

_ORDER = ("asking", "preparing", "waiting", "complete", "dnf", "stopped", "failed", "unfinished", "skipped")


def duration(seconds: float) -> str:
    """Such as ``23 s``, ``4 min 12 s``, ``38 min``, ``1 h 04 min``, ``2 d 3 h``: ten characters at most."""
    s = round(seconds)
    if s < 60:
        return f"{s} s"
    if s < 600:
        return f"{s // 60} min {s % 60:02} s"
    if s < 3600:
        return f"{s // 60} min"
    if s < 86_400:
        return f"{s // 3600} h {s % 3600 // 60:02} min"
    return f"{s // 86_400} d {s % 86_400 // 3600} h"


def rate_text(rate: float | None) -> str:
    """Rows a second, or a minute where they are few; empty where it cannot be told."""
    if rate is None:
        return ""
    if rate < 0.1:
        return f"{rate * 60:.1f}/min"
    return f"{rate:.1f}/s" if rate < 100 else f"{rate:,.0f}/s"


def left_text(run: RunNow) -> str:
    """How long it will take yet; what cannot be told is said."""
    if run.ended or not run.cells:
        return ""
    if not run.n_left:
        return "no rows left to ask" if any(c.state in OPEN for c in run.cells) else "scoring and publishing"
    if run.left_s is None:
        return "time left unknown"
    return f"{'at least ' if run.left_unknown else ''}{duration(run.left_s)} left"


def usd(amount: Decimal) -> str:
    """Cents, or four digits where it is less than a tenth of a dollar."""
    return f"{amount:,.2f}" if amount == 0 or amount >= Decimal("0.1") else f"{amount:.4f}"


def spend_parts(spend: Spend) -> list[str]:
    """The release's spend against its caps, and what of it is this run's."""
    cap = "" if spend.hard_usd is None else f" of {spend.hard_usd.normalize():f}"
    if spend.problem is not None:
        return [f"spend unknown: {one_line(spend.problem)}"]
    if spend.committed_usd is None:
        return ["spend unknown"]
    if not spend.committed_usd:
        return [f"nothing spent{cap and cap + ' USD'}"]
    parts = [f"{usd(spend.committed_usd)}{cap} USD spent"]
    if spend.soft_usd is not None:
        parts.append(f"{'above the ' if is_above_soft(spend) else ''}soft cap {spend.soft_usd.normalize():f}")
    if spend.run_usd is not None and spend.run_usd != spend.committed_usd:
        parts.append(f"{usd(spend.run_usd)} by this run")
    if spend.reserved_usd:
        parts.append(f"{usd(spend.reserved_usd)} reserved")
    if spend.unsettled_usd:
        parts.append(f"{usd(spend.unsettled_usd)} unsettled")
    return parts


def is_above_soft(spend: Spend) -> bool:
    """Whether the release has spent more than what it is warned at."""
    return spend.committed_usd is not None and spend.soft_usd is not None and spend.committed_usd > spend.soft_usd


def status_text(run: RunNow) -> str:
    """Such as ``running for 4 min 12 s``, ``complete after 9 min``, ``its process is gone``.

    Of a process on another host also when it was last heard of: nobody here can see whether it lives.
    """
    if run.status == "gone":
        return "its process is gone"
    if run.elapsed_s is None:
        return run.status if run.ended else "being opened"
    what = f"{'simulated, ' if run.simulated else ''}{run.status}"
    where = "" if run.ended or run.host is None else f" on {one_line(run.host)}"
    heard = "" if not where or run.heard_at is None else f", last heartbeat {_ago(run.at - run.heard_at)}"
    return f"{what}{where} {'after' if run.ended else 'for'} {duration(run.elapsed_s)}{heard}"


def _ago(age: dt.timedelta) -> str:
    # its clock and ours may differ by a little
    return f"{duration(max(0.0, age.total_seconds()))} ago"


def ending_text(run: RunNow, exit_code: int) -> str:
    """The last line about a run that has ended."""
    words = {"gone": "its process is gone; the next start marks it interrupted and goes on where it stopped"}
    return f"run {run.run}: {words.get(run.status, run.status)}; exit {exit_code}"


def totals_parts(run: RunNow) -> list[str]:
    """Rows, rate and time left of the whole run."""
    if not run.cells:
        return ["no plan yet"]
    rows = f"{run.n_done:,} of {run.n_expected:,} rows"
    return [part for part in (rows, rate_text(run.rate), left_text(run)) if part]


def counts_parts(cells: Iterable[CellNow]) -> list[str]:
    """Cells by state."""
    states: dict[str, int] = {}
    for cell in cells:
        states[cell.state] = states.get(cell.state, 0) + 1
    said = [f"{states[s]:,} {s}" for s in _ORDER if s in states]
    return [f"{cells_text(sum(states.values()))}: {said[0]}", *said[1:]] if said else ["no cells"]


def cells_text(n: int) -> str:
    """How many cells."""
    return f"{n:,} cell" if n == 1 else f"{n:,} cells"


def state_text(cell: CellNow) -> str:
    """The state, and why."""
    return f"{cell.state} ({one_line(cell.reason)})" if cell.reason else cell.state


def cell_text(cell: CellNow) -> str:
    """All that is known of a cell."""
    parts = [f"{cell.n_done:,} of {cell.n_expected:,} rows"]
    if cell.state == "skipped":
        parts = [f"{cell.n_expected:,} rows not asked"]
    if cell.n_taken_over:
        parts.append(f"{cell.n_taken_over:,} taken over")
    parts += [f"{n:,} {o}" for o in OUTCOMES if (n := cell.outcomes.get(o)) and o not in ("valid", "skipped")]
    if cell.rate is not None and cell.left_s is not None:
        parts += [rate_text(cell.rate), f"{duration(cell.left_s)} left"]
    if cell.n_unreadable:
        parts.append(f"{cell.n_unreadable:,} lines of its log are damaged")
    return ", ".join([state_text(cell), *parts])


def one_line(text: str) -> str:
    """A text from a log or a server as one line that cannot steer a terminal, each character one column wide."""
    shown = (c for c in " ".join(text.split()) if not unicodedata.combining(c))
    return "".join(c if c.isprintable() and unicodedata.east_asian_width(c) not in "WF" else "?" for c in shown)


def snapshot(run: RunNow) -> list[str]:
    """Everything, one line a cell."""
    width = max((len(c.name) for c in run.cells), default=0)
    return [
        f"run {run.run}: {status_text(run)}",
        ", ".join(totals_parts(run)),
        ", ".join(spend_parts(run.spend)),
        *(f"{c.name:<{width}}  {cell_text(c)}" for c in run.cells),
    ]


def changes(before: RunNow | None, after: RunNow) -> Iterator[str]:
    """One line for each thing that has happened between two looks; the first look says how things stand."""
    clock = _clock(after)
    if before is None:
        yield f"{clock} run {after.run}: {status_text(after)}; {', '.join(counts_parts(after.cells))}"
    was = {c.name: (c.state, c.reason) for c in before.cells} if before is not None else {}
    for cell in after.cells:
        is_news = cell.state == "asking" if before is None else was.get(cell.name) != (cell.state, cell.reason)
        if is_news and cell.state not in ("waiting", "preparing"):
            yield f"{clock} {cell.name}: {cell_text(cell)}"
    stopped = {lane.id for lane in before.lanes if lane.stopped is not None} if before is not None else set()
    for lane in after.lanes:
        if lane.stopped is not None and lane.id not in stopped:
            yield f"{clock} lane {lane.id} stopped: {one_line(lane.stopped)}"
    if before is not None and is_above_soft(after.spend) and not is_above_soft(before.spend):
        yield f"{clock} {', '.join(spend_parts(after.spend))}"


def heartbeat(run: RunNow) -> str:
    """How far it has come, on one line."""
    return f"{_clock(run)} {', '.join(totals_parts(run))}; {', '.join(spend_parts(run.spend))}"


def _clock(run: RunNow) -> str:
    return run.at.astimezone(dt.UTC).strftime("%H:%M:%S")
