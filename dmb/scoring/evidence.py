"""The rows that a receipt points at, checked against its digest, as decisions beside their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dmb.contracts.attempt import Attempt
from dmb.contracts.decision import Decision, Output
from dmb.contracts.item import Item, OptionSet
from dmb.contracts.receipt import Receipt
from dmb.contracts.slot import Slot
from dmb.engine.decide import by_item, decide
from dmb.errors import DamagedFile
from dmb.parsing import Shown
from dmb.prompting import shown_options
from dmb.sampling import SUBSET_SEED
from dmb.store.attempts import read_attempts
from dmb.store.evidence_root import HERE, EvidenceRoot
from dmb.store.frozen_items import FrozenItems, checked_bytes, parse_items
from dmb.store.layout import items_path
from dmb.store.receipts import load_receipt

#: The same items judge every contender of a suite.
_parsed = lru_cache(8)(parse_items)


@dataclass(frozen=True, slots=True)
class Row:
    """One expected row: its item, what was decided, the attempts behind it, and the options in the order shown."""

    item: Item
    repeat: int
    decision: Decision
    attempts: tuple[Attempt, ...]
    shown: Shown = ()

    def output(self, slot: str) -> Output | None:
        """The answer in that slot; None unless the decision is valid."""
        return self.decision.outputs.get(slot) if self.decision.outcome == "valid" else None

    def correct(self, slot: str) -> bool:
        """Whether the slot's answer is the gold. Where no answer is right (gold None) every answer is wrong."""
        output = self.output(slot)
        if output is None:
            return False
        gold = self.item.gold.get(slot)
        return gold is not None and output.value == gold

    def gold_probability(self, slot: str) -> float | None:
        """The probability that a valid reply puts on the right option; None where it has none, or no option is right."""
        output = self.output(slot)
        if output is None or output.probabilities is None:
            return None
        gold = self.item.gold.get(slot)
        return next((p for (i, _), p in zip(self.shown, output.probabilities, strict=True) if i == gold), None)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One receipt, opened."""

    path: Path
    receipt: Receipt
    items: FrozenItems
    rows: tuple[Row, ...]

    @property
    def repeats(self) -> int:
        """How often each item was asked."""
        return int(self.receipt.parts["repeats"])

    @property
    def first_rows(self) -> tuple[Row, ...]:
        """The first repeat of each item: what accuracy and calibration are made of."""
        return self.rows if self.repeats == 1 else tuple(r for r in self.rows if r.repeat == 0)

    def labels(self) -> tuple[str, ...]:
        """Ids of the options of the first option set, in its order: the fixed label list of suites that share one."""
        first = next(iter(self.items.option_sets.values()))
        return tuple(o.id for o in first.options)


def open_evidence(path: Path, slots: Sequence[Slot], root: EvidenceRoot = HERE) -> Evidence:
    """Read and check what the receipt names. Raises ``MissingEvidence`` or ``DamagedFile``."""
    receipt = load_receipt(root.at(path))
    identity = checked_bytes(
        root.at(items_path(receipt.suite, receipt.items)),
        receipt.items,
        "start again: items are rebuilt, nothing is asked for that",
    )
    items = _parsed(identity).subset(receipt.parts["limit"], SUBSET_SEED)
    attempts: dict[tuple[str, int, int], list[Attempt]] = {}
    if receipt.raw is not None and receipt.raw_sha256 is not None:
        raw = root.at(receipt.raw)
        mend = f"put the right file back; or, to ask this cell again, delete it and {path.parent}"
        checked_bytes(raw, root.expected(receipt.raw, receipt.raw_sha256), mend)
        try:
            attempts = by_item(read_attempts(raw, receipt.cell_key))
        except ValueError as e:
            raise DamagedFile(f"{raw}: {e}") from None
    ids = {"cell": receipt.cell_key, "contender": receipt.contender, "suite": receipt.suite}
    rows = []
    whole_sets: dict[str, Shown] = {}
    for repeat in range(receipt.parts["repeats"]):
        for item in items.items:
            key = (item.id, item.permutation, repeat)
            found = tuple(attempts.pop(key, ()))
            shown = _shown(item, items.option_sets, whole_sets)
            rows.append(Row(item, repeat, decide(key, shown, found, ids, slots), found, shown))
    if attempts:
        raise DamagedFile(
            f"{receipt.raw}: holds rows of items that are not in the frozen suite, first {next(iter(attempts))}"
        )
    return Evidence(path, receipt, items, tuple(rows))


def _shown(item: Item, option_sets: Mapping[str, OptionSet], whole_sets: dict[str, Shown]) -> Shown:
    """The item's options; a set that is shown whole and in its own order is made once and kept in ``whole_sets``."""
    if item.options is None or item.options.order is not None:
        return shown_options(item, option_sets)
    if item.options.set not in whole_sets:
        whole_sets[item.options.set] = shown_options(item, option_sets)
    return whole_sets[item.options.set]
