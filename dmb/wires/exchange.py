"""What every wire is made of: a call to send, and how to read what came back. Pure; no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dmb.contracts.attempt import Failure
from dmb.contracts.reply import Reply
from dmb.contracts.request import Request


class Call(NamedTuple):
    """One HTTP request without its credential. ``path`` is appended to the provider's address.

    ``unsupported``: why this contender cannot take the question at all; the call is then not sent.
    """

    path: str
    body: str
    headers: Mapping[str, str] = {}
    method: str = "POST"
    unsupported: str | None = None


class Wire(NamedTuple):
    """``version`` is part of the cell key: raise it when what is sent or how it is read changes an answer.

    ``call(request, model, settings, dialect)``: ``settings`` come from the contender's entry and are part of its key;
    ``dialect`` from the provider's: names of paths and fields in which speakers of one format differ.
    ``read(status, headers, body, slot ids) -> Reply | Failure``: a failure is classified here, and retried, or not, by
    the engine alone. ``authorise(key, dialect)``: headers that carry the credential; they are never logged.
    ``settings`` and ``dialect`` name what entries may set; ``structures`` are the values of ``structured`` that
    negotiation tries, strictest first, and none where the format leaves no choice.
    """

    version: int
    call: Callable[[Request, str, Mapping[str, Any], Mapping[str, Any]], Call]
    read: Callable[[int, Mapping[str, str], bytes, Sequence[str]], Reply | Failure]
    authorise: Callable[[str, Mapping[str, Any]], Mapping[str, str]]
    settings: frozenset[str] = frozenset()
    dialect: frozenset[str] = frozenset()
    structures: tuple[str, ...] = ()
