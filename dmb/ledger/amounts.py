"""US dollars, added without ever rounding."""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow

#: Wide enough for a trillion rows of any amount; should a sum not fit, it raises.
EXACT = Context(prec=100, traps=[Inexact, InvalidOperation, Overflow])

_SMALLEST_EXPONENT = -40
_LARGEST_EXPONENT = 12


def usd(amount: Decimal, what: str) -> Decimal:
    """The amount as it may stand in the ledger. Raises ``ValueError`` for a negative one, NaN, infinity or a float."""
    if not isinstance(amount, Decimal) or not amount.is_finite() or amount < 0:
        raise ValueError(f"{what}: {amount!r} is no amount of US dollars; expected a Decimal of 0 or more")
    if amount.as_tuple().exponent < _SMALLEST_EXPONENT or amount.adjusted() > _LARGEST_EXPONENT:  # type: ignore[operator]
        raise ValueError(f"{what}: {amount!r} has more digits than the ledger keeps (13 before, 40 after the point)")
    # not abs(), which rounds
    return amount.copy_abs()


def usd_text(amount: Decimal) -> str:
    """The decimal string that stands in the ledger: never an exponent."""
    return format(amount, "f")
