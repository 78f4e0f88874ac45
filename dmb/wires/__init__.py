"""How to ask over HTTP: one file a format."""

from __future__ import annotations

from dmb.wires import chat_completions, decisions, generate_content, messages, responses, systemone
from dmb.wires.exchange import Wire

WIRES: dict[str, Wire] = {
    "systemone": systemone.WIRE,
    "chat_completions": chat_completions.WIRE,
    "responses": responses.WIRE,
    "messages": messages.WIRE,
    "generate_content": generate_content.WIRE,
    "decisions": decisions.WIRE,
}
