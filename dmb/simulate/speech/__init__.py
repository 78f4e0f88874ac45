"""How each wire is heard and spoken, by name; seen from the provider's side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dmb.simulate.asked import Asked, Understood
from dmb.simulate.draft import Draft
from dmb.simulate.speech import (
    chat_completions,
    decisions,
    generate_content,
    messages,
    responses,
    systemone,
)


@dataclass(frozen=True, slots=True)
class Speech:
    """``understand`` raises ``Refused`` for what the provider would not take; ``reply`` is the JSON of a success."""

    understand: Callable[[Asked], Understood]
    reply: Callable[[Draft], dict[str, Any]]


SPEECH: dict[str, Speech] = {
    "systemone": Speech(systemone.understand, systemone.reply),
    "decisions": Speech(decisions.understand, decisions.reply),
    "chat_completions": Speech(chat_completions.understand, chat_completions.reply),
    "responses": Speech(responses.understand, responses.reply),
    "messages": Speech(messages.understand, messages.reply),
    "generate_content": Speech(generate_content.understand, generate_content.reply),
}
