"""What an error of OpenAI, of a look-alike or of a local server means. A status alone does not say: no money is 429 at
OpenAI and Z.ai and 402 elsewhere, and an error may arrive inside a 200."""

from __future__ import annotations

from typing import Any

from dmb.contracts.attempt import Failure
from dmb.contracts.reply import Reply
from dmb.wires.error_body import StatusKind, error_data, error_detail, error_words, kind_of_status

#: Names, as type or code, that say more than the status beside them.
_NAMED: dict[str, StatusKind] = {
    **dict.fromkeys(
        ("insufficient_quota", "credit_balance_exhausted", "insufficient_balance", "billing_hard_limit_reached"),
        "budget",
    ),
    **dict.fromkeys(("invalid_api_key", "wrong_api_key", "invalid_key", "authentication_error"), "authentication"),
    "unsupported_country_region_territory": "permission",
    "queue_exceeded": "overloaded",
    **dict.fromkeys(("context_length_exceeded", "exceed_context_size_error"), "unsupported"),
    # Z.ai, by the families of its code page; account matters are 429 there, and no retry mends them
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), "authentication"),
    **{str(code): "permission" for code in range(1110, 1122)},
    **dict.fromkeys(("1112", "1113", "1121", "1310"), "budget"),
    **dict.fromkeys(("1220", "1221", "1222", "1313"), "permission"),
    **dict.fromkeys(("1230", "1234", "1305"), "overloaded"),
    "1261": "unsupported",
    "1302": "rate_limit",
}

#: Names that are read only where the status says nothing, inside a 200.
_NAMED_IN_REPLY: dict[str, StatusKind] = {
    **dict.fromkeys(("rate_limit_exceeded", "rate_limit_error", "slow_down", "too_many_requests"), "rate_limit"),
    **dict.fromkeys(
        ("server_error", "server_is_overloaded", "service_unavailable_error", "overloaded_error", "unavailable_error"),
        "overloaded",
    ),
    "vector_store_timeout": "timeout",
}

#: The content was not let through: an outcome of the question, no failure of the call.
_REFUSED = frozenset(
    {"1300", "1301", "content_filter", "content_policy_violation", "bio_policy", "misalignment_policy_violation"}
)

_ABOUT_SIZE = ("maximum context", "context length", "context size", "context window")


def read_failure(status: int, body: bytes) -> Failure | Reply:
    """A response whose status is not 200: a failure with its kind, or a refusal."""
    return _classified(status, error_words(error_data(body)), kind_of_status(status))


def failure_in_reply(error: Any, otherwise: StatusKind) -> Failure | Reply:
    """An error inside a 200. ``otherwise``: its kind where neither a name nor a status in its code says one."""
    kind, code, message = error_words({"error": error})
    known = next((_NAMED_IN_REPLY[n] for n in (code, kind) if n in _NAMED_IN_REPLY), otherwise)
    if len(code) == 3 and code.isascii() and code.isdigit() and int(code) >= 400:
        known = kind_of_status(int(code))
    return _classified(200, (kind, code, message), known)


def _classified(status: int, words: tuple[str, str, str], by_status: StatusKind) -> Failure | Reply:
    kind, code, message = words
    detail = error_detail(status, kind, code, message)
    if code in _REFUSED or kind in _REFUSED:
        return Reply(refused=detail)
    named = next((_NAMED[n] for n in (code, kind) if n in _NAMED), None)
    if named is None and by_status == "rejected" and any(w in message.lower() for w in _ABOUT_SIZE):
        named = "unsupported"
    return Failure(kind=named or by_status, detail=detail)
