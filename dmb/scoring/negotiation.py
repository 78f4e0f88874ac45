"""What the probes of a cell's runs found, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from dmb.contracts.cell import NegotiationSpend
from dmb.contracts.price import PriceRow
from dmb.contracts.receipt import Negotiation, Receipt
from dmb.engine.judge import judge_row
from dmb.engine.probe_question import REQUEST, SHOWN
from dmb.errors import DamagedFile
from dmb.price_tiers import STANDARD
from dmb.scoring.costs import cost_record, nobody_bills, reasons_of
from dmb.store.attempts import first_rows_sha256, read_attempts
from dmb.store.evidence_root import HERE, EvidenceRoot


def negotiation_spend(
    receipt: Receipt, prices: Sequence[PriceRow], tier: str = STANDARD, root: EvidenceRoot = HERE
) -> tuple[NegotiationSpend, ...]:
    """One entry for each run that the receipt names; ``tier``: the one that the contender's entry orders.

    Raises ``DamagedFile`` where a log does not begin with the rows that the receipt recorded.
    """
    return tuple(_spend(found, prices, tier, root) for found in receipt.negotiation)


def _spend(found: Negotiation, prices: Sequence[PriceRow], tier: str, root: EvidenceRoot) -> NegotiationSpend:
    log = root.at(found.log)
    cost = note = None
    if nobody_bills(prices):
        note = "not billed"
    elif found.n_attempts is None or not log.exists():
        # an earlier run may be deleted once its rows are imported, and no score hangs on its probes
        note = f"the log of run {found.run}'s probes is not here"
    else:
        if first_rows_sha256(log, found.n_attempts) != found.log_sha256:
            raise DamagedFile(f"{log}: does not begin with the rows that the receipt recorded; put the right file back")
        rows = list(islice(read_attempts(log), found.n_attempts))
        cost = cost_record(((row, judge_row(row, SHOWN, REQUEST.slots).usage) for row in rows), prices, tier)
        note = reasons_of(cost) or None
    return NegotiationSpend(
        run=found.run,
        settings=found.settings,
        given_up=found.given_up,
        n_probes=found.n_probes,
        n_attempts=found.n_attempts,
        cost=cost,
        note=note,
    )
