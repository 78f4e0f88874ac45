"""What a run has spent, as the ledger of its release has it."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from dmb.ledger.amounts import usd_text
from dmb.ledger.refusals import LedgerUnusable
from dmb.ledger.shelf import read_totals
from dmb.pricing import sum_usd
from dmb.store.files import load_json
from dmb.store.layout import budget_dir, receipt_path, run_dir
from dmb.store.receipts import load_receipt
from dmb.store.restored import is_restored
from dmb.store.runs import all_runs

#: What a run's spending is told apart by. Unsettled: reserved for attempts whose charge never became known.
SPEND_KINDS = ("scored", "negotiation", "unsettled")


def spend_of(run: str, plan: dict[str, Any]) -> dict[str, str] | None:
    """US dollars of a run that asks nobody any more, by kind, as decimal strings; None where a ledger cannot be read.

    ``plan``: that of the run, which may work for several releases.
    """
    try:
        mine = [read_totals(budget_dir(release), run) for release in sorted(_releases(plan))]
    except LedgerUnusable:
        return None
    spent = (
        sum_usd(t.scored_usd for t in mine),
        sum_usd(t.negotiation_usd for t in mine),
        # a process that is gone settles nothing any more, and everybody of this run is gone
        sum_usd(amount for t in mine for amount in (t.unsettled_usd, t.reserved_open_usd)),
    )
    return {kind: usd_text(amount) for kind, amount in zip(SPEND_KINDS, spent, strict=True)}


def _releases(plan: dict[str, Any]) -> set[str]:
    return {plan["release"]} | {cell.get("release", plan["release"]) for cell in plan["cells"].values()}


def committed_of(release: str) -> str | None:
    """US dollars that a release has committed over all its runs; None where its ledger cannot be read."""
    try:
        return usd_text(read_totals(budget_dir(release)).committed_usd)
    except LedgerUnusable:
        return None


def refuse_lost_ledgers(releases: Iterable[str]) -> None:
    """Nothing is spent on a ledger that holds less than the runs of its release say that they have spent.

    Raises ``LedgerUnusable``: the folder was deleted, wholly or in part, and with it the cap.
    """
    told = {release: Decimal(0) for release in releases}
    for run in all_runs():
        plan, manifest = run_dir(run) / "plan.json", run_dir(run) / "manifest.json"
        if not (plan.exists() and manifest.exists()) or is_restored(run):
            continue
        worked_for, spend = _releases(load_json(plan)), load_json(manifest).get("spend_usd")
        # what a run has spent on several releases is not told apart in its manifest
        if spend is not None and len(worked_for) == 1 and (release := next(iter(worked_for))) in told:
            told[release] += Decimal(spend["scored"]) + Decimal(spend["negotiation"])
    for release, amount in sorted(told.items()):
        held = read_totals(budget_dir(release)).settled_usd
        if held < amount:
            raise LedgerUnusable(
                f"{budget_dir(release)}: holds {usd_text(held)} USD, and the runs of {release} have spent {usd_text(amount)}; "
                "put the folder back as it was: the cap is for all that a release has ever spent"
            )


def spend_told(manifest: dict[str, Any]) -> dict[str, str | None]:
    """What a run has spent by kind, as its manifest says; None where nobody can say.

    A release is published while its run is still open, and a killed run was never closed: their manifests do not say it
    yet. Where nothing more can be spent, the ledger already says what the manifest would.
    """
    spend = manifest["spend_usd"] if "spend_usd" in manifest else _by_the_ledger(manifest)
    return {kind: (spend or {}).get(kind) for kind in SPEND_KINDS}


def _by_the_ledger(manifest: dict[str, Any]) -> dict[str, str] | None:
    path = run_dir(manifest["run"]) / "plan.json"
    if not path.exists():
        return None
    plan = load_json(path)
    receipts = {key: receipt_path(c["contender"], c["suite"], key, c["number"]) for key, c in plan["cells"].items()}
    if manifest.get("status") == "running" and not all(receipt.exists() for receipt in receipts.values()):
        return None
    for key, cell in plan["cells"].items():
        # a ledger that is lost is no ledger of nothing
        lost = not budget_dir(cell.get("release", plan["release"])).is_dir()
        if lost and _may_have_spent(cell, receipts[key]):
            return None
    return spend_of(manifest["run"], plan)


def _may_have_spent(cell: dict[str, Any], receipt: Path) -> bool:
    if cell["skip"] is not None or not cell["provider"].get("billed", True):
        return False
    return not receipt.exists() or load_receipt(receipt).n_asked > 0
