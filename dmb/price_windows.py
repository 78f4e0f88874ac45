"""When a price row holds, whether two rows hold at once, and a window in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import combinations
from zoneinfo import ZoneInfo

from dmb.contracts.price import PriceRow

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_DAY = dt.timedelta(days=1)
_WHOLE_DAY = (0, 24 * 60)

#: How long two rows are looked at side by side where their dates leave more: on clocks without daylight saving every
#: week is alike; on others every pair of offsets that the rules of today can make occurs within three years.
_WEEK, _YEARS = 10, 3 * 366


def holds(row: PriceRow, at: dt.datetime) -> bool:
    """Whether the row's dates, weekdays and hours hold at that instant; size and tier apart."""
    if at.utcoffset() is None:
        raise ValueError(f"{at} has no offset from UTC")
    if row.valid_from is None and row.valid_to is None and row.hours is None and not row.weekdays:
        return True
    if isinstance(row.valid_from, dt.datetime) and at < row.valid_from:
        return False
    if isinstance(row.valid_to, dt.datetime) and at >= row.valid_to:
        return False
    local = at.astimezone(ZoneInfo(row.zone))
    day = local.date()
    if row.valid_from is not None and not isinstance(row.valid_from, dt.datetime) and day < row.valid_from:
        return False
    if row.valid_to is not None and not isinstance(row.valid_to, dt.datetime) and day > row.valid_to:
        return False
    start, end = minutes(row)
    minute = local.hour * 60 + local.minute
    if start < end:
        return start <= minute < end and _is_day(row, day)
    # what runs past midnight belongs to the day on which it began
    return (minute >= start and _is_day(row, day)) or (minute < end and _is_day(row, day - _DAY))


def dates_meet(row: PriceRow, first: dt.datetime, until: dt.datetime) -> bool:
    """Whether the row's dates leave any instant from ``first`` to ``until``; weekdays and hours apart."""
    start, end = _instant(row.valid_from, row.zone, 0), _instant(row.valid_to, row.zone, 1)
    return (start is None or start <= until) and (end is None or end > first)


def takes_size(row: PriceRow, prompt_tokens: int) -> bool:
    """Whether a prompt of that many tokens has the row's size."""
    return (row.prompt_from or 0) <= prompt_tokens and (row.prompt_to is None or prompt_tokens < row.prompt_to)


def minutes(row: PriceRow) -> tuple[int, int]:
    """Start and end of the row's hours in minutes of the day; the end is the smaller where they run past midnight."""
    if row.hours is None:
        return _WHOLE_DAY
    start, end = (int(clock[:2]) * 60 + int(clock[3:]) for clock in row.hours.split("-"))
    return start, end


def overlap(a: PriceRow, b: PriceRow) -> str | None:
    """An instant, in words, at which both rows hold for one prompt size and tier; None where there is none."""
    if a.tier != b.tier:
        return None
    size = max(a.prompt_from or 0, b.prompt_from or 0)
    if not (takes_size(a, size) and takes_size(b, size)):
        return None
    first, last = _common_range(a, b)
    fixed = {a.zone, b.zone} == {"UTC"}
    span = (_WEEK if fixed else _YEARS) * _DAY
    if first is None:
        # nothing begins: what holds at once does so in the last weeks too
        first = (last or dt.datetime.combine(max(a.checked_on, b.checked_on), dt.time(), dt.UTC)) - span
    until = first + span if last is None else min(last, first + span)
    # both hold from the moment at which the second of the two begins to
    for at in _edges(a, b, first, until):
        if holds(a, at) and holds(b, at):
            prompts = f", prompts of {size} tokens" if size else ""
            return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC{prompts}"
    return None


def first_overlap(rows: Sequence[PriceRow]) -> tuple[PriceRow, PriceRow, str] | None:
    """The first two rows of one provider and model that hold at once, and when."""
    models: dict[tuple[str, str, str], list[PriceRow]] = {}
    for row in rows:
        models.setdefault((row.provider, row.model, row.tier), []).append(row)
    for those in models.values():
        for a, b in combinations(those, 2):
            if (when := overlap(a, b)) is not None:
                return a, b, when
    return None


