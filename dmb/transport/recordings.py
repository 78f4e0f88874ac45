"""Exchanges on disk: written beside a live transport, and read back without any socket.

One file a request, named by its key: provider, method, path and body. The nth time that a request is sent, its nth
exchange answers. What is written passes an allow-list (``allow_list.py``).
"""

from __future__ import annotations

import base64
import binascii
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from dmb.canonical import digest
from dmb.contracts.recording import RecordedExchange, RecordedRequest, Recording
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.transport.allow_list import AllowList
from dmb.transport.exchange import Exchange, Transport


def exchange_key(request: RecordedRequest) -> str:
    """64 hex digits that name one request to one provider."""
    return digest(request.model_dump(mode="json"))


class Recordings(Protocol):
    """Where exchanges are kept, by provider and key."""

    def path(self, provider: str, key: str) -> Path:
        """For people: where to look."""

    def load(self, provider: str, key: str) -> Recording | None:
        """What was recorded of a request; None when nothing was. Raises ``DamagedFile``."""

    def add(self, key: str, request: RecordedRequest, exchange: RecordedExchange) -> None:
        """One exchange more, whoever else adds at the same time. Raises ``DmbError``."""


class RecordingTransport:
    """A live transport whose exchanges are written down as well."""

    def __init__(self, recordings: Recordings, provider: str, inner: Transport) -> None:
        self._recordings, self._provider, self._inner = recordings, provider, inner
        self._failed: DmbError | None = None

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """As the live transport does; the scrubbed exchange is on disk when this returns.

        A reply that cannot be written down is returned all the same, since it may have been paid for: the error is
        raised before the next request, or when this is closed.
        """
        self._raise_failure()
        x = self._inner.send(method, path, body, headers)
        request = RecordedRequest(provider=self._provider, method=method, path=path, body=body)
        try:
            self._recordings.add(exchange_key(request), request, recordable(x, body))
        except DmbError as e:
            self._failed = e
        return x

    def close(self) -> None:
        """Close the live transport. Raises the ``DmbError`` of an exchange that could not be written down."""
        self._inner.close()
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed


class ReplayTransport:
    """Answers from recordings; has no socket. Times are unknown, since nothing was sent."""

    def __init__(self, recordings: Recordings, provider: str) -> None:
        self._recordings, self._provider = recordings, provider
        self._times: Counter[str] = Counter()
        self._lock = threading.Lock()

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """The recorded exchange. Raises ``MissingEvidence`` with the key of a request that was not recorded so often,
        ``DamagedFile`` for a recording that cannot be read or that is another request's."""
        request = RecordedRequest(provider=self._provider, method=method, path=path, body=body)
        key = exchange_key(request)
        with self._lock:
            nth = self._times[key]
            self._times[key] += 1
        where = self._recordings.path(self._provider, key)
        recording = self._recordings.load(self._provider, key)
        n = len(recording.exchanges) if recording is not None else 0
        if recording is None or nth >= n:
            raise MissingEvidence(
                f"{where}: {method} {path} of {self._provider}, key {key}, was "
                + (f"recorded {n} time{'s' * (n != 1)} only" if n else "never recorded")
                + "; record it with DMB_RECORD"
            )
        if (recording.key, recording.request) != (key, request):
            raise DamagedFile(f"{where}: is damaged: it is no recording of key {key}; put the right file back")
        try:
            return replayed(recording.exchanges[nth])
        except binascii.Error:
            raise DamagedFile(f"{where}: is damaged: exchange {nth + 1} has no base64 in body_base64") from None

    def close(self) -> None:
        """Nothing is open."""


def recordable(x: Exchange, request_body: str) -> RecordedExchange:
    """What of an exchange may be written down, beside the body of its request."""
    allowed = AllowList(request_body)
    # bytes that are no UTF-8 pass through as they are
    body = allowed.body(x.body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    try:
        text, encoded = body.decode("utf-8"), None
    except UnicodeDecodeError:
        text, encoded = None, base64.b64encode(body).decode("ascii")
    return RecordedExchange(
        status=x.status,
        headers=allowed.headers(x.headers),
        body=text,
        body_base64=encoded,
        error=allowed.text(x.error) if x.error is not None else None,
        timed_out=x.timed_out,
        sent=x.sent,
    )


def replayed(x: RecordedExchange) -> Exchange:
    """The exchange again, without its times. Raises ``binascii.Error``."""
    body = (x.body or "").encode("utf-8") if x.body_base64 is None else base64.b64decode(x.body_base64, validate=True)
    return Exchange(status=x.status, headers=x.headers, body=body, error=x.error, timed_out=x.timed_out, sent=x.sent)
