"""The network, and nothing else: one call out, one exchange back. Live, recorded, or replayed without a socket."""

from __future__ import annotations

#: Names a folder into which every exchange is written, scrubbed.
RECORD_VARIABLE = "DMB_RECORD"

#: Names a folder of recorded exchanges that answer instead of the network.
REPLAY_VARIABLE = "DMB_REPLAY"
