"""Reserve the worst case before an attempt, settle after it; the hard cap holds over threads, processes and hosts."""

from __future__ import annotations

import datetime as dt
import errno
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from dmb.contracts.ledger import LedgerRow, Reserved, Settled, SpendKind, Swept, Totals, Unsent
from dmb.kernel_lock import KernelLock
from dmb.ledger.amounts import EXACT, usd, usd_text
from dmb.ledger.pen import Pen
from dmb.ledger.refusals import BudgetExhausted, LedgerUnusable, unreadable
from dmb.ledger.shelf import Shelf
from dmb.turns import NOBODY_ELSE

#: Nobody holds the lock for longer than a few disk writes; after this long something is broken.
LOCK_TIMEOUT_S = 60.0

LOCK_POLL_S = 0.002

#: A disk that was quicker than this the last time is waited for without letting other threads work: to hand over and
#: come back takes longer.
QUICK_SYNC_S = 0.001


@dataclass(frozen=True, slots=True)
class Reservation:
    """Leave to send one attempt. ``warning`` is for the user: the soft cap is passed."""

    writer: str
    n: int
    usd: Decimal
    warning: str | None = None


@dataclass(slots=True)
class _Ask:
    """A thread's wish to reserve, and what became of it."""

    worst: Decimal
    row: Reserved
    granted: Reservation | None = None
    refused: type[BudgetExhausted] = LedgerUnusable
    reason: str = "the ledger was interrupted before it could decide"


