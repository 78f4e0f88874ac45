"""Who is asked: one interface over baselines in this process (``baseline_asker``) and servers behind HTTP."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from dmb.contracts.attempt import Failure
from dmb.contracts.request import Request
from dmb.engine.asked import Asked
from dmb.engine.lag import LagMeter, lag_ms
from dmb.transport import RECORD_VARIABLE
from dmb.transport.exchange import Transport
from dmb.transport.live import LiveTransport
from dmb.turns import NOBODY_ELSE
from dmb.wires import WIRES
from dmb.wires.exchange import Call


class Asker(Protocol):
    """``name`` and ``version`` are logged with each attempt; ``concurrency`` is how many may be in flight."""

    name: str
    version: int
    concurrency: int

    def call(self, request: Request) -> Call | None:
        """What would be sent for it; None where nothing leaves the process."""

    def ask(self, request: Request, call: Call | None, key: tuple[str, int, int], option_ids: tuple[str, ...]) -> Asked:
        """One attempt."""

    def close(self) -> None:
        """Nothing is asked afterwards."""


class WireAsker:
    """Asks a server in one of the wire formats. With ``replay``, a folder of recordings, it has no socket, and the
    address does not matter. ``waiting``: what is entered while the server is waited for."""

    def __init__(
        self,
        wire: str,
        model: str,
        settings: Mapping[str, Any],
        dialect: Mapping[str, Any],
        provider: str,
        address: str,
        credential: str | None,
        concurrency: int,
        timeout_s: float,
        replay: Path | None = None,
        waiting: AbstractContextManager = NOBODY_ELSE,
    ) -> None:
        self.name = f"wire:{wire}"
        self.version = WIRES[wire].version
        self.concurrency = concurrency
        self.settings = settings
        self._wire, self._model, self._dialect = WIRES[wire], model, dialect
        self._headers = dict(self._wire.authorise(credential, dialect)) if credential else {}
        secrets = (credential,) if credential else ()
        self._transport = _transport(provider, address, timeout_s, secrets, replay, waiting)
        self._lag = LagMeter()
        self._replays = replay is not None

    def call(self, request: Request) -> Call:
        """The HTTP call without its credential."""
        return self._wire.call(request, self._model, self.settings, self._dialect)

    def ask(self, request: Request, call: Call | None, key: tuple[str, int, int], option_ids: tuple[str, ...]) -> Asked:
        """One HTTP call, or none for a question that the wire cannot put. What the network does is returned, not raised."""
        assert call is not None
        if call.unsupported is not None:
            return Asked(failure=Failure(kind="unsupported", detail=call.unsupported))
        before = self._lag.read_ns()
        x = self._transport.send(call.method, call.path, call.body, {**call.headers, **self._headers})
        waited = lag_ms(before, self._lag.read_ns())
        failure = None
        if x.error is not None:
            failure = Failure(kind="timeout" if x.timed_out else "transport", detail=x.error)
        return Asked(
            body=call.body,
            status=x.status,
            headers=x.headers,
            reply=x.body,
            failure=failure,
            request_ms=x.request_ms,
            first_byte_ms=x.first_byte_ms,
            connect_ms=x.connect_ms,
            tls_ms=x.tls_ms,
            new_connection=x.new_connection,
            client_wait_ms=x.client_wait_ms,
            lag_ms=None if self._replays else waited,
            sent=x.sent,
            n_scrubbed=x.n_scrubbed,
        )

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


def _transport(
    provider: str,
    address: str,
    timeout_s: float,
    secrets: tuple[str, ...],
    replay: Path | None,
    waiting: AbstractContextManager,
) -> Transport:
    """To one provider. The environment may ask for a recording; what may be replayed is the plan's to say."""
    folder = os.environ.get(RECORD_VARIABLE)
    if replay is None and not folder:
        return LiveTransport(address, timeout_s, secrets, waiting)
    # most runs neither record nor replay
    from dmb.store.exchanges import ExchangeFolder
    from dmb.transport.recordings import RecordingTransport, ReplayTransport

    if replay is not None:
        recordings = ExchangeFolder(replay)
        recordings.check()
        return ReplayTransport(recordings, provider)
    recordings = ExchangeFolder(Path(folder or ""))
    recordings.make()
    return RecordingTransport(recordings, provider, LiveTransport(address, timeout_s, secrets, waiting))
