"""The other decision services from the provider's side: OpenAI, Google, Cloudflare, OpenRouter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dmb.simulate.asked import Asked, Question, Refused, Understood
from dmb.simulate.body_checks import need, of_kind, one_of, only
from dmb.simulate.draft import Draft
from dmb.simulate.speech import systemone
from dmb.simulate.speech.systemone import MAX_OPTIONS, answers_by_id, asked_alone, check_count, ordered, plain

_OPENAI_FIELDS = frozenset(
    {"model", "input", "questions", "prompt_cache_key", "prompt_cache_options", "safety_identifier"}
)
_MAX_QUESTIONS = {"openai": 400, "cloudflare": 64}


def understand(asked: Asked) -> Understood:
    """By the shape that the path belongs to."""
    return _UNDERSTAND[asked.shape](asked)


def _openai(asked: Asked) -> Understood:
    body = asked.body
    only(body, _OPENAI_FIELDS)
    if not isinstance(body.get("input"), str | list) or not body["input"]:
        raise Refused("bad_request", "input: a text or a list of items is required", "input", "missing")
    questions = need(body, "questions", list)
    if not 1 <= len(questions) <= _MAX_QUESTIONS["openai"]:
        raise Refused("bad_request", "questions: 1 to 400 are taken", "questions")
    read = tuple(_openai_question(asked, i, q) for i, q in enumerate(questions))
    return Understood(texts=(plain(body["input"]), *map(plain, questions)), questions=read)


def _openai_question(asked: Asked, i: int, q: Any) -> Question:
    at = f"questions[{i}]"
    of_kind(q, dict, at)
    kind = one_of(q.get("type"), ("choice", "predicate", "score"), f"{at}.type")
    need(q, "instructions", str, at)
    name = q.get("name")
    if name is not None:
        of_kind(name, str, f"{at}.name")
    draw = asked_alone(asked, [asked.body["input"], {k: v for k, v in q.items() if k != "name"}])
    if kind == "predicate":
        only(q, ("type", "name", "instructions"), at)
        return Question(str(i), "yes_no", (), draw, name)
    listed, value = ("choices", "value") if kind == "choice" else ("levels", "label")
    only(q, ("type", "name", "instructions", listed), at)
    options = need(q, listed, list, at)
    check_count(len(options), 2, MAX_OPTIONS, f"{at}.{listed}")
    values = []
    for j, option in enumerate(options):
        of_kind(option, dict, f"{at}.{listed}[{j}]")
        only(option, (value, "description"), f"{at}.{listed}[{j}]")
        if not isinstance(option.get(value), str | bool):
            raise Refused("bad_request", f"{at}.{listed}[{j}].{value}: must be a text", f"{at}.{listed}[{j}].{value}")
        values.append(option[value])
    if len({(type(v), v) for v in values}) < len(values):
        raise Refused("bad_request", f"{at}.{listed}: values must differ", f"{at}.{listed}")
    return Question(str(i), "choice" if kind == "choice" else "score", tuple(values), draw, name)


def _google(asked: Asked) -> Understood:
    body = asked.body
    only(body, ("model", "input", "questions"))
    if not isinstance(body.get("input"), str | list | dict) or not body["input"]:
        raise Refused("bad_request", "input: is required", "input")
    return _mapped(asked, body["input"], ("true_description", "false_description"), describes="")


def _cloudflare(asked: Asked) -> Understood:
    body = asked.body
    only(body, ("model", "state", "questions", "images"))
    if not isinstance(body.get("state"), str | dict | list) or not body["state"]:
        raise Refused("bad_request", "state: is required", "state")
    return _mapped(asked, body["state"], ("true", "false"), describes=None)


def _openrouter(asked: Asked) -> Understood:
    session = asked.body.get("session_id")
    if session is not None and (not isinstance(session, str) or len(session) > 256):
        raise Refused("bad_request", "session_id: at most 256 characters", "session_id")
    return systemone.understand(asked)


def _mapped(asked: Asked, state: Any, sides: tuple[str, str], describes: str | None) -> Understood:
    """Questions by id, as Google and Cloudflare take them. ``describes``: how "no description" is written."""
    questions = need(asked.body, "questions", dict)
    most = _MAX_QUESTIONS.get(asked.shape, 400)
    if not 1 <= len(questions) <= most:
        raise Refused("bad_request", f"questions: 1 to {most} are taken", "questions")
    read = []
    for name, q in questions.items():
        at = f"questions.{name}"
        of_kind(q, dict, at)
        kind = one_of(q.get("type"), ("choice", "score", "noul"), f"{at}.type")
        only(q, ("type", "instructions", "criteria"), at)
        if not q.get("instructions"):
            raise Refused("bad_request", f"{at}.instructions: is required", f"{at}.instructions")
        criteria = q.get("criteria")
        draw = asked_alone(asked, [state, kind, q.get("instructions"), ordered(criteria)])
        if kind == "noul":
            only(of_kind(criteria or {}, dict, f"{at}.criteria"), sides, f"{at}.criteria")
            read.append(Question(name, "yes_no", (), draw))
            continue
        of_kind(criteria, dict if kind == "choice" else list, f"{at}.criteria")
        most = MAX_OPTIONS if kind == "choice" or asked.shape == "google" else systemone.MAX_LEVELS
        check_count(len(criteria), 2, most, f"{at}.criteria")
        if describes == "" and kind == "choice":
            for option, text in criteria.items():
                of_kind(text, str, f"{at}.criteria.{option}")
        read.append(Question(name, "choice" if kind == "choice" else "score", tuple(criteria), draw))
    return Understood(texts=(plain(state), *map(plain, questions.values())), questions=tuple(read))


_UNDERSTAND: dict[str, Callable[[Asked], Understood]] = {
    "openai": _openai,
    "google": _google,
    "cloudflare": _cloudflare,
    "openrouter": _openrouter,
}


def reply(draft: Draft) -> dict[str, Any]:
    """By the shape that was asked in."""
    return _REPLY[draft.asked.shape](draft)


def _openai_reply(draft: Draft) -> dict[str, Any]:
    answers = []
    for a in draft.answers.values():
        name = a.question.name
        if a.refused:
            answers.append({"type": "refusal", "name": name})
        elif a.question.kind == "yes_no":
            answers.append({"type": "predicate", "name": name, "probability": a.probabilities[0]})
        elif a.question.kind == "score":
            levels = [
                {"value": i, "label": label, "probability": p}
                for i, (label, p) in enumerate(zip(a.question.options, a.probabilities, strict=True))
            ]
            answers.append(
                {"type": "score", "name": name, "score": a.score, "confidence": a.confidence, "probabilities": levels}
            )
        else:
            pairs = [{"value": v, "probability": p} for v, p in zip(a.question.options, a.probabilities, strict=True)]
            one = {"type": "choice", "name": name, "choice": a.choice, "confidence": a.confidence}
            answers.append({**one, "probabilities": pairs, **(a.extra or {})})
    t = draft.tokens
    return {
        "model": draft.model,
        "answers": answers,
        "usage": {
            "input_tokens": t.input,
            "input_tokens_details": {"cached_tokens": t.cached, "cache_write_tokens": t.cache_write},
            "output_tokens": t.output,
            "output_tokens_details": {"reasoning_tokens": t.reasoning},
            "total_tokens": t.input + t.output,
        },
    }


def _google_reply(draft: Draft) -> dict[str, Any]:
    t = draft.tokens
    # zero counts are left out
    usage = {"total_input_tokens": t.input, "total_tokens": t.input + t.output}
    usage |= {"total_output_tokens": t.output} if t.output else {}
    usage |= {"total_cached_tokens": t.cached} if t.cached else {}
    if draft.stop in ("refusal", "content_filter"):
        return {"prompt_feedback": {"block_reason": "SAFETY"}, "usage": usage}
    return {"model": draft.model, "answers": answers_by_id(draft), "usage": usage}


def _cloudflare_reply(draft: Draft) -> dict[str, Any]:
    return {"result": systemone.reply(draft), "success": True, "errors": [], "messages": []}


def _openrouter_reply(draft: Draft) -> dict[str, Any]:
    return {"id": f"dec_{draft.asked.draw.word('id')}", "provider": "Simulated", **systemone.reply(draft)}


_REPLY: dict[str, Callable[[Draft], dict[str, Any]]] = {
    "openai": _openai_reply,
    "google": _google_reply,
    "cloudflare": _cloudflare_reply,
    "openrouter": _openrouter_reply,
}
