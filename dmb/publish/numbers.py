"""How numbers are spelled. Each function takes a number that is known and returns text."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal

Unit = Literal["percent", "index", "signed", "points", "nats", "ms", "usd", "number"]


def percent(share: float) -> str:
    """A share of one as a percentage with one decimal: 0.823 is ``82.3``."""
    return _no_minus_zero(f"{100 * share:.1f}")


def signed_percent(share: Decimal) -> str:
    """A difference as a percentage with two decimals and always a sign: -0.25635 is ``-25.63``."""
    text = f"{100 * share:+.2f}"
    return text if float(text) else "0.00"


def points(difference: float) -> str:
    """A difference of two shares in percentage points, with one decimal and always a sign: 0.0523 is ``+5.2``."""
    text = percent(difference)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def p_value(p: float) -> str:
    """Three decimals; what they cannot show is said to be below them, since no p is 0."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def cut_off(confidence: float) -> str:
    """Three significant digits; what lies just below 1 is never rounded up to certainty."""
    text = f"{confidence:.3g}"
    return "0.999…" if float(text) == 1.0 and confidence < 1.0 else text


def span(low: int, high: int) -> str:
    """``3`` or ``1–4``: a whole number that is known, or known to lie between two."""
    return count(low) if low == high else f"{low:,}–{high:,}"


def index(value: float) -> str:
    """A number of the size of 1 that is no share of rows: three decimals."""
    return _no_minus_zero(f"{value:.3f}")


def signed(value: float) -> str:
    """A difference: three decimals and always a sign, so that the direction is read at once."""
    text = index(value)
    return text if text.startswith("-") or not float(text) else f"+{text}"


def milliseconds(value: float) -> str:
    """About three significant digits: a baseline takes microseconds and a model seconds, in one column."""
    for floor, decimals in ((100, 0), (10, 1), (1, 2)):
        if abs(value) >= floor:
            return f"{value:,.{decimals}f}"
    return _no_minus_zero(f"{value:.3f}")


def usd(value: float | str | Decimal) -> str:
    """Two decimals from ten dollars up, otherwise four: a thousand decisions often cost less than a cent."""
    amount = Decimal(str(value))
    step = Decimal("0.01") if abs(amount) >= 10 else Decimal("0.0001")
    spelled = amount.quantize(step, rounding=ROUND_HALF_EVEN)
    # A charge that is there must never be printed as nothing.
    return "< 0.0001" if amount > 0 and not spelled else f"{spelled:,f}"


def plain(value: float) -> str:
    """A number whose unit this version does not know."""
    return f"{value:.6g}"


def count(value: int) -> str:
    """A whole number with thousands separated."""
    return f"{value:,}"


def things(value: int, one: str, many: str = "") -> str:
    """``1 suite``, ``2 suites``: a count with the word that goes with it."""
    return f"{count(value)} {one if value == 1 else many or one + 's'}"


def of(part: int, whole: int) -> str:
    """``280 / 300``: numerator and denominator, undivided."""
    return f"{part:,} / {whole:,}"


SPELL: dict[Unit, Callable[[float], str]] = {
    "percent": percent,
    "index": index,
    "signed": signed,
    "nats": index,
    "points": points,
    "ms": milliseconds,
    "usd": usd,
    "number": plain,
}

#: What stands in a column's head or a caption for the unit.
UNIT_NAMES: dict[Unit, str] = {
    "percent": "%",
    "index": "0 to 1",
    "signed": "difference",
    "nats": "nats",
    "points": "points",
    "ms": "ms",
    "usd": "USD",
    "number": "",
}


def _no_minus_zero(text: str) -> str:
    return text.lstrip("-") if not float(text) else text
