"""The network, and nothing else: one call out, one exchange back. Live, recorded, or replayed without a socket."""

from __future__ import annotations

from dmb.transport.exchange import Exchange, Transport
from dmb.transport.live import LiveTransport
from dmb.transport.recordings import RecordingTransport, ReplayTransport

__all__ = [
    "RECORD_VARIABLE",
    "REPLAY_VARIABLE",
    "Exchange",
    "LiveTransport",
    "RecordingTransport",
    "ReplayTransport",
    "Transport",
]

#: Names a folder into which every exchange is written, scrubbed.
RECORD_VARIABLE = "DMB_RECORD"

#: Names a folder of recorded exchanges that answer instead of the network.
REPLAY_VARIABLE = "DMB_REPLAY"
