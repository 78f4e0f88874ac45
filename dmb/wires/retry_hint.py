"""How long a server asks to wait, in the three header forms in use."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping


def retry_after_s(headers: Mapping[str, str], now: dt.datetime) -> float | None:
    """Seconds from ``retry-after-ms``, ``retry-after`` as seconds, or as an HTTP date; None for nonsense or nothing.

    ``headers`` have lower-case names; ``now`` is aware.
    """
    if (ms := _number(headers.get("retry-after-ms"))) is not None:
        return ms / 1000
    text = headers.get("retry-after")
    if text is None or (seconds := _number(text)) is not None:
        return None if text is None else seconds
    from email.utils import parsedate_to_datetime  # rarely needed, and slow to load

    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=dt.UTC)
    return max(0.0, (when - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return value if 0 <= value < float("inf") else None
