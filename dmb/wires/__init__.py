"""How to ask over HTTP: one file a format."""

from __future__ import annotations

from dmb.wires import systemone
from dmb.wires.exchange import Wire

WIRES: dict[str, Wire] = {"systemone": systemone.WIRE}

#: Formats that entries may name already and that cannot be spoken yet: their cells are skipped with that reason.
WIRES_TO_COME = frozenset({"decisions", "chat_completions", "responses", "messages", "generate_content"})