def window_text(row: PriceRow) -> str:
    """Such as ``from 2026-09-10, Mon-Fri 01:00-04:00 UTC, prompts above 272,000 tokens``; empty for a row that always holds."""
    parts = (_dates_text(row), _clock_text(row), _size_text(row), "" if row.tier == "standard" else f"{row.tier} tier")
    return ", ".join(part for part in parts if part)


def _is_day(row: PriceRow, day: dt.date) -> bool:
    return not row.weekdays or WEEKDAYS[day.weekday()] in row.weekdays


def _common_range(a: PriceRow, b: PriceRow) -> tuple[dt.datetime | None, dt.datetime | None]:
    """The instants that the dates of both leave, from (included) and to (excluded)."""
    starts = [start for row in (a, b) if (start := _instant(row.valid_from, row.zone, 0)) is not None]
    ends = [end for row in (a, b) if (end := _instant(row.valid_to, row.zone, 1)) is not None]
    return max(starts, default=None), min(ends, default=None)


def _instant(edge: dt.date | None, zone: str, days: int) -> dt.datetime | None:
    if edge is None or isinstance(edge, dt.datetime):
        return edge
    return dt.datetime.combine(edge + days * _DAY, dt.time(), ZoneInfo(zone)).astimezone(dt.UTC)


def _edges(a: PriceRow, b: PriceRow, first: dt.datetime, until: dt.datetime) -> Iterator[dt.datetime]:
    """Every instant in the range at which either row may begin to hold: its end, midnight, hours, a changed clock."""
    if first >= until:
        return
    yield first
    day = first.astimezone(dt.UTC).date() - _DAY
    while day <= until.astimezone(dt.UTC).date() + _DAY:
        for zone, minute in {(row.zone, m) for row in (a, b) for m in (0, minutes(row)[0])}:
            clock = dt.datetime.combine(day, dt.time(*divmod(minute, 60)), ZoneInfo(zone))
            for fold in (0, 1):
                at = clock.replace(fold=fold).astimezone(dt.UTC)
                if first <= at < until:
                    yield at
        for zone in {a.zone, b.zone} - {"UTC"}:
            at = _clock_change(day, zone)
            if at is not None and first <= at < until:
                yield at
        day += _DAY


def _clock_change(day: dt.date, zone: str) -> dt.datetime | None:
    """The instant of that day (UTC) at which the zone's offset changes, by halving."""
    low = dt.datetime.combine(day, dt.time(), dt.UTC)
    high = low + _DAY
    before, after = (at.astimezone(ZoneInfo(zone)).utcoffset() for at in (low, high))
    if before == after:
        return None
    seconds = [0, 24 * 60 * 60]
    while seconds[1] - seconds[0] > 1:
        middle = sum(seconds) // 2
        same = (low + dt.timedelta(seconds=middle)).astimezone(ZoneInfo(zone)).utcoffset() == before
        seconds[0 if same else 1] = middle
    return low + dt.timedelta(seconds=seconds[1])


def _dates_text(row: PriceRow) -> str:
    start, end = (_edge_text(edge) for edge in (row.valid_from, row.valid_to))
    if start and end:
        return f"{start} to {end}"
    return f"from {start}" if start else f"until {end}" if end else ""


def _edge_text(edge: dt.date | None) -> str:
    if isinstance(edge, dt.datetime):
        return f"{edge.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"
    return edge.isoformat() if edge else ""


def _clock_text(row: PriceRow) -> str:
    if not row.weekdays and row.hours is None:
        return ""
    return " ".join(part for part in (_days_text(row), row.hours or "", row.zone) if part)


def _days_text(row: PriceRow) -> str:
    """Runs of three and more are joined: ``Mon-Fri``, ``Sat, Sun``."""
    chosen = [i for i, name in enumerate(WEEKDAYS) if name in row.weekdays]
    runs: list[list[int]] = []
    for i in chosen:
        if runs and runs[-1][-1] == i - 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    names = [WEEKDAYS[i].capitalize() for i in range(7)]
    return ", ".join(
        f"{names[run[0]]}-{names[run[-1]]}" if len(run) > 2 else ", ".join(names[i] for i in run) for run in runs
    )


def _size_text(row: PriceRow) -> str:
    above = f"above {row.prompt_from - 1:,}" if row.prompt_from else ""
    up_to = f"up to {row.prompt_to - 1:,}" if row.prompt_to is not None else ""
    return f"prompts {' '.join(p for p in (above, up_to) if p)} tokens" if above or up_to else ""
