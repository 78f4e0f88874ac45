"""Tiers: what providers call them, and what price rows call them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

STANDARD = "standard"

#: The setting under which a tier is ordered, whatever the wire's own field.
SETTING = "service_tier"

#: Words of providers that are no row's. "auto" leaves the choice to the provider and so names none.
_OURS: dict[str, str | None] = {
    "auto": None,
    "unspecified": None,
    "default": STANDARD,
    "standard-only": STANDARD,
    "on-demand": STANDARD,
    # ordered as either, reported as the second
    "fast": "priority",
}


def tier_named(word: Any) -> str | None:
    """The tier that a provider's word stands for, as price rows write it; None where it names none.

    A word that is not known here is kept: where no row has that tier, the price is unknown and the word says why.
    """
    if not isinstance(word, str):
        return None
    name = re.sub(r"[^a-z0-9]+", "-", word.lower())[:60].strip("-")
    return _OURS.get(name, name) or None


def ordered_tier(settings: Mapping[str, Any]) -> str:
    """The tier that a contender's entry orders."""
    return tier_named(settings.get(SETTING)) or STANDARD
