"""When two texts count as the same one."""

from __future__ import annotations

import re

_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


def norm_text(text: str) -> str:
    """Lower case, every run of non-alphanumerics one space, none outside. May be empty (a smiley)."""
    return _NOT_ALPHANUMERIC.sub(" ", text.lower()).strip()
