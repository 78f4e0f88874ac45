"""A reply as a wire or a baseline read it: neutral, unjudged, and never written down: what is logged are its bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dmb.contracts.attempt import Usage
from dmb.contracts.decision import ConfidenceKind


class RawAnswer(NamedTuple):
    """One slot as it was written. ``index`` counts from 0; ``label`` is the option's text; probabilities by text
    (a mapping) or in the order shown (a list). Nothing is checked yet: that is what parsing does."""

    index: Any = None
    label: Any = None
    value: Any = None
    confidence: Any = None
    confidence_kind: ConfidenceKind | None = None
    probabilities: Any = None


class Reply(NamedTuple):
    """What came back. At most one of ``refused``, ``truncated``, ``malformed`` says why ``answers`` are not to be used."""

    answers: Mapping[str, RawAnswer] = {}
    refused: str | None = None
    truncated: str | None = None
    malformed: str | None = None
    usage: Usage | None = None
    model: str | None = None
