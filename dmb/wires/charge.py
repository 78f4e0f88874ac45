"""What a reply says that it was charged, to the digit."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Any

#: Where gateways put it, below ``usage``: OpenRouter's `cost` (US dollars; in its SDK, 2026-11) and what OpenCode's
#: gateway measured (in a published benchmark of 2026-10).
_PLACES = (("cost",), ("opencode", "list_cost"))

#: More than any question costs, and finer than any bill is written: beyond these a number is no charge.
_BELOW_USD = 10**6
_FINEST_EXPONENT = -40


def charged_usd(usage: Any, body: bytes) -> Decimal | None:
    """The provider's charge for one attempt in US dollars, exactly as its digits say; None where it says none.

    ``usage``: that of the reply, read; ``body``: the whole reply, valid JSON with that ``usage`` at its top. A text, a
    boolean, a negative number and one out of all proportion are no charge. With a key of one's own the gateway's
    figure is its fee alone, and so is none either.
    """
    if not isinstance(usage, dict) or usage.get("is_byok") is True:
        return None
    place = next((p for p in _PLACES if _is_number(_at(usage, p))), None)
    if place is None:
        return None
    # read again with fractions as they are written: a float would have rounded them
    written = _at(json.loads(body, parse_float=str)["usage"], place)
    try:
        charge = Decimal(written)
    except InvalidOperation:
        return None
    if not 0 <= charge < _BELOW_USD or int(charge.as_tuple().exponent) < _FINEST_EXPONENT:
        return None
    return charge.copy_abs()


def _at(usage: dict[str, Any], place: tuple[str, ...]) -> Any:
    value: Any = usage
    for name in place:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
