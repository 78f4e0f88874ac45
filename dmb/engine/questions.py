"""The questions of one cell, made one by one from the frozen items: nothing is held that is not being asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

from dmb.contracts.item import Item, OptionSet
from dmb.contracts.slot import Slot
from dmb.engine.task import Task
from dmb.errors import DamagedFile
from dmb.prompting import render, shown_options
from dmb.sampling import SUBSET_SEED
from dmb.store.frozen_items import load_items
from dmb.store.item_files import ItemFile, TextFile

#: Options recur from item to item; states do not.
OPTION_TEXTS_KEPT = 4096


class Questions:
    """All of a cell's items in their frozen order, once for each repeat.

    Raises ``MissingEvidence`` or ``DamagedFile`` before the first question where items or texts are not as frozen.
    """

    def __init__(self, plan: dict[str, Any], slots: Sequence[Slot]) -> None:
        self._instructions, self._slots, self._repeats = plan["instructions"], slots, plan["repeats"]
        items = ItemFile(Path(plan["items"]["path"]), plan["items"]["sha256"])
        self._texts = TextFile(Path(plan["texts"]))
        if (digest := items.first_missing_text(self._texts)) is not None:
            raise DamagedFile(
                f"{plan['texts']}: text {digest!r} is not in it; delete the file and start again: it is rebuilt"
            )
        self._items: ItemFile | Sequence[Item] = items
        self._option_sets: dict[str, OptionSet] = items.option_sets
        if plan["limit"] is not None:
            # drawing whole groups needs them all at once; what is drawn is small
            whole = load_items(Path(plan["items"]["path"]), plan["items"]["sha256"])
            self._items = whole.subset(plan["limit"], SUBSET_SEED).items
        self._file = items
        self._option_text = lru_cache(OPTION_TEXTS_KEPT)(self._texts.__getitem__)

    def __len__(self) -> int:
        return len(self._items) * self._repeats

    def __iter__(self) -> Iterator[Task]:
        return (self[n] for n in range(len(self)))

    def key(self, n: int) -> tuple[str, int, int]:
        """(item, permutation, repeat) of the nth question; repeats come after all items."""
        repeat, place = divmod(n, len(self._items))
        item = self._items[place]
        return (item.id, item.permutation, repeat)

    def __getitem__(self, n: int) -> Task:
        """The nth question, ready to be asked."""
        repeat, place = divmod(n, len(self._items))
        if repeat >= self._repeats:
            raise IndexError(n)
        item = self._items[place]
        shown = shown_options(item, self._option_sets)
        texts = {digest: self._option_text(digest) for _, digest in shown}
        texts[item.state] = self._texts[item.state]
        request = render(item, self._option_sets, texts, self._instructions, self._slots)
        return Task(item.id, item.permutation, repeat, request, shown)

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        self._texts.close()

    def __enter__(self) -> Questions:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
