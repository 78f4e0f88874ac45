"""What of a response may be written into a recording. Nothing is in one because nobody thought of it.

In JSON, values stay whose names a wire reads or a person needs to understand an error; of all others the place stays
and the value goes. Ids of replies, requests, accounts, organisations and users have no place in a commit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from dmb.transport.identifiers import BLOT, blot_identifiers
from dmb.transport.json_edits import edit_json

#: Headers that a wire or the engine reads, and the one by which a simulator says that it is one.
HEADERS_KEPT = frozenset({"content-type", "retry-after", "retry-after-ms", "x-simulated"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Names whose values stay, by what they say.
NAMES_KEPT = (
    # what is answered
    _words("answers candidates choice choice_index choices confidence content index input model")
    | _words(
        "modelVersion name object output parts phase probabilities probability result role text thought type value"
    )
    # why there is no answer
    | _words("block_reason blockReason category code detail details domain error error_code error_type errors")
    | _words("finish_reason finishReason incomplete_details loc message messages metadata msg param")
    | _words("promptFeedback prompt_feedback quotaId quotaMetric reason refusal retryDelay status stop_details")
    | _words("stop_reason success violations @type")
    # what is counted and charged
    | _words("cache_creation_input_tokens cache_read_input_tokens cache_write_tokens cachedContentTokenCount")
    | _words("cached_tokens candidatesTokenCount completion_tokens completion_tokens_details cost input_tokens")
    | _words("input_tokens_details is_byok list_cost opencode output_tokens output_tokens_details promptTokenCount")
    | _words("prompt_cache_hit_tokens prompt_cache_miss_tokens prompt_tokens prompt_tokens_details reasoning_tokens")
    | _words("service_tier serviceTier thinking_tokens thoughtsTokenCount totalTokenCount total_cached_tokens")
    | _words("total_input_tokens total_output_tokens total_thought_tokens total_tokens usage usageMetadata")
)

#: In an object below these, names are slots and option texts: they stay where the request has them, as on the list.
NAMED_BY_REQUEST = frozenset({"answers", "input", "probabilities"})

_NAMES_A_MODEL = frozenset({"model", "modelVersion"})

#: A name that is not on the list is shown where it is an ordinary one.
_ORDINARY_NAME = re.compile(r"[@$]?[A-Za-z_][A-Za-z0-9_.-]{0,47}")

#: Punctuation at most before the first bracket: JSON, perhaps behind a guard or a mark of its encoding, perhaps broken.
_LIKE_JSON = re.compile(r"[^\w<\"{\[]*+[{\[]")


class AllowList:
    """As it applies to the responses to one request. ``body``: the request's, which stands in the recording anyway."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._asked = frozenset(_strings_in(body))

    def body(self, text: str) -> str:
        """A response's body, every byte as it came but for what was blotted out; what was broken in it still is."""
        if "\0" in text and self.text(bare := text.replace("\0", "")) != bare:
            # letters with nothing between them: an encoding that nobody reads
            return BLOT
        return edit_json(text, self) if _LIKE_JSON.match(text) else self.text(text)

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Names in lower case."""
        return {name: self.text(value) for name, value in sorted(headers.items()) if name in HEADERS_KEPT}

    def text(self, text: str) -> str:
        """Free text: identifiers go, unless the request has them."""
        return text if text in self._asked else blot_identifiers(text, self._body)

    # -- as the rules by which JSON is edited

    def keeps_values_of(self, name: str, as_asked: bool) -> bool:
        """``as_asked``: whether names are those that the request gave."""
        return name in NAMES_KEPT or (as_asked and name in self._asked)

    def names_as_asked_below(self, name: str) -> bool:
        """Whether the names in an object below this one are those that the request gave."""
        return name in NAMED_BY_REQUEST

    def shows(self, name: str) -> bool:
        """Whether a name may be written down."""
        if name in NAMES_KEPT or name in self._asked:
            return True
        return _ORDINARY_NAME.fullmatch(name) is not None and blot_identifiers(name) == name

    def value(self, name: str, text: str) -> str:
        """A text below a name whose values stay."""
        if name in _NAMES_A_MODEL:
            return blot_identifiers(text, self._body, names_a_model=True)
        return self.text(text)


def _strings_in(body: str) -> set[str]:
    """All texts and names in a body of JSON; none where it is none."""
    try:
        left: list[Any] = [json.loads(body)]
    except (ValueError, RecursionError):
        return set()
    found: set[str] = set()
    while left:
        value = left.pop()
        if isinstance(value, dict):
            found |= value.keys()
            left += value.values()
        elif isinstance(value, list):
            left += value
        elif isinstance(value, str):
            found.add(value)
    return found
