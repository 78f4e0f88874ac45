"""What the rows of a ledger come to. Pure: rows in, totals out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from dmb.contracts.ledger import LedgerRow, Reserved, Settled, SpendKind, Sums, Swept, Totals, Unsent
from dmb.ledger.amounts import EXACT, usd_text

_ZERO = Decimal(0)


class _Account:
    """Sums of one run and kind, but for reservations that are still open."""

    __slots__ = ("n_settled", "n_unsent", "n_unsettled", "settled", "unsettled")

    def __init__(self) -> None:
        self.settled = self.unsettled = _ZERO
        self.n_settled = self.n_unsettled = self.n_unsent = 0


class Book:
    """The sum over the rows of all writers; rows of one writer come in their order, writers in any."""

    def __init__(self) -> None:
        self.committed = _ZERO
        self._accounts: dict[tuple[str, str, SpendKind], _Account] = defaultdict(_Account)
        self._open: dict[tuple[str, int], Reserved] = {}
        self._last: dict[str, int] = {}
        self._swept: set[tuple[str, int]] = set()
        self._sweepers: set[str] = set()

    def apply(self, writer: str, row: LedgerRow) -> None:
        """Count one row. Raises ``ValueError``, with nothing counted, where it cannot follow the rows before it."""
        if isinstance(row, Reserved):
            if row.n != self.last(writer) + 1:
                raise ValueError(f"reservation {row.n} cannot follow reservation {self.last(writer)}")
            self._last[writer] = row.n
            self._open[writer, row.n] = row
            self.committed = EXACT.add(self.committed, Decimal(row.usd))
        elif isinstance(row, Swept):
            self._swept.add((row.writer, row.n))
            self._sweepers.add(writer)
        else:
            reserved = self._open.pop((writer, row.n), None)
            if reserved is None:
                raise ValueError(f"reservation {row.n} is not open")
            self._close(writer, reserved, row)

    def _close(self, writer: str, reserved: Reserved, row: Settled | Unsent) -> None:
        account = self._accounts[writer, reserved.run, reserved.kind]
        worst = Decimal(reserved.usd)
        if isinstance(row, Unsent):
            account.n_unsent += 1
            self.committed = EXACT.subtract(self.committed, worst)
        elif row.charged_usd is None:
            account.n_unsettled += 1
            account.unsettled = EXACT.add(account.unsettled, worst)
        else:
            charged = Decimal(row.charged_usd)
            account.n_settled += 1
            account.settled = EXACT.add(account.settled, charged)
            self.committed = EXACT.add(EXACT.subtract(self.committed, worst), charged)

    def take_sums(self, writer: str, sums: Iterable[Sums]) -> None:
        """Count all that a writer's rows come to, of which none was counted."""
        for s in sums:
            account = self._accounts[writer, s.run, s.kind]
            account.settled, account.unsettled = Decimal(s.settled_usd), Decimal(s.unsettled_usd)
            account.n_settled, account.n_unsettled, account.n_unsent = s.n_settled, s.n_unsettled, s.n_unsent
            self.committed = EXACT.add(self.committed, EXACT.add(account.settled, account.unsettled))

    def sums_of(self, writer: str) -> tuple[Sums, ...] | None:
        """All that a writer's rows come to; None where it takes the rows to say it."""
        if writer in self._sweepers or any(w == writer for w, _ in self._open):
            return None
        return tuple(
            Sums(
                run=run,
                kind=kind,
                settled_usd=usd_text(a.settled),
                unsettled_usd=usd_text(a.unsettled),
                n_settled=a.n_settled,
                n_unsettled=a.n_unsettled,
                n_unsent=a.n_unsent,
            )
            for (w, run, kind), a in self._accounts.items()
            if w == writer
        )

    def last(self, writer: str) -> int:
        """The number of that writer's last reservation, 0 before the first."""
        return self._last.get(writer, 0)

    def is_open(self, writer: str, n: int) -> bool:
        """Whether that reservation waits for its settlement."""
        return (writer, n) in self._open

    def unmarked(self) -> Iterator[tuple[str, Reserved]]:
        """Writer and row of reservations that are neither settled nor swept."""
        return ((writer, row) for (writer, n), row in self._open.items() if (writer, n) not in self._swept)

    def totals(self, is_gone: Callable[[str], bool], run: str | None = None) -> Totals:
        """The totals, of one run where it is given. An open reservation of a writer that is gone counts as unsettled.

        A settlement by the writer itself wins over a sweep's mark, whichever came first.
        """
        settled: dict[SpendKind, Decimal] = {"scored": _ZERO, "negotiation": _ZERO}
        still_open = unsettled = _ZERO
        n_settled = n_open = n_unsettled = n_unsent = 0
        for (_, of_run, kind), account in self._accounts.items():
            if run in (None, of_run):
                settled[kind] = EXACT.add(settled[kind], account.settled)
                unsettled = EXACT.add(unsettled, account.unsettled)
                n_settled += account.n_settled
                n_unsettled += account.n_unsettled
                n_unsent += account.n_unsent
        gone = {writer: is_gone(writer) for writer in {writer for writer, _ in self._open}}
        for (writer, n), row in self._open.items():
            if run not in (None, row.run):
                continue
            if gone[writer] or (writer, n) in self._swept:
                unsettled = EXACT.add(unsettled, Decimal(row.usd))
                n_unsettled += 1
            else:
                still_open = EXACT.add(still_open, Decimal(row.usd))
                n_open += 1
        measured = EXACT.add(settled["scored"], settled["negotiation"])
        return Totals(
            committed_usd=EXACT.add(measured, EXACT.add(still_open, unsettled)),
            settled_usd=measured,
            scored_usd=settled["scored"],
            negotiation_usd=settled["negotiation"],
            reserved_open_usd=still_open,
            unsettled_usd=unsettled,
            n_settled=n_settled,
            n_open=n_open,
            n_unsettled=n_unsettled,
            n_unsent=n_unsent,
        )
