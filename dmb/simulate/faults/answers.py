"""Faults of what was answered. `index` is the number that a language model gives; of a decision service it is the choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dmb.simulate.draft import Draft


def index_bool(draft: Draft) -> None:
    """The index is true; so is the choice of a decision service."""
    _choose(draft, lambda _: True, True)


def index_float(draft: Draft) -> None:
    """The index is a float, 1.0 for 1; the choice of a decision service is 1.0."""
    _choose(draft, float, 1.0)


def index_string(draft: Draft) -> None:
    """The index is a text, "1" for 1. A decision service's choice is one anyway."""
    _choose(draft, str, None)


def index_out_of_range(draft: Draft) -> None:
    """The index is 9999; a decision service chooses what was not offered."""
    _choose(draft, lambda _: 9999, "option 9999")


def index_negative(draft: Draft) -> None:
    """The index is -1; the choice of a decision service is the number -1."""
    _choose(draft, lambda _: -1, -1)


def unknown_choice(draft: Draft) -> None:
    """A choice that is not among the options: their number for a language model, another text for a decision service."""
    n = draft.understood.options
    _choose(draft, lambda _: n or 9999, "none of these")


def confidence_85(draft: Draft) -> None:
    """The confidence is 85, as if in percent."""
    _be_sure(draft, 85)


def confidence_negative(draft: Draft) -> None:
    """The confidence is -0.5."""
    _be_sure(draft, -0.5)


def confidence_string(draft: Draft) -> None:
    """The confidence is the text "0.9"."""
    _be_sure(draft, "0.9")


def confidence_missing(draft: Draft) -> None:
    """There is no confidence. Probabilities, where the wire has them, are still there."""
    for part in _parts(draft.value):
        part.pop("confidence", None)
    draft.edit.append(lambda told: _each_answer(told, lambda a: {k: v for k, v in a.items() if k != "confidence"}))


def nan(draft: Draft) -> None:
    """The confidence is NaN, which is no JSON."""
    _be_sure(draft, float("nan"))


def duplicate_keys(draft: Draft) -> None:
    """The answer's first key stands twice, with another value the second time."""
    if isinstance(draft.value, dict):
        draft.value = _Doubled(draft.value)
    draft.edit.append(lambda told: _each_answer(told, _Doubled))


def probabilities_off(draft: Draft) -> None:
    """The probabilities sum to a half. A language model has none."""
    for a in draft.answers.values():
        a.probabilities = [p / 2 for p in a.probabilities]


def extra_answer(draft: Draft) -> None:
    """An answer to a question that nobody asked."""
    if isinstance(draft.value, dict):
        draft.value["nobody-asked"] = {"choice_index": 0, "confidence": 0.5}

    def add(told: Any) -> None:
        answers = _answers(told)
        if isinstance(answers, dict):
            answers["nobody-asked"] = {"type": "noul", "noul": 0.5}
        elif isinstance(answers, list):
            answers.append({"type": "predicate", "name": "nobody-asked", "probability": 0.5})

    draft.edit.append(add)


def missing_answer(draft: Draft) -> None:
    """One question has no answer; a language model leaves out the index."""
    for part in _parts(draft.value):
        part.pop("choice_index", None)
    if draft.answers:
        draft.answers.pop(next(iter(draft.answers)))


def prose_around(draft: Draft) -> None:
    """A sentence before the JSON and one after it; before the call of a tool a text of its own."""
    draft.around = "Let me think about this."
    draft.write.append(lambda text: f"Here is my answer: {text} I hope that helps.")


def fenced(draft: Draft) -> None:
    """The JSON stands in a Markdown fence; the call of a tool is as it was."""
    draft.write.append(lambda text: f"```json\n{text}\n```")


def line_separators(draft: Draft) -> None:
    """U+2028 and U+2029 stand in a text of the reply, unescaped, which JSON allows."""
    note = "a\u2028b\u2029c"
    if isinstance(draft.value, dict):
        draft.value["note"] = note
    if draft.answers:
        draft.edit.append(lambda told: told.update(x_note=note))


class _Doubled(dict[str, Any]):
    """Written by ``json`` with its first key twice."""

    def items(self) -> Any:
        pairs = list(super().items())
        return pairs if not pairs else [*pairs, (pairs[0][0], 0)]


def _choose(draft: Draft, index: Callable[[int], Any], choice: Any) -> None:
    for part in _parts(draft.value):
        if isinstance(part.get("choice_index"), int):
            part["choice_index"] = index(part["choice_index"])
    for a in draft.answers.values():
        if choice is not None and a.question.kind == "choice":
            a.choice = choice


def _be_sure(draft: Draft, confidence: Any) -> None:
    for part in _parts(draft.value):
        part["confidence"] = confidence
    for a in draft.answers.values():
        a.confidence = confidence


def _parts(value: Any) -> list[dict[str, Any]]:
    """The answers in what a language model wrote: the object itself, or one for each of several slots."""
    if not isinstance(value, dict):
        return []
    several = [v for v in value.values() if isinstance(v, dict)]
    return several if several and "choice_index" not in value else [value]


def _answers(told: Any) -> Any:
    """The answers of a decision service's reply, which Cloudflare wraps."""
    held = told.get("result") if isinstance(told.get("result"), dict) else told
    return held.get("answers")


def _each_answer(told: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    answers = _answers(told)
    if isinstance(answers, dict):
        answers.update({k: change(a) for k, a in answers.items()})
    elif isinstance(answers, list):
        answers[:] = [change(a) for a in answers]
