"""Which key came with a request, and whether it opens."""

from __future__ import annotations

from collections.abc import Mapping

from dmb.simulate.asked import Refused
from dmb.simulate.speakers import Speaker


def credential(speaker: Speaker, headers: Mapping[str, str]) -> str:
    """From the headers that this provider reads; empty without one."""
    for name in speaker.key_in or ("authorization",):
        value = headers.get(name, "")
        if name == "authorization":
            scheme, _, token = value.partition(" ")
            value = token.strip() if scheme.lower() == "bearer" else ""
        if value:
            return value
    return ""


def check_key(speaker: Speaker, headers: Mapping[str, str], key: str | None) -> None:
    """Any key will do unless the scenario names one; a server of one's own wants one only then. Raises ``Refused``."""
    if key is None and not speaker.key_in:
        return
    given = credential(speaker, headers)
    if not given:
        raise Refused("no_key", "a key is required")
    if key is not None and given != key:
        raise Refused("bad_key", "the key is not valid")
