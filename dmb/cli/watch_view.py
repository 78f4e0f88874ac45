"""A run's progress as a picture for a terminal of some size. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dmb.cli.watch_words import (
    cells_text,
    counts_parts,
    duration,
    is_above_soft,
    left_text,
    one_line,
    rate_text,
    spend_parts,
    state_text,
    status_text,
)
from dmb.planning.progress import CellNow, RunNow, State

#: Colours by what they mean, as ANSI numbers.
_CODES = {"strong": "1", "quiet": "2", "warn": "33", "bad": "31", "bar": "36"}

_PAINT: dict[State, str] = {"dnf": "warn", "stopped": "warn", "failed": "bad", "unfinished": "warn"}

_SHORTEST_BAR, _LONGEST_BAR = 6, 24

#: Columns of a rate and of a time left.
_RATE, _LEFT = 8, 10


@dataclass(frozen=True, slots=True)
class Style:
    """What the terminal can show."""

    colour: bool = False
    unicode: bool = True

    def paint(self, text: str, meaning: str) -> str:
        """The text in the colour of its meaning; as it is where there are no colours."""
        return f"\x1b[{_CODES[meaning]}m{text}\x1b[0m" if self.colour and text else text

    @property
    def dot(self) -> str:
        """What stands between two facts on a line."""
        return " · " if self.unicode else ", "

    def fit(self, text: str, width: int) -> str:
        """The text, cut to that many columns."""
        return text if len(text) <= width else text[: max(0, width - 1)] + ("…" if self.unicode else "~")

    def wrap(self, parts: Iterable[str], width: int) -> list[str]:
        """Facts side by side, on as many lines as it takes."""
        lines: list[str] = []
        for part in parts:
            if lines and len(lines[-1]) + len(self.dot) + len(part) <= width:
                lines[-1] += self.dot + part
            else:
                lines.append(self.fit(part, width))
        return lines

    def bar(self, done: int, expected: int, width: int) -> str:
        """A bar of that width; full only when all is done."""
        full, empty = ("━", "╌") if self.unicode else ("=", "-")
        filled = width if done >= expected else min(width - 1, round(width * done / expected))
        return self.paint(full * filled, "bar") + self.paint(empty * (width - filled), "quiet")


def frame(run: RunNow, width: int, height: int, style: Style) -> list[str]:
    """At most ``height`` lines of at most ``width`` columns: totals, the cells that are asked, what went otherwise."""
    head = [*_title(run, width, style), *_totals(run, width, style), *_money(run, width, style)]
    counts = [style.paint(line, "quiet") for line in style.wrap(counts_parts(run.cells), width)]
    remarks = [*_stopped_lanes(run, width, style), *_skipped(run, width, style)]
    asking = [c for c in run.cells if c.state in ("asking", "preparing")]
    odd = [c for c in run.cells if c.state in ("failed", "stopped", "dnf", "unfinished")]
    cells = _cell_lines([*asking, *odd], width, style)
    n_lines = sum(map(len, cells))
    if len(head) + n_lines + len(remarks) + len(counts) + 2 <= height:
        shown = [line for of_cell in cells for line in of_cell]
        return [*head, "", *shown, *([""] if shown else []), *remarks, *counts]
    # a low window: the cells that are asked are what it is for
    return [*head, *_as_many(cells, height - len(head) - len(counts), style), *counts][:height]


def _title(run: RunNow, width: int, style: Style) -> list[str]:
    status, left = status_text(run), left_text(run)
    gap = width - len(run.run) - len(style.dot) - len(status) - len(left)
    if gap >= 2:
        return [style.paint(run.run, "strong") + style.dot + status + " " * gap * bool(left) + left]
    name, *rest = style.wrap([run.run, status], width)
    name = style.paint(name[: len(run.run)], "strong") + name[len(run.run) :]
    return [name, *rest, *([style.fit(left, width)] if left else [])]


def _totals(run: RunNow, width: int, style: Style) -> list[str]:
    if not run.cells:
        return [style.paint("no plan yet", "quiet")]
    done, expected = run.n_done, run.n_expected
    # 99 until all is done
    percent = f"{100 if done >= expected else min(99, round(100 * done / expected)):>3} %"
    parts = [f"{done:,} of {expected:,} rows", percent, rate_text(run.rate)]
    bar = width - sum(len(part) + 2 for part in parts if part)
    if bar >= _SHORTEST_BAR:
        parts.insert(1, style.bar(done, expected, bar))
        return ["  ".join(part for part in parts if part)]
    return style.wrap([part.strip() for part in parts if part], width)


def _money(run: RunNow, width: int, style: Style) -> list[str]:
    lines = style.wrap(spend_parts(run.spend), width)
    if run.spend.problem is not None:
        return [style.paint(line, "bad") for line in lines]
    return [style.paint(line, "warn") for line in lines] if is_above_soft(run.spend) else lines


def _cell_lines(cells: Sequence[CellNow], width: int, style: Style) -> list[list[str]]:
    """The lines of each cell, aligned: name, bar, rows, rate, time left, a remark.

    Where that does not fit, the name has a line of its own.
    """
    if not cells:
        return []
    rows = [f"{c.n_done:,}/{c.n_expected:,}" for c in cells]
    names, counts = max(len(c.name) for c in cells), max(map(len, rows))
    numbers = counts + 2 + _RATE + 2 + _LEFT
    apart = names + 2 + numbers > width
    before = 2 if apart else names + 2
    bar = width - before - numbers - 2
    bar = min(_LONGEST_BAR, bar) if bar >= _SHORTEST_BAR else 0
    room = width - before - (bar + 2 if bar else 0) - counts - 2
    lines = []
    for cell, done in zip(cells, rows, strict=True):
        parts = [style.bar(cell.n_done, cell.n_expected, bar)] if bar else []
        text = "  ".join([*parts, f"{done:>{counts}}", _remark(cell, room, style)]).rstrip()
        lines.append([style.fit(cell.name, width), f"  {text}"] if apart else [f"{cell.name:<{names}}  {text}"])
    return lines


def _remark(cell: CellNow, room: int, style: Style) -> str:
    """Rate and time left of a cell that is asked, and how many rows are not valid; what became of another."""
    if cell.state != "asking" or cell.reason is not None:
        return style.paint(style.fit(state_text(cell), room), _PAINT.get(cell.state, "quiet"))
    left = "unknown" if cell.left_s is None else duration(cell.left_s)
    if room < _RATE + 2 + _LEFT:
        return style.fit("  ".join(part for part in (rate_text(cell.rate), left) if part), room)
    text = f"{rate_text(cell.rate):>{_RATE}}  {left:>{_LEFT}}"
    odd = f"{cell.n_not_valid:,} not valid" if cell.n_not_valid else ""
    return f"{text}  {style.paint(odd, 'warn')}" if odd and len(text) + 2 + len(odd) <= room else text


def _as_many(cells: list[list[str]], room: int, style: Style) -> list[str]:
    """Whole cells, in order, as long as there is room; the last line says how many are not shown."""
    lines: list[str] = []
    for n, of_cell in enumerate(cells):
        is_last = n == len(cells) - 1
        if len(lines) + len(of_cell) + (not is_last) > room:
            more = style.paint(f"and {len(cells) - n} more", "quiet")
            return [*lines, more] if len(lines) < room else lines
        lines += of_cell
    return lines


def _stopped_lanes(run: RunNow, width: int, style: Style) -> list[str]:
    stopped = {lane.id: lane.stopped for lane in run.lanes if lane.stopped is not None}
    return [style.paint(style.fit(f"lane {i} stopped: {one_line(why)}", width), "warn") for i, why in stopped.items()]


def _skipped(run: RunNow, width: int, style: Style) -> list[str]:
    """One line a reason."""
    reasons: dict[str, list[str]] = {}
    for cell in run.cells:
        if cell.state == "skipped":
            reasons.setdefault(one_line(cell.reason or "no reason"), []).append(cell.contender)
    return [
        style.paint(
            style.fit(f"{cells_text(len(who))} skipped ({why}): {', '.join(dict.fromkeys(who))}", width), "quiet"
        )
        for why, who in reasons.items()
    ]
