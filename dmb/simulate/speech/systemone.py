"""The System One format from the provider's side: choices, scores and probabilities of a statement.

Fields that nobody knows are ignored, which the published conformance rules ask for.
"""

from __future__ import annotations

from typing import Any

from dmb.canonical import canonical_json, digest
from dmb.simulate.answers import Answer
from dmb.simulate.asked import Asked, Question, Refused, Understood
from dmb.simulate.body_checks import need, of_kind
from dmb.simulate.draft import Draft
from dmb.simulate.draws import Draw

MAX_OPTIONS = 255
MAX_LEVELS = 10


def understand(asked: Asked) -> Understood:
    """State and questions. An answer depends on its own question, the state and the model alone."""
    body = asked.body
    if "state" not in body or body["state"] is None:
        raise Refused("bad_request", "state: is required", "state", "missing")
    if not isinstance(body["state"], str | dict | list):
        raise Refused("bad_request", "state: must be a text, an object or a list", "state", "wrong_type")
    if "assets" in body and not body["assets"]:
        raise Refused("bad_request", "assets: must not be empty", "assets", "too_short")
    questions = need(body, "questions", dict)
    if not questions:
        raise Refused("bad_request", "questions: at least one is needed", "questions", "too_short")
    read = tuple(_question(asked, name, q) for name, q in questions.items())
    return Understood(texts=(plain(body["state"]), *(plain(q) for q in questions.values())), questions=read)


def _question(asked: Asked, name: str, q: Any) -> Question:
    at = f"questions.{name}"
    of_kind(q, dict, at)
    kind = q.get("type")
    if kind not in ("choice", "score", "noul"):
        raise Refused("bad_request", f"{at}.type: must be choice, score or noul", f"{at}.type", "union_tag_invalid")
    check_text(q.get("instructions"), f"{at}.instructions")
    criteria = q.get("criteria")
    draw = asked_alone(asked, [asked.body["state"], kind, q.get("instructions"), ordered(criteria)])
    if kind == "noul":
        _check_noul(q, at)
        return Question(name, "yes_no", (), draw)
    if kind == "choice":
        of_kind(criteria, dict, f"{at}.criteria")
        check_count(len(criteria), 2, MAX_OPTIONS, f"{at}.criteria")
        for option, text in criteria.items():
            check_text(text, f"{at}.criteria.{option}")
        return Question(name, "choice", tuple(criteria), draw)
    of_kind(criteria, list, f"{at}.criteria")
    check_count(len(criteria), 2, MAX_LEVELS, f"{at}.criteria")
    for i, text in enumerate(criteria):
        if text is None:
            raise Refused("bad_request", f"{at}.criteria.{i}: must not be null", f"{at}.criteria.{i}", "string_type")
        check_text(text, f"{at}.criteria.{i}")
    return Question(name, "score", tuple(criteria), draw)


def _check_noul(q: dict[str, Any], at: str) -> None:
    criteria = q.get("criteria")
    if criteria is None:
        if q.get("instructions") is None:
            raise Refused("bad_request", f"{at}: needs instructions or criteria", at, "missing")
        return
    of_kind(criteria, dict, f"{at}.criteria")
    for side in criteria:
        if side not in ("true", "false"):
            raise Refused("bad_request", f"{at}.criteria.{side}: must be true or false", f"{at}.criteria", "extra")


def asked_alone(asked: Asked, parts: list[Any]) -> Draw:
    """A draw that other questions of the same request do not move."""
    return asked.draw.of(digest([asked.model, *parts]))


def ordered(criteria: Any) -> Any:
    """The order of options is part of the question; canonical JSON would lose it."""
    return [list(pair) for pair in criteria.items()] if isinstance(criteria, dict) else criteria


def check_text(value: Any, param: str) -> None:
    """A text, an object, a list or null."""
    if value is not None and not isinstance(value, str | dict | list):
        raise Refused("bad_request", f"{param}: must be a text, an object or a list", param, "string_type")


def check_count(n: int, least: int, most: int, param: str) -> None:
    """How many options there may be."""
    if n > most:
        raise Refused("options_over", f"{param}: at most {most} entries are taken, found {n}", param)
    if n < least:
        raise Refused("options_under", f"{param}: {least} entries are needed, found {n}", param)


def plain(value: Any) -> str:
    """What is counted of a value that may be structured."""
    return value if isinstance(value, str) else canonical_json(value)


def reply(draft: Draft) -> dict[str, Any]:
    """``model``, ``answers`` and ``usage``, and nothing else."""
    return {
        "model": draft.model,
        "answers": answers_by_id(draft),
        "usage": {"input_tokens": draft.tokens.input, "output_tokens": draft.tokens.output},
    }


def answers_by_id(draft: Draft) -> dict[str, Any]:
    """Question id -> answer, as jev and everyone who followed writes it."""
    return {name: _written(a) for name, a in draft.answers.items()}


def _written(a: Answer) -> dict[str, Any]:
    extra = a.extra or {}
    if a.question.kind == "yes_no":
        return {"type": "noul", "noul": a.probabilities[0], **extra}
    if a.question.kind == "score":
        levels = {str(i): level for i, level in enumerate(a.question.options)}
        return {
            "type": "score",
            "score": a.score,
            "confidence": a.confidence,
            "legend": {i: plain(level) for i, level in levels.items()},
            "probabilities": dict(zip(levels, a.probabilities, strict=True)),
            **extra,
        }
    return {
        "type": "choice",
        "choice": a.choice,
        "confidence": a.confidence,
        "probabilities": dict(zip(a.question.options, a.probabilities, strict=True)),
        **extra,
    }
