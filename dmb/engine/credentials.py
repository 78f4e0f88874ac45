"""The key of a provider, from the environment: found, and fit to be sent. Its value stands in no message."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dmb.errors import UsageError

#: What a header can carry and a shell leaves alone.
_SENDABLE = re.compile(r"[!-~]+")


def find_credential(names: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The value of the first of these variables that is set to more than blanks, without blanks around it: a line feed
    at the end is a slip of the shell. None where none is set.

    Raises ``UsageError``, which names the variable alone, for a value that no header can carry.
    """
    for name in names:
        value = environment.get(name, "").strip()
        if not value:
            continue
        if not _SENDABLE.fullmatch(value):
            raise UsageError(
                f"{name}: holds a blank or a character that no HTTP header can carry; set it to the key and nothing else"
            )
        return value
    return None
