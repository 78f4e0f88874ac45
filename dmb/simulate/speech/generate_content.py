"""The Gemini format from the provider's side."""

from __future__ import annotations

import re
from typing import Any

from dmb.simulate.asked import Asked, Refused, Understood
from dmb.simulate.body_checks import need, number, of_kind, one_of, only, whole, words
from dmb.simulate.draft import Draft, written_text
from dmb.simulate.speech.systemone import plain
from dmb.simulate.written import options_in

_FIELDS = words(
    "contents systemInstruction system_instruction generationConfig generation_config safetySettings tools toolConfig "
    "cachedContent model serviceTier store labels"
)
#: google-genai 3.6.1
_CONFIG = words(
    "audioTimestamp audioTranscriptionConfig candidateCount enableAffectiveDialog enableEnhancedCivicAnswers "
    "frequencyPenalty logprobs maxOutputTokens mediaResolution modelSelectionConfig presencePenalty responseFormat "
    "responseJsonSchema responseLogprobs responseMimeType responseModalities responseSchema routingConfig seed "
    "speechConfig stopSequences temperature thinkingConfig topK topP translationConfig"
)

#: Models that refuse the lowest level of thinking.
_NO_MINIMAL = ("gemini-3.8-flash", "gemini-4")
#: Models whose thinking is a budget, and may be off.
_BUDGETED = ("gemini-2",)


def understand(asked: Asked) -> Understood:
    """Raises ``Refused`` by Google's rules."""
    body = asked.body
    only(body, _FIELDS)
    texts = _contents(body)
    instruction = body.get("systemInstruction", body.get("system_instruction"))
    system = "\n".join(_parts(instruction, "systemInstruction")) if instruction is not None else ""
    config = body.get("generationConfig", body.get("generation_config")) or {}
    config = _camel_case(of_kind(config, dict, "generationConfig"))
    only(config, _CONFIG, "generationConfig")
    if config.get("temperature") is not None:
        number(config["temperature"], 0, 2, "generationConfig.temperature")
    if config.get("candidateCount") not in (None, 1):
        raise Refused("bad_request", "generationConfig.candidateCount: only 1 is simulated")
    form, schema = _format(config)
    cap = config.get("maxOutputTokens")
    return Understood(
        texts=(*([system] if system else []), *texts, *([plain(schema)] if schema else [])),
        form=form,
        schema=schema,
        options=options_in(system),
        output_cap=None if cap is None else whole(cap, 1, "generationConfig.maxOutputTokens"),
        reasons=_thinks(asked.model, config.get("thinkingConfig")),
    )


def _camel_case(fields: dict[str, Any]) -> dict[str, Any]:
    """Google reads a field's name in both spellings, and google-genai 3.6.1 sends both."""
    return {re.sub(r"_([a-z])", lambda m: m[1].upper(), name): value for name, value in fields.items()}


def _contents(body: dict[str, Any]) -> list[str]:
    contents = need(body, "contents", list)
    if not contents:
        raise Refused("bad_request", "contents: is required")
    texts = []
    for i, content in enumerate(contents):
        of_kind(content, dict, f"contents[{i}]")
        if content.get("role") is not None:
            one_of(content["role"], ("user", "model"), f"contents[{i}].role")
        texts += _parts(content, f"contents[{i}]")
    if contents[-1].get("role", "user") != "user":
        raise Refused("bad_request", "contents: the last turn must be the user's")
    return texts


def _parts(content: Any, param: str) -> list[str]:
    of_kind(content, dict, param)
    only(content, ("parts", "role"), param)
    parts = content.get("parts")
    # one part may stand without its list
    parts = [parts] if isinstance(parts, dict) else parts
    if not isinstance(parts, list) or not parts:
        raise Refused("bad_request", f"{param}.parts: is required")
    return [
        need(of_kind(p, dict, f"{param}.parts[{i}]"), "text", str, f"{param}.parts[{i}]") for i, p in enumerate(parts)
    ]


def _format(config: dict[str, Any]) -> tuple[Any, dict[str, Any] | None]:
    mime = config.get("responseMimeType", "text/plain")
    one_of(mime, ("text/plain", "application/json", "text/x.enum"), "generationConfig.responseMimeType")
    given = [n for n in ("responseSchema", "responseJsonSchema") if config.get(n) is not None]
    if len(given) > 1:
        raise Refused("bad_request", "generationConfig: give one of responseSchema and responseJsonSchema")
    if not given:
        return ("json" if mime == "application/json" else "text"), None
    if mime == "text/plain":
        raise Refused("bad_request", f"generationConfig.{given[0]}: needs responseMimeType application/json")
    return "schema", of_kind(config[given[0]], dict, f"generationConfig.{given[0]}")


def _thinks(model: str, config: Any) -> bool:
    if config is None:
        return not model.startswith("gemini-2.0")
    at = "generationConfig.thinkingConfig"
    config = _camel_case(of_kind(config, dict, at))
    only(config, ("thinkingBudget", "thinkingLevel", "includeThoughts"), at)
    level, budget = config.get("thinkingLevel"), config.get("thinkingBudget")
    if level is not None and budget is not None:
        raise Refused("bad_request", f"{at}: give one of thinkingBudget and thinkingLevel")
    if level is not None:
        one_of(level, ("MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"), f"{at}.thinkingLevel")
        if level == "MINIMAL" and model.startswith(_NO_MINIMAL):
            raise Refused("bad_request", f"{at}.thinkingLevel: {model} does not take MINIMAL")
        return level != "MINIMAL"
    if budget is not None:
        whole(budget, -1, f"{at}.thinkingBudget")
    return not (budget == 0 and model.startswith(_BUDGETED))


_FINISH = {"answered": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}


def reply(draft: Draft) -> dict[str, Any]:
    """One candidate, or none where the prompt was blocked. Counts that are zero are left out."""
    t = draft.tokens
    counts = {
        "promptTokenCount": t.input,
        "cachedContentTokenCount": t.cached,
        "candidatesTokenCount": t.output - t.reasoning,
        "thoughtsTokenCount": t.reasoning,
        "totalTokenCount": t.input + t.output,
    }
    told: dict[str, Any] = {
        "usageMetadata": {
            **{name: n for name, n in counts.items() if n},
            **({"serviceTier": draft.asked.tier} if draft.asked.tier else {}),
        },
        "modelVersion": draft.model,
        "responseId": draft.asked.draw.word("id"),
    }
    if draft.stop == "content_filter":
        return {"promptFeedback": {"blockReason": "SAFETY"}, **told}
    candidate: dict[str, Any] = {"index": 0, "finishReason": _FINISH[draft.stop]}
    text = written_text(draft)
    if draft.stop != "refusal" and text:
        candidate["content"] = {"role": "model", "parts": [{"text": text}]}
    return {"candidates": [candidate], **told}
