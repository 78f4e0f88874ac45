"""How fast a provider may be asked: limits per minute and rolling allowances, over all processes that ask it.

What was asked of late stands in one small file for each set of limits, in sixty slices of each window. A slice leaves the
window as a whole, so the count errs on the slow side by a sixtieth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dmb.contracts.attempt import Usage
from dmb.contracts.contender import Limits
from dmb.engine.stopped import LaneStopped, Stopped

if TYPE_CHECKING:
    from filelock import FileLock

SLICES = 60

#: While waiting for a window to move on, stop marks and the deadline are looked at this often.
LONGEST_STEP_S = 0.5

_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,40})?")

#: Bytes of a request per token, on the low side: a limiter counts its own estimate before it runs a request.
BYTES_PER_TOKEN = 3


class Window(NamedTuple):
    """At most ``most`` of ``what`` ("calls", "tokens", "usd") in any ``seconds``.

    ``stops``: used up, it is not waited for; ``alone``: that is the matter of one contender, and not of its lane.
    """

    what: str
    most: Decimal
    seconds: float
    stops: bool
    alone: bool = False

    @property
    def text(self) -> str:
        """Such as ``100 calls in 5 h``."""
        span = "a minute" if self.seconds == 60 else f"{self.seconds / 3600:g} h"
        return f"{self.most.normalize():f} {self.what} in {span}"


def windows_of(limits: Limits, alone: bool = False) -> tuple[Window, ...]:
    """The windows that an entry's limits come to; ``alone``: those of a contender."""
    found = []
    if limits.requests_per_minute is not None:
        found.append(Window("calls", Decimal(limits.requests_per_minute), 60.0, False))
    if limits.tokens_per_minute is not None:
        found.append(Window("tokens", Decimal(limits.tokens_per_minute), 60.0, False))
    for a in limits.allowances:
        what, most = next(
            (w, m) for w, m in (("calls", a.calls), ("tokens", a.tokens), ("usd", a.usd)) if m is not None
        )
        found.append(Window(what, Decimal(most), a.hours * 3600.0, a.when_used_up == "stop", alone))
    return tuple(found)


def wait_s(window: Window, used: dict[str, Any], need: Decimal, now_s: float) -> float | None:
    """Seconds until ``need`` fits into the window; 0 when it does, None when it never will.

    ``used``: slice number -> amount. What is larger than the whole window passes when nothing else is in it.
    """
    width = window.seconds / SLICES
    # a slice of the future was written by a clock that was wrong
    standing = sorted(
        (int(n), Decimal(a))
        for n, a in used.items()
        if now_s - window.seconds < (int(n) + 1) * width and int(n) * width <= now_s + width
    )
    total = sum((a for _, a in standing), Decimal(0))
    if total == 0 or (total + need <= window.most and total < window.most):
        return 0.0
    for n, amount in standing:
        total -= amount
        if total <= 0 or (total + need <= window.most and total < window.most):
            return max(0.0, (n + 1) * width + window.seconds - now_s)
    return None


class Ticket(NamedTuple):
    """What one request was counted for, and when."""

    at_s: float
    tokens: int


class Pace:
    """The limits of one lane and one contender. Thread-safe, and safe over processes that share the folder."""

    def __init__(
        self,
        files: Sequence[tuple[Path, tuple[Window, ...]]],
        max_output_tokens: int,
        clock_s: Callable[[], float],
        sleep: Callable[[float], None],
        may_ask: Callable[[], str | None],
    ) -> None:
        """``clock_s``: seconds since the epoch, the same on all hosts."""
        from filelock import FileLock

        self._files = [(path, windows) for path, windows in files if windows]
        self._locks = [FileLock(path.with_suffix(".lock"), thread_local=True) for path, _ in self._files]
        self._max_output_tokens = max_output_tokens
        self._clock_s, self._sleep, self._may_ask = clock_s, sleep, may_ask

    def wait(self, body: str) -> Ticket:
        """Return when the request may go out; it is counted then. Raises ``Stopped``."""
        tokens = len(body.encode("utf-8")) // BYTES_PER_TOKEN + self._max_output_tokens
        for (path, windows), lock in zip(self._files, self._locks, strict=True):
            while (seconds := self._admit(path, windows, lock, tokens)) > 0:
                self._pause(seconds)
        return Ticket(self._clock_s(), tokens)

    def _admit(self, path: Path, windows: tuple[Window, ...], lock: FileLock, tokens: int) -> float:
        need = {"calls": Decimal(1), "tokens": Decimal(tokens), "usd": Decimal(0)}
        path.parent.mkdir(parents=True, exist_ok=True)
        with lock:
            now_s, state = self._clock_s(), _load(path)
            longest = 0.0
            for w in windows:
                seconds = wait_s(w, state.get(_name(w), {}), need[w.what], now_s)
                if seconds is None or (seconds > 0 and w.stops):
                    stopped = Stopped if w.alone else LaneStopped
                    raise stopped(f"budget: the allowance of {w.text} is used up")
                longest = max(longest, seconds)
            if longest == 0.0:
                for w in windows:
                    _add(state, w, need[w.what], now_s)
                _save(path, state, windows, now_s)
            return longest

    def _pause(self, seconds: float) -> None:
        while seconds > 0:
            step = min(LONGEST_STEP_S, seconds)
            self._sleep(step)
            seconds -= step
            if (reason := self._may_ask()) is not None:
                raise Stopped(reason)

    def note(self, ticket: Ticket, usage: Usage | None, cost_usd: Decimal | None) -> None:
        """Put what was really used in the place of the estimate, where it is known."""
        used = None
        if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
            used = usage.input_tokens + usage.output_tokens
        for (path, windows), lock in zip(self._files, self._locks, strict=True):
            changes = {
                "tokens": Decimal(0 if used is None else used - ticket.tokens),
                "usd": cost_usd if cost_usd is not None else Decimal(0),
                "calls": Decimal(0),
            }
            if not any(changes[w.what] for w in windows):
                continue
            with lock:
                state = _load(path)
                for w in windows:
                    _add(state, w, changes[w.what], ticket.at_s)
                _save(path, state, windows, self._clock_s())


def _name(window: Window) -> str:
    return f"{window.what}/{window.seconds:g}"


def _load(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        # lost or torn: what was asked of late is forgotten, and the provider's own limiter says the rest
        return {}
    return {name: _slices(slices) for name, slices in data.items()} if isinstance(data, dict) else {}


def _slices(written: Any) -> dict[str, str]:
    """Slices that can be counted; others are forgotten like a lost file."""
    if not isinstance(written, dict):
        return {}
    return {n: a for n, a in written.items() if n.isdecimal() and isinstance(a, str) and _NUMBER.fullmatch(a)}


def _add(state: dict[str, Any], window: Window, amount: Decimal, at_s: float) -> None:
    slices = state.setdefault(_name(window), {})
    n = str(int(at_s // (window.seconds / SLICES)))
    slices[n] = str(Decimal(slices.get(n, 0)) + amount)


def _save(path: Path, state: dict[str, Any], windows: tuple[Window, ...], now_s: float) -> None:
    """Without a sync: the file is worth a minute, and losing it costs a rate limit at most."""
    for w in windows:
        width = w.seconds / SLICES
        slices = state.get(_name(w), {})
        state[_name(w)] = {n: a for n, a in slices.items() if (int(n) + 1) * width > now_s - w.seconds}
    part = path.with_suffix(".part")
    part.write_bytes(json.dumps(state).encode("ascii"))
    part.replace(path)
