"""Every row of a cell, held against the frozen items: streamed, so that a long log needs no more memory than its items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from dmb.contracts.attempt import Attempt
from dmb.contracts.decision import Decision
from dmb.contracts.item import Item
from dmb.errors import DamagedFile
from dmb.inputs import nearest
from dmb.merge.opened import RunCell
from dmb.prompting import shown_options
from dmb.sampling import SUBSET_SEED
from dmb.store.attempts import whole_lines
from dmb.store.files import file_sha256
from dmb.store.frozen_items import FrozenItems, load_items
from dmb.store.layout import decisions_file, items_path
from dmb.store.redactions import digest_here

#: More than any number of retries and restarts comes to.
_MOST_ATTEMPTS = 1000

M = TypeVar("M", Attempt, Decision)

_MEND = "put the right file back, or leave the run out"


class Expected(NamedTuple):
    """The rows that a cell may have: its items, each with the options that it shows, and so many repeats."""

    items: Mapping[tuple[str, int], Item]
    ids: frozenset[str]
    repeats: int
    frozen: FrozenItems

    def must_have(self, path: Path, line: int, row: Attempt | Decision) -> None:
        """Raises ``DamagedFile`` for a row of an item, permutation or repeat that is not expected."""
        if (row.item, row.permutation) in self.items and 0 <= row.repeat < self.repeats:
            return
        if row.item not in self.ids:
            fault = f"item {row.item!r} is not in the frozen suite; {nearest(row.item, self.ids)[:80]}"
        elif (row.item, row.permutation) not in self.items:
            fault = f"item {row.item!r} has no permutation {row.permutation}"
        else:
            fault = f"repeat {row.repeat} of item {row.item!r}, which is asked {self.repeats} times"
        raise _fault(path, line, fault)


def check_rows(cell: RunCell) -> None:
    """Hold a cell's items, raw log and decisions against what its receipt and the frozen items say.

    Raises ``DamagedFile`` or ``MissingEvidence``, each naming file, line and fault.
    """
    receipt = cell.receipt
    frozen = load_items(items_path(receipt.suite, receipt.items), receipt.items)
    frozen = frozen.subset(receipt.parts["limit"], SUBSET_SEED)
    items = {(item.id, item.permutation): item for item in frozen.items}
    expected = Expected(items, frozenset(i.id for i in frozen.items), receipt.parts["repeats"], frozen)
    if len(items) * expected.repeats != receipt.n_expected:
        raise DamagedFile(
            f"{cell.receipt_path}: n_expected is {receipt.n_expected}, and its items make {len(items) * expected.repeats} rows; {_MEND}"
        )
    if receipt.raw is None or receipt.raw_sha256 is None:
        return
    raw = Path(receipt.raw)
    # a log that came from an archive has another digest than the receipt says, and its run says which
    if not raw.exists() or file_sha256(raw) != digest_here(raw, receipt.raw_sha256):
        raise DamagedFile(f"{raw}: is not the log that {cell.receipt_path} names by sha256; {_MEND}")
    check_attempts(raw, cell, expected)
    decisions = decisions_file(cell.run, *cell.name)
    if decisions.exists():
        check_decisions(decisions, cell, expected)


def check_attempts(path: Path, cell: RunCell, expected: Expected) -> None:
    """Each row is of this cell, of an expected item and repeat, and an attempt that stands once; none is left out."""
    receipt, asker = cell.receipt, cell.receipt.parts["asker"]
    ours = (receipt.cell_key, receipt.contender, receipt.suite, asker["name"], asker["version"])
    # a bit for each attempt of a row: numbers begin at 1
    seen: dict[tuple[str, int, int], int] = {}
    for line, row in _attempts(path):
        if (row.cell, row.contender, row.suite, row.asker, row.asker_version) != ours:
            raise _fault(path, line, f"is of another cell or asker than {cell.receipt_path}")
        expected.must_have(path, line, row)
        if not 1 <= row.attempt <= _MOST_ATTEMPTS:
            raise _fault(path, line, f"attempt {row.attempt} is none that an item can have")
        key = (row.item, row.permutation, row.repeat)
        bit, before = 1 << row.attempt >> 1, seen.get(key, 0)
        if before & bit:
            raise _fault(path, line, f"attempt {row.attempt} of item {row.item!r} stands twice")
        if row.simulated and not receipt.simulated:
            raise _fault(path, line, "is simulated, and the receipt says that none is")
        seen[key] = before | bit
    for (item, permutation, repeat), bits in seen.items():
        if bits & (bits + 1):
            raise DamagedFile(
                f"{path}: attempts of item {item!r} (permutation {permutation}, repeat {repeat}) are not all there; {_MEND}"
            )


def check_decisions(path: Path, cell: RunCell, expected: Expected) -> None:
    """Each expected row is decided once, and every answer is one of the options that its item shows, where it says."""
    seen: set[tuple[str, int, int]] = set()
    slots = {slot["id"] for slot in cell.planned["slots"]}
    for line, row in _decisions(path):
        if (row.contender, row.suite) != cell.name:
            raise _fault(path, line, "is of another cell")
        expected.must_have(path, line, row)
        key = (row.item, row.permutation, row.repeat)
        if key in seen:
            raise _fault(path, line, f"item {row.item!r} is decided twice in repeat {row.repeat}")
        seen.add(key)
        shown = [option for option, _ in shown_options(expected.items[key[:2]], expected.frozen.option_sets)]
        for slot, output in row.outputs.items():
            if slot not in slots:
                raise _fault(path, line, f"slot {slot!r} is not one of the suite's")
            if output.position is not None and not 0 <= output.position < len(shown):
                raise _fault(path, line, f"position {output.position} is outside 0-{len(shown) - 1}")
            if shown and output.value not in shown:
                raise _fault(path, line, f"{output.value!r} is not among the options of item {row.item!r}")
            if output.position is not None and shown[output.position] != output.value:
                raise _fault(path, line, f"{output.value!r} does not stand at position {output.position}")
    if len(seen) != cell.receipt.n_expected:
        raise DamagedFile(f"{path}: has {len(seen)} decisions of {cell.receipt.n_expected}; {_MEND}")


def _attempts(path: Path) -> Iterator[tuple[int, Attempt]]:
    for number, line in enumerate(whole_lines(path), 1):
        try:
            yield number, Attempt.model_validate_json(line)
        except ValueError:
            # the quicker way refuses half of a surrogate pair, which a reply may hold
            yield number, _parsed(Attempt, path, number, line, "attempt")


def _decisions(path: Path) -> Iterator[tuple[int, Decision]]:
    return ((n, _parsed(Decision, path, n, line, "decision")) for n, line in enumerate(whole_lines(path), 1))


def _parsed(model: type[M], path: Path, number: int, line: bytes, what: str) -> M:
    try:
        return model.model_validate(json.loads(line))
    except ValueError:
        raise _fault(path, number, f"is no {what}") from None


def _fault(path: Path, line: int, fault: str) -> DamagedFile:
    return DamagedFile(f"{path}: line {line}: {fault}; {_MEND}")
