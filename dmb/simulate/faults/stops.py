"""Faults of why the model stopped."""

from __future__ import annotations

from dmb.simulate.asked import Refused
from dmb.simulate.compose import stop_at_length
from dmb.simulate.draft import Draft
from dmb.simulate.faults.bodies import cut_json
from dmb.simulate.written import as_text


def refusal(draft: Draft) -> None:
    """The model declines, in the wire's own way. jev and Cloudflare have none and answer."""
    _decline(draft, "refusal")


def content_filter(draft: Draft) -> None:
    """A filter stops the reply or blocks the prompt, in the wire's own way; where there is none, like a refusal."""
    _decline(draft, "content_filter")


def _decline(draft: Draft, stop: str) -> None:
    if draft.asked.shape == "openrouter":
        draft.error = Refused("content_policy", "the model declines")
        draft.worked = False
        return
    draft.stop = "refusal" if stop == "refusal" else "content_filter"
    draft.tokens.reasoning = 0
    draft.reasoning = ""
    for a in draft.answers.values():
        a.refused = True


def truncated(draft: Draft) -> None:
    """The output cap was reached halfway, and the stop reason says so. A decision service has none: its JSON is cut."""
    if draft.answers:
        cut_json(draft)
        return
    stop_at_length(draft, len(as_text(draft.value)) // 2)


def truncated_silently(draft: Draft) -> None:
    """The answer is cut halfway, and the reply says that all is well."""
    if draft.answers:
        cut_json(draft)
    elif draft.understood.tool and isinstance(draft.value, dict):
        # what a tool was given so far
        draft.value = dict(list(draft.value.items())[: len(draft.value) // 2])
        draft.write.append(lambda text: text[: len(text) // 2])
    else:
        half = len(as_text(draft.value)) // 2
        draft.write.append(lambda text: text[:half])


def eaten_by_reasoning(draft: Draft) -> None:
    """Reasoning takes the whole output cap: no text at all, and the stop reason is length."""
    if draft.answers:
        return
    cap = draft.understood.output_cap or 1024
    stop_at_length(draft, 0)
    draft.reasoning = "simulated thoughts"
    draft.tokens.output = draft.tokens.reasoning = cap


def empty(draft: Draft) -> None:
    """The model writes nothing, and the reply says that all is well. A decision service sends no answers."""
    draft.answers = {}
    draft.value = {} if draft.understood.tool else ""
    draft.write.append(lambda text: "")
