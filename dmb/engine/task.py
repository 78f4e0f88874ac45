"""What is asked once: an item, its repeat, and the question as it is put."""

from __future__ import annotations

from typing import NamedTuple

from dmb.contracts.request import Request
from dmb.parsing import Shown


class Task(NamedTuple):
    """One item and repeat to be asked."""

    item: str
    permutation: int
    repeat: int
    request: Request
    shown: Shown

    @property
    def key(self) -> tuple[str, int, int]:
        """Primary key within a cell."""
        return (self.item, self.permutation, self.repeat)
