"""The least that a vendor's own SDK takes for a reply, strictly read."""

from __future__ import annotations

from typing import Any


def chat(text: str) -> dict[str, Any]:
    """Chat Completions."""
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


_OPENAI_USAGE = {
    "input_tokens": 1,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 1,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 2,
}


def response(text: str) -> dict[str, Any]:
    """Responses."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}
    return {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m",
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": _OPENAI_USAGE,
    }


def decision(slots: list[str]) -> dict[str, Any]:
    """OpenAI's decisions."""
    probabilities = [{"value": "Billing", "probability": 0.9}, {"value": "A bug — è", "probability": 0.1}]
    answers = [
        {"type": "choice", "name": s, "choice": "Billing", "confidence": 0.8, "probabilities": probabilities}
        for s in slots
    ]
    return {"model": "m", "answers": answers, "usage": _OPENAI_USAGE}


def message(content: dict[str, Any], stop_reason: str) -> dict[str, Any]:
    """Anthropic's messages."""
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [content],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def generated(text: str) -> dict[str, Any]:
    """Google's generateContent."""
    candidate = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [{"text": text}]}}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}


def system_one(slots: list[str], **more: Any) -> dict[str, Any]:
    """System One."""
    answer = {"type": "choice", "choice": "Billing", "confidence": 0.8, "probabilities": {"Billing": 0.9, "x": 0.1}}
    return {"model": "m", "answers": dict.fromkeys(slots, answer), "usage": {"input_tokens": 1, "output_tokens": 1}}
