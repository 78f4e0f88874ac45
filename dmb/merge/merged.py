"""Runs -> the cells that count, with everything checked first and everything that a reader must know written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dmb.errors import DamagedFile, UsageError
from dmb.merge.agreement import must_agree
from dmb.merge.later_wins import counting, standing
from dmb.merge.opened import CellName, OpenedRun, RunCell, open_run, run_id
from dmb.merge.rows import check_rows


class Note(NamedTuple):
    """What was done otherwise than one run does, why, and in which runs."""

    what: str
    why: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """``history``: each cell as all runs have it, in the order given; the last one counts. ``notes``: for the report."""

    runs: tuple[OpenedRun, ...]
    history: Mapping[CellName, tuple[RunCell, ...]]
    notes: tuple[Note, ...]

    @property
    def cells(self) -> dict[CellName, RunCell]:
        """The cells that count."""
        return counting(self.history)


def merge_runs(typed: Sequence[str], allow_mix: bool) -> Merged:
    """Open the runs, verify each, and only then combine them.

    Raises ``UsageError`` for runs that cannot stand together, ``DamagedFile`` or ``MissingEvidence`` for one that
    cannot be believed.
    """
    ids = [run_id(t) for t in typed]
    if twice := next((i for i in ids if ids.count(i) > 1), None):
        raise UsageError(
            f"--runs: {twice} is named twice, and which of the two counts is not for us to say; name it once"
        )
    runs = [open_run(i) for i in ids]
    for run in runs:
        check_manifest(run)
    mixed = must_agree(runs, allow_mix)
    for run in runs:
        for cell in run.cells.values():
            check_rows(cell)
    history = standing(run.cells for run in runs)
    if not history:
        raise UsageError(f"--runs: {', '.join(ids)}: no cell has a receipt, so there is nothing to report")
    refuse_fallbacks(runs)
    notes = [
        Note(
            f"Cells differ in {difference}.",
            "`--allow-protocol-mix`: each cell is as its own run asked it; compare them with that in mind.",
            _runs_of(difference.by_value),
        )
        for difference in mixed
    ]
    return Merged(tuple(runs), history, (*notes, *_replaced(history), *_unfinished(runs)))


def check_manifest(run: OpenedRun) -> None:
    """The items of each cell are those that its run's manifest names. Raises ``DamagedFile``."""
    for (contender, suite), cell in run.cells.items():
        if run.manifest["items"].get(suite) != cell.receipt.items:
            raise DamagedFile(
                f"runs/{run.id}/manifest.json: its items of {suite} are not those of the receipt of {contender}; "
                "put the right file back, or leave the run out"
            )


def refuse_fallbacks(runs: Sequence[OpenedRun]) -> None:
    """A cell that a later run began and did not end must not look as if that run had never tried.

    Raises ``UsageError`` where an earlier run's cell would stand in for it.
    """
    for place, run in enumerate(runs):
        for name in (name for name, begun in run.unfinished.items() if begun):
            earlier = [r.id for r in runs[:place] if name in r.cells]
            if earlier and not any(name in r.cells for r in runs[place + 1 :]):
                raise UsageError(
                    f"--runs: run {run.id} began {name[0]} x {name[1]} and was cut off, and no earlier run's cell may stand in "
                    f"for it (here that of {earlier[-1]}); start again, so that a new run ends it, and name that one too"
                )


def _runs_of(by_value: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(run for _, runs in by_value for run in runs))


def _replaced(history: Mapping[CellName, tuple[RunCell, ...]]) -> list[Note]:
    """One note per pair of runs: how many cells of the earlier one gave way, and complete ones to others by name."""
    pairs: dict[tuple[str, str], list[tuple[RunCell, RunCell]]] = {}
    for cells in history.values():
        for earlier in cells[:-1]:
            pairs.setdefault((earlier.run, cells[-1].run), []).append((earlier, cells[-1]))
    notes = []
    for (earlier, later), found in pairs.items():
        worse = [
            f"{old.name[0]} x {old.name[1]} ({new.receipt.status} instead of complete)"
            for old, new in found
            if old.receipt.status == "complete" != new.receipt.status
        ]
        n = len(found)
        what = f"{n} cell{'s' * (n > 1)} of `{earlier}` gave way to {'those' if n > 1 else 'that'} of `{later}`"
        notes.append(
            Note(
                f"{what}: {'; '.join(worse)}." if worse else f"{what}.",
                "Later runs replace earlier cells whole, whatever became of them.",
                (earlier, later),
            )
        )
    return notes


def _unfinished(runs: Iterable[OpenedRun]) -> list[Note]:
    return [
        Note(
            f"`{run.id}` planned {len(run.unfinished)} more cell{'s' * (len(run.unfinished) > 1)} and has no receipt of "
            f"{'them' if len(run.unfinished) > 1 else 'it'}: {'; '.join(f'{c} x {s}' for c, s in run.unfinished)}.",
            f"It is {run.manifest.get('status')}.",
            (run.id,),
        )
        for run in runs
        if run.unfinished
    ]
