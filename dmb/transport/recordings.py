"""Exchanges on disk: written beside a live transport, and read back without any socket.

One file a request, named by its key: provider, method, path and body. The nth time that a request is sent, its nth
exchange answers. What is written passes an allow-list: nothing is in a recording because nobody thought of it.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from dmb.canonical import digest
from dmb.errors import MissingEvidence
from dmb.transport.exchange import Exchange, Transport

#: Headers that a wire or the engine reads; all others stay unwritten.
_HEADERS_KEPT = frozenset({"content-type", "retry-after", "retry-after-ms"})

#: Names in a JSON reply whose values are kept. Account, organisation, user and request ids have no place in a commit.
_NAMES_KEPT = frozenset(
    [
        "answer",
        "answers",
        "cached_tokens",
        "cachedContentTokenCount",
        "cache_creation_input_tokens",
        "cache_n",
        "cache_read_input_tokens",
        "cache_write_tokens",
        "candidates",
        "candidatesTokenCount",
        "choice",
        "choice_index",
        "choices",
        "code",
        "completion_tokens",
        "completion_tokens_details",
        "confidence",
        "content",
        "cost",
        "detail",
        "details",
        "error",
        "error_type",
        "errors",
        "finishReason",
        "finish_reason",
        "incomplete_details",
        "index",
        "input",
        "input_tokens",
        "input_tokens_details",
        "legend",
        "loc",
        "message",
        "messages",
        "metadata",
        "model",
        "modelVersion",
        "msg",
        "name",
        "noul",
        "object",
        "output",
        "output_tokens",
        "output_tokens_details",
        "param",
        "parts",
        "probabilities",
        "probability",
        "prompt_feedback",
        "promptFeedback",
        "block_reason",
        "blockReason",
        "promptTokenCount",
        "prompt_tokens",
        "prompt_tokens_details",
        "reason",
        "reasoning_tokens",
        "refusal",
        "result",
        "role",
        "score",
        "status",
        "stop_reason",
        "success",
        "text",
        "thought",
        "thoughtsTokenCount",
        "total_tokens",
        "totalTokenCount",
        "total_input_tokens",
        "total_output_tokens",
        "total_cached_tokens",
        "type",
        "usage",
        "usageMetadata",
        "value",
    ]
)

#: Below these, names are what was asked for: options, levels, slots.
_NAMED_BY_OPTIONS = frozenset({"answers", "probabilities", "legend"})

#: Words that look like keys, wherever they stand.
_KEYLIKE = re.compile(r"\b(?:sk|pk|key|tok|AIza|Bearer )[-_A-Za-z0-9]{16,}\b")


def exchange_key(provider: str, method: str, path: str, body: str) -> str:
    """64 hex digits that name one request to one provider. Headers, and so the credential, are not part of it."""
    return digest({"provider": provider, "method": method, "path": path, "body": body})


class Recordings(Protocol):
    """Where exchanges are kept, by provider and key."""

    def path(self, provider: str, key: str) -> Path:
        """For people: where to look."""

    def load(self, provider: str, key: str) -> dict[str, Any] | None:
        """What was recorded of a request; None when nothing was."""

    def save(self, provider: str, key: str, recorded: dict[str, Any]) -> None:
        """Replace it."""


class RecordingTransport:
    """A live transport whose exchanges are written down as well."""

    def __init__(self, recordings: Recordings, provider: str, inner: Transport) -> None:
        self._recordings, self._provider, self._inner = recordings, provider, inner
        self._lock = threading.Lock()

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """As the live transport does; the scrubbed exchange is on disk when this returns."""
        x = self._inner.send(method, path, body, headers)
        key = exchange_key(self._provider, method, path, body)
        request = {"provider": self._provider, "method": method, "path": path, "body": body}
        with self._lock:
            before = self._recordings.load(self._provider, key) or {"key": key, "request": request, "exchanges": []}
            self._recordings.save(self._provider, key, before | {"exchanges": [*before["exchanges"], _written(x)]})
        return x

    def close(self) -> None:
        """Close the live transport."""
        self._inner.close()


class ReplayTransport:
    """Answers from recordings; has no socket. Times are unknown, since nothing was sent."""

    def __init__(self, recordings: Recordings, provider: str) -> None:
        self._recordings, self._provider = recordings, provider
        self._times: Counter[str] = Counter()
        self._lock = threading.Lock()

    def send(self, method: str, path: str, body: str, headers: Mapping[str, str]) -> Exchange:
        """The recorded exchange. Raises ``MissingEvidence`` with the key of a request that was never recorded."""
        key = exchange_key(self._provider, method, path, body)
        with self._lock:
            self._times[key] += 1
            nth = self._times[key]
        recorded = (self._recordings.load(self._provider, key) or {"exchanges": []})["exchanges"]
        if nth > len(recorded):
            what = f"was recorded {len(recorded)} times only" if recorded else "was never recorded"
            raise MissingEvidence(
                f"{self._recordings.path(self._provider, key)}: {method} {path} of {self._provider}, key {key}, {what}; "
                "record it with DMB_RECORD"
            )
        return _read(recorded[nth - 1])

    def close(self) -> None:
        """Nothing is open."""


def _written(x: Exchange) -> dict[str, Any]:
    headers = {k: v for k, v in sorted(x.headers.items()) if k in _HEADERS_KEPT}
    out: dict[str, Any] = {"status": x.status, "headers": headers, "error": x.error, "timed_out": x.timed_out}
    out["sent"] = x.sent
    try:
        text = x.body.decode("utf-8")
    except UnicodeDecodeError:
        return out | {"body_base64": base64.b64encode(x.body).decode("ascii")}
    return out | {"body": _scrubbed(text)}


def _scrubbed(text: str) -> str:
    """A JSON reply keeps its names and those values that are on the list; anything else keeps its words."""
    try:
        data = json.loads(text)
    except ValueError:
        return _KEYLIKE.sub("[scrubbed]", text)
    if _has_duplicate_names(text):
        # writing it again would mend it
        return _KEYLIKE.sub("[scrubbed]", text)
    kept = _kept(data)
    return text if kept == data else json.dumps(kept, ensure_ascii=False)


def _kept(value: Any, allowed: bool = True, inherits: bool = False) -> Any:
    """``allowed``: whether the name above is on the list. ``inherits``: names below are option texts, not fields."""
    if isinstance(value, dict):
        return {k: _kept(v, inherits or k in _NAMES_KEPT, inherits or k in _NAMED_BY_OPTIONS) for k, v in value.items()}
    if isinstance(value, list):
        return [_kept(v, allowed, inherits) for v in value]
    if isinstance(value, str):
        return _KEYLIKE.sub("[scrubbed]", value) if allowed else "[scrubbed]"
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return 0 if number and not allowed else value


def _has_duplicate_names(text: str) -> bool:
    found = False

    def note(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        found = found or len({k for k, _ in pairs}) < len(pairs)
        return dict(pairs)

    json.loads(text, object_pairs_hook=note)
    return found


def _read(x: dict[str, Any]) -> Exchange:
    body = base64.b64decode(x["body_base64"]) if "body_base64" in x else x["body"].encode("utf-8")
    return Exchange(
        status=x["status"],
        headers=x["headers"],
        body=body,
        error=x["error"],
        timed_out=x["timed_out"],
        sent=x["sent"],
    )
