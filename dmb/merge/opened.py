"""One run directory, opened for merging: its ending, its cells with their receipts, and what it was asked and priced with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dmb.canonical import digest, sha256_hex
from dmb.contracts.contender import Contender
from dmb.contracts.price import PriceRow, PricesFile
from dmb.contracts.receipt import Receipt
from dmb.errors import DamagedFile, InputError, MissingEvidence, UsageError
from dmb.inputs import nearest, parse_toml, validate
from dmb.kernel_lock import is_held
from dmb.store.attempts import read_attempts
from dmb.store.files import load_json
from dmb.store.layout import RUNS, raw_log, receipt_path, run_dir
from dmb.store.receipts import load_receipt
from dmb.store.runs import all_runs, run_owner, stops_dir

#: (contender, suite)
CellName = tuple[str, str]

#: What a plan says of each cell, as far as merging leans on it.
_PLANNED = ("contender", "suite", "number", "entry", "instructions", "items", "parts", "protocol", "slots")


@dataclass(frozen=True, slots=True)
class RunCell:
    """One cell as one run ended it. ``planned``: what the run was born with for it."""

    run: str
    receipt_path: Path
    receipt: Receipt
    planned: Mapping[str, Any]
    prices: tuple[PriceRow, ...]

    @property
    def name(self) -> CellName:
        """(contender, suite)."""
        return self.receipt.contender, self.receipt.suite

    @property
    def entry(self) -> Contender:
        """The contender as this run asked it."""
        return Contender.model_validate(self.planned["entry"])


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """``unfinished``: planned cells that got no receipt -> whether the run had begun to ask them."""

    id: str
    manifest: Mapping[str, Any]
    cells: Mapping[CellName, RunCell]
    unfinished: Mapping[CellName, bool]

    @property
    def simulated(self) -> bool:
        """Whether any of its cells holds simulated answers."""
        return any(cell.receipt.simulated for cell in self.cells.values())


def run_id(typed: str) -> str:
    """The id behind an id or a path of a run directory of this project. Raises ``UsageError``."""
    path = Path(typed)
    name = path.name or path.resolve().name
    inside = len(path.parts) == 1 or path.resolve().parent == RUNS.resolve()
    if not inside:
        raise UsageError(f"--runs: {typed} does not lie in {RUNS}/ of this folder; put the directory there first")
    if not name or name.startswith(("_", ".")) or not run_dir(name).is_dir():
        raise UsageError(f"--runs: {RUNS / (name or typed)} is no run directory; {nearest(name, all_runs())}")
    return name


def open_run(run: str) -> OpenedRun:
    """Read what a run says of itself, and hold its parts against each other.

    Raises ``UsageError`` for a run that is still open or of another layout, ``DamagedFile`` or ``MissingEvidence`` for
    one whose parts contradict each other or are not there.
    """
    home = run_dir(run)
    manifest, plan = (_table(home / name) for name in ("manifest.json", "plan.json"))
    _must_have_ended(run, manifest)
    if not isinstance(plan.get("cells"), dict) or not isinstance(manifest.get("items"), dict):
        raise _foreign(home, "its plan names no cells, or its manifest no items")
    for path, table in ((home / "manifest.json", manifest), (home / "plan.json", plan)):
        if table.get("run") != run:
            raise DamagedFile(f"{path}: is of run {table.get('run')!r}; put the right file back, or leave the run out")
    prices = _prices(home / "prices.toml", manifest)
    cells: dict[CellName, RunCell] = {}
    unfinished: dict[CellName, bool] = {}
    for key, planned in plan["cells"].items():
        if lacking := next((field for field in _PLANNED if field not in planned), None):
            raise _foreign(home, f"its plan says no {lacking!r} of cell {key[:16]}")
        name = (planned["contender"], planned["suite"])
        if name in cells or name in unfinished:
            raise DamagedFile(f"{home / 'plan.json'}: {name[0]} x {name[1]} stands twice; leave the run out")
        path = receipt_path(*name, key, planned["number"])
        if not path.exists():
            _must_not_be_lost(run, key, path)
            unfinished[name] = _has_begun(run, name, key)
            continue
        receipt = _receipt(path, key, planned)
        # an orphan of an earlier start may have answered it meanwhile, under that start's name
        if receipt.run == run:
            cells[name] = RunCell(run, path, receipt, planned, _rows_of(prices, planned))
    return OpenedRun(run, manifest, cells, unfinished)


def _table(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise _foreign(path.parent, f"it has no {path.name}")
    table = load_json(path)
    if not isinstance(table, dict):
        raise DamagedFile(f"{path}: is damaged: it holds no table; put the right file back, or leave the run out")
    return table


def _foreign(home: Path, why: str) -> UsageError:
    return UsageError(f"--runs: {home} is no run of this version's layout: {why}; leave it out")


def _must_have_ended(run: str, manifest: Mapping[str, Any]) -> None:
    if manifest.get("status") != "running":
        return
    home = run_dir(run)
    found = run_owner(run).standing(home, not is_held(home / "alive"))
    if found.standing == "held":
        raise UsageError(f"--runs: run {run} is still at work; wait for its end (`dmb watch {run}`)")
    if found.standing == "unknown":
        raise UsageError(f"--runs: run {run} was never closed, and {found.why}; see `dmb release-lock`")
    raise UsageError(
        f"--runs: run {run} was never closed, and its process is gone; the next start of snakemake closes it"
    )


def _receipt(path: Path, key: str, planned: Mapping[str, Any]) -> Receipt:
    receipt = load_receipt(path)
    same = {
        "cell_key": key,
        "number": planned["number"],
        "contender": planned["contender"],
        "suite": planned["suite"],
        "items": planned["items"]["sha256"],
        "parts": planned["parts"],
    }
    for field, wanted in same.items():
        if getattr(receipt, field) != wanted:
            raise DamagedFile(f"{path}: {field} is not what the run planned; put the right file back")
    if digest(receipt.parts) != receipt.cell_key:
        raise DamagedFile(f"{path}: cell_key is not the digest of its parts; put the right file back")
    return receipt


def _must_not_be_lost(run: str, key: str, path: Path) -> None:
    """Raises ``MissingEvidence`` where the run's index, written at its end, knows a receipt that is not there."""
    index = run_dir(run) / "cells.json"
    if not index.exists():
        return
    rows = load_json(index)
    if any(isinstance(row, dict) and row.get("cell_key") == key and row.get("receipt") for row in rows):
        raise MissingEvidence(
            f"{path}: the receipt is not here; put it back, or start again: a new run takes its rows over, and asks nothing"
        )


def _has_begun(run: str, name: CellName, key: str) -> bool:
    if (stops_dir(run) / f"failed.{key[:16]}").exists():
        return True
    return any(True for _ in read_attempts(raw_log(run, *name), key))


def _prices(path: Path, manifest: Mapping[str, Any]) -> PricesFile:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise MissingEvidence(f"{path}: is not here, and a merged report is priced from it; put it back") from None
    if sha256_hex(data) != manifest.get("prices_sha256"):
        raise DamagedFile(f"{path}: sha256 differs from the manifest's; put the right file back")
    text = data.decode("utf-8")
    return validate(PricesFile, parse_toml(text, str(path)), str(path), text)


def _rows_of(prices: PricesFile, planned: Mapping[str, Any]) -> tuple[PriceRow, ...]:
    """The rows of a cell's model as the run had them; the plan holds one of its own where its provider bills nobody."""
    entry = planned["entry"]
    rows = tuple(r for r in prices.price if (r.provider, r.model) == (entry["provider"], entry["model"]))
    try:
        return rows or tuple(PriceRow.model_validate(row) for row in planned.get("prices", ()))
    except ValidationError:
        raise InputError("plan.json", "prices", "hold no price rows", "leave the run out") from None
