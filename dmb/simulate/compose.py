"""A sound request -> the reply in the making, before any fault."""

from __future__ import annotations

from dmb.simulate.answers import answer
from dmb.simulate.asked import Asked, Refused, Understood
from dmb.simulate.draft import Draft
from dmb.simulate.tokens import CHARACTERS, Tokens, tokens_of
from dmb.simulate.written import as_text, written_answer

#: Google's confidence is the top probability; the others correct it for chance.
_TOP_IS_CONFIDENCE = ("google",)


def compose(asked: Asked, understood: Understood, context_tokens: int) -> Draft:
    """Raises ``Refused`` for a prompt that is longer than the context."""
    size = tokens_of(understood.texts)
    if size > context_tokens:
        raise Refused("context", f"{size} tokens, and {context_tokens} is the limit", "messages")
    draft = Draft(asked, understood, Tokens(size, 0), asked.speaker.dated.get(asked.model, asked.model))
    if understood.questions:
        top = asked.shape in _TOP_IS_CONFIDENCE
        draft.answers = {q.id: answer(q, asked.speaker.decimals, top) for q in understood.questions}
        draft.tokens.output = 0 if asked.shape == "cloudflare" else 2 * len(draft.answers)
        return draft
    draft.value = written_answer(understood, asked.draw)
    _write(draft)
    return draft


def _write(draft: Draft) -> None:
    """Reasoning first, then the answer; what does not fit into the output cap is cut off, as it would be for real."""
    text, cap = as_text(draft.value), draft.understood.output_cap
    reasoning = 8 + draft.asked.draw.below(24, "reasoning") if draft.understood.reasons else 0
    draft.reasoning = "simulated thoughts" if reasoning else ""
    draft.tokens.reasoning = reasoning
    draft.tokens.output = reasoning + tokens_of((text,))
    if cap is not None and draft.tokens.output > cap:
        stop_at_length(draft, max(0, cap - reasoning) * CHARACTERS)
        draft.tokens.output, draft.tokens.reasoning = cap, min(cap, reasoning)


def stop_at_length(draft: Draft, characters: int) -> None:
    """The model stops after so many characters of its answer, and says so."""
    draft.stop = "length"
    draft.write.append(lambda text: text[:characters])