class Ledger:
    """One process's hand on the ledger of a release. Thread-safe. Writes nothing before the first reservation.

    Reservations of several threads that wait together share one lock, one write and one sync. ``waiting`` is entered
    while another thread, another process or the disk is waited for, never with anything in hand that others wait for
    but their turn here.
    """

    def __init__(
        self,
        folder: Path,
        hard_usd: Decimal,
        soft_usd: Decimal,
        *,
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        lock_timeout_s: float = LOCK_TIMEOUT_S,
        waiting: AbstractContextManager = NOBODY_ELSE,
    ) -> None:
        self.folder = folder
        self._hard = usd(hard_usd, "hard_usd")
        self._soft = usd(soft_usd, "soft_usd")
        self._now = now
        self._waiting = waiting
        self._sync_s = math.inf
        self._lock: KernelLock | None = None
        self._lock_timeout_s = lock_timeout_s
        self._shelf = Shelf(folder)
        self._pen: Pen | None = None
        self._pid = os.getpid()
        self._warned = False
        self._broken: str | None = None
        self._asks: list[_Ask] = []
        self._queue = threading.Lock()  # the list of asks
        self._turn = threading.Lock()  # who talks to other processes
        self._state = threading.Lock()  # the book and the pen; never held while waiting for anyone

    # -- around an attempt

    def reserve(
        self,
        worst_usd: Decimal,
        *,
        run: str,
        contender: str,
        suite: str | None,
        item: str | None,
        attempt: int,
        permutation: int = 0,
        repeat: int = 0,
        kind: SpendKind = "scored",
    ) -> Reservation:
        """Commit the most that an attempt can cost. It is on disk when this returns, and only then may be sent.

        Raises ``BudgetExhausted`` where it does not fit under the hard cap, ``LedgerUnusable`` (one of them) where
        nobody can tell, ``ValueError`` for an amount that is none.
        """
        worst = usd(worst_usd, "worst_usd")
        row = Reserved(
            n=0,
            usd=usd_text(worst),
            kind=kind,
            run=run,
            contender=contender,
            suite=suite,
            item=item,
            permutation=permutation,
            repeat=repeat,
            attempt=attempt,
            at=self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        )
        ask = _Ask(worst, row)
        with self._queue:
            self._asks.append(ask)
        # left last: nobody waits here for a thread that waits for its turn elsewhere
        with ExitStack() as waits, self._my_turn():
            with self._queue:
                asks, self._asks = self._asks, []
            # whoever had the turn before may have decided this one as well
            if asks:
                self._decide_all(asks, waits)
        if ask.granted is None:
            raise ask.refused(ask.reason)
        return ask.granted

    def settle(self, reservation: Reservation, charged_usd: Decimal | None) -> None:
        """Write down the measured charge; None leaves the reservation charged, marked unsettled.

        Raises ``LedgerUnusable`` where it cannot be written (then the reservation stays charged), ``ValueError`` for a
        reservation that is not open here.
        """
        text = None if charged_usd is None else usd_text(usd(charged_usd, "charged_usd"))
        # only a charge above the reservation takes something away from others: they must see it at once
        sync = charged_usd is not None and charged_usd > reservation.usd
        self._close(reservation, Settled(n=reservation.n, charged_usd=text), sync)

    def release_unsent(self, reservation: Reservation) -> None:
        """Nothing was sent: charge nothing. Raises as ``settle`` does."""
        self._close(reservation, Unsent(n=reservation.n), sync=False)

    def _close(self, reservation: Reservation, row: Settled | Unsent, sync: bool) -> None:
        with self._state:
            self._check_usable()
            if self._pen is None or reservation.writer != self._pen.writer:
                raise ValueError(f"reservation {reservation.n} of {reservation.writer} belongs to another ledger")
            if not self._shelf.book.is_open(reservation.writer, reservation.n):
                raise ValueError(f"reservation {reservation.n} is not open: it was settled before")
            try:
                self._write([row])
                if sync:
                    self._sync()
            except OSError as error:
                raise unreadable(self.folder, error) from None

    # -- looking

    def totals(self, run: str | None = None) -> Totals:
        """What all writers have spent and reserved until now, for one run where it is given."""
        with self._state:
            self._shelf.refresh()
            return self._shelf.book.totals(self._is_gone, run)

    def _is_gone(self, writer: str) -> bool:
        mine = self._pen is not None and writer == self._pen.writer
        return not mine and self._shelf.is_gone(writer)

    # -- ending

    def sweep(self, dead_runs: Iterable[str]) -> int:
        """Mark what those runs left open as unsettled; it stays charged. Returns how many reservations.

        A process that is still at work, such as an orphan with a request in flight, keeps its reservations open.
        """
        dead = set(dead_runs)
        with self._turn:
            with self._state:
                self._check_usable()
                self._shelf.refresh()
                if not any(row.run in dead for _, row in self._shelf.book.unmarked()):
                    return 0
            try:
                with self._os_lock(), self._state:
                    self._join()
                    found = [(w, row.n) for w, row in self._shelf.book.unmarked() if row.run in dead]
                    gone = {w for w in {w for w, _ in found} if self._is_gone(w)}
                    marks: list[LedgerRow] = [Swept(writer=w, n=n) for w, n in found if w in gone]
                    if marks:
                        self._write(marks)
                        self._sync()
                    return len(marks)
            except OSError as error:
                raise unreadable(self.folder, error) from None

    def close(self) -> None:
        """What was settled is on disk afterwards. What is still open stays charged and counts as unsettled."""
        with self._turn, self._state:
            pen, self._pen = self._pen, None
            self._broken = self._broken or "was closed"
            if pen is not None and os.getpid() == self._pid:
                pen.close()
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the decision

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        held = self._turn.acquire(blocking=False)
        try:
            if not held:
                with self._waiting:
                    held = self._turn.acquire()
            yield
        finally:
            # also where it was Ctrl-C that ended the waiting
            if held:
                self._turn.release()

    def _decide_all(self, asks: list[_Ask], waits: ExitStack) -> None:
        try:
            with self._state:
                self._check_usable()
            with self._os_lock():
                with self._state:
                    self._join()
                    granted = self._decide(asks)
                    if granted:
                        self._write([row for _, row, _ in granted])
                if granted:
                    if self._sync_s > QUICK_SYNC_S:
                        waits.enter_context(self._waiting)
                    began = time.monotonic()
                    self._sync()
                    self._sync_s = time.monotonic() - began
        except LedgerUnusable as error:
            _refuse_all(asks, str(error))
        except OSError as error:
            _refuse_all(asks, str(unreadable(self.folder, error)))
        else:
            for ask, _, reservation in granted:
                ask.granted = reservation

    def _decide(self, asks: list[_Ask]) -> list[tuple[_Ask, LedgerRow, Reservation]]:
        assert self._pen is not None
        granted: list[tuple[_Ask, LedgerRow, Reservation]] = []
        committed = self._shelf.book.committed
        n = self._shelf.book.last(self._pen.writer)
        for ask in asks:
            after = EXACT.add(committed, ask.worst)
            if after > self._hard:
                ask.refused = BudgetExhausted
                ask.reason = (
                    f"{self.folder}: {usd_text(committed)} of {usd_text(self._hard)} USD are spent or reserved, and the "
                    f"next attempt may cost {usd_text(ask.worst)}; to go on, raise budget.hard_usd in config.yaml"
                )
                continue
            committed = after
            n += 1
            reservation = Reservation(self._pen.writer, n, ask.worst, self._warning(committed))
            granted.append((ask, ask.row.model_copy(update={"n": n}), reservation))
        return granted

    def _warning(self, committed: Decimal) -> str | None:
        if self._warned or committed <= self._soft:
            return None
        self._warned = True
        return (
            f"{self.folder}: {usd_text(committed)} USD are spent or reserved, more than the soft cap of "
            f"{usd_text(self._soft)}; nothing is sent beyond {usd_text(self._hard)}"
        )

    # -- the folder

    @contextmanager
    def _os_lock(self) -> Iterator[None]:
        if self._lock is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = KernelLock(self.folder / "lock")
        deadline = time.monotonic() + self._lock_timeout_s
        while not self._lock.try_acquire():
            if time.monotonic() > deadline:
                held = f"somebody has held the lock for {self._lock_timeout_s:g} s"
                raise TimeoutError(errno.ETIMEDOUT, held, str(self.folder / "lock"))
            with self._waiting:
                time.sleep(min(LOCK_POLL_S, self._lock_timeout_s))
        try:
            yield
        finally:
            self._lock.release()

    def _join(self) -> None:
        """Read what is new; the first time, become one of the writers."""
        self._shelf.refresh()
        if self._pen is None:
            gone = [w for w in self._shelf.living() if self._shelf.is_gone(w)]
            # what they wrote before they ended, and after it was read just now
            self._shelf.refresh()
            self._pen = Pen(self.folder, [self._shelf.gone_row(w) for w in gone])
            self._shelf.own = self._pen.writer
            # from now on the index is known, and missed should it vanish
            self._shelf.refresh()

    def _write(self, rows: list[LedgerRow]) -> None:
        assert self._pen is not None
        # stays so where the write is cut short: nothing may be glued to a torn line
        self._broken = "a write into it did not end"
        self._pen.write(rows)
        for row in rows:
            self._shelf.book.apply(self._pen.writer, row)
        self._broken = None

    def _sync(self) -> None:
        assert self._pen is not None
        try:
            self._pen.sync()
        except OSError:
            self._broken = "what was written may not be on disk"
            raise

    def _check_usable(self) -> None:
        if os.getpid() != self._pid:
            raise LedgerUnusable(f"{self.folder}: a forked process must open its own ledger")
        if self._broken:
            raise LedgerUnusable(f"{self.folder}: {self._broken}; start again to go on")


def _refuse_all(asks: list[_Ask], reason: str) -> None:
    for ask in asks:
        ask.refused, ask.reason = LedgerUnusable, reason
