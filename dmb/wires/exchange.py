"""What every wire is made of: a call to send, and how to read what came back. Pure; no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dmb.contracts.attempt import Failure
from dmb.contracts.reply import Reply
from dmb.contracts.request import Request


@dataclass(frozen=True, slots=True)
class Call:
    """One HTTP request without its credential. ``path`` is appended to the provider's address."""

    path: str
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class Wire:
    """``version`` is part of the cell key: raise it when what is sent or how it is read changes an answer.

    ``call(request, model, settings)``; ``read(status, headers, body) -> Reply | Failure``: a failure is classified
    here and retried, or not, by the engine alone.
    """

    version: int
    call: Callable[[Request, str, Mapping[str, Any]], Call]
    read: Callable[[int, Mapping[str, str], bytes], Reply | Failure]
    authorise: Callable[[str], Mapping[str, str]]
