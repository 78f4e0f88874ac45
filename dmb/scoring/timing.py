"""How the times of a cell were taken: what disturbed them, and what is kept apart from them."""

from __future__ import annotations

from collections.abc import Sequence

from dmb import metrics
from dmb.contracts.cell import MeasureRecord, TimingRecord
from dmb.scoring.costs import unsent
from dmb.scoring.evidence import Row
from dmb.scoring.records import record


def timing_record(rows: Sequence[Row]) -> TimingRecord | None:
    """Over all attempts that were sent over a wire, repeats and retries included; None where there are none."""
    sent = [a.timing for r in rows for a in r.attempts if a.asker.startswith("wire:") and not unsent(a)]
    if not sent:
        return None
    # what ended in an error waited for the network, and nobody knows how long for what
    timed = [t for t in sent if t.request_ms is not None]
    lagged = [metrics.is_lagged(t.lag_ms, t.request_ms) for t in sent if t.lag_ms is not None]
    opened = [t.new_connection for t in sent if t.new_connection is not None]
    return TimingRecord(
        n_attempts=len(sent),
        n_timed=len(timed),
        lagged=record(metrics.share(lagged, "no lag was recorded")),
        new_connections=record(metrics.share(opened, "connections were not recorded")),
        connect_ms=_median([t.connect_ms for t in sent], "no connection was opened"),
        tls_ms=_median([t.tls_ms for t in sent], "no connection was secured"),
        first_byte_ms=_median([t.first_byte_ms for t in timed], "no first byte was timed"),
        client_wait_ms=_median([t.client_wait_ms for t in timed], "no whole reply came"),
    )


def _median(values_ms: Sequence[float | None], empty: str) -> MeasureRecord:
    return record(metrics.median([v for v in values_ms if v is not None], empty))
