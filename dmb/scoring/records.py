"""Numbers as a score file holds them."""

from __future__ import annotations

from dmb.contracts.cell import MeasureRecord
from dmb.metrics import Measure

#: Numbers are rounded before they are written, so that the last bit of a sum's order never shows.
SIGNIFICANT_DIGITS = 12


def record(m: Measure) -> MeasureRecord:
    """A measure as it is stored."""
    return MeasureRecord(
        value=rounded(m.value),
        low=rounded(m.low),
        high=rounded(m.high),
        n=m.n,
        num=rounded(m.num) if isinstance(m.num, float) else m.num,
        den=rounded(m.den) if isinstance(m.den, float) else m.den,
        n_groups=m.n_groups,
        note=m.note,
    )


def rounded(x: float | None) -> float | None:
    """To twelve significant digits."""
    return None if x is None else float(f"{x:.{SIGNIFICANT_DIGITS}g}")
