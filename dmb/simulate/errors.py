"""How each provider says what is wrong: status and body, as data. The wording is ours, the shapes are theirs.

What nobody verified (numeric codes of Cloudflare, some of Z.ai's and MiMo's types) is as in the reference notes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dmb.simulate.asked import Condition, Refused

#: (status, body)
Said = tuple[int, Any]

#: Condition -> status, type, code. A condition that is not listed is told like a bad request.
_OPENAI: dict[str, tuple[int, str, str | None]] = {
    "no_key": (401, "invalid_request_error", None),
    "bad_key": (401, "invalid_request_error", "invalid_api_key"),
    "permission": (403, "request_forbidden", "unsupported_country_region_territory"),
    "no_money": (429, "insufficient_quota", "insufficient_quota"),
    "unknown_model": (404, "invalid_request_error", "model_not_found"),
    "bad_request": (400, "invalid_request_error", None),
    "options_over": (400, "invalid_request_error", "array_above_max_length"),
    "options_under": (400, "invalid_request_error", "array_below_min_length"),
    "context": (400, "invalid_request_error", "context_length_exceeded"),
    "content_policy": (400, "invalid_request_error", "content_policy_violation"),
    "rate_limit": (429, "requests", "rate_limit_exceeded"),
    "overloaded": (503, "service_unavailable_error", "server_is_overloaded"),
    "internal": (500, "server_error", None),
    "timeout": (504, "server_error", None),
    "too_large": (413, "invalid_request_error", None),
    "media_type": (415, "invalid_request_error", "unsupported_content_type"),
    "no_route": (404, "invalid_request_error", None),
    "method": (405, "invalid_request_error", None),
}

_ANTHROPIC: dict[str, tuple[int, str]] = {
    "no_key": (401, "authentication_error"),
    "bad_key": (401, "authentication_error"),
    "permission": (403, "permission_error"),
    "no_money": (402, "billing_error"),
    "unknown_model": (404, "not_found_error"),
    "bad_request": (400, "invalid_request_error"),
    "rate_limit": (429, "rate_limit_error"),
    "overloaded": (529, "overloaded_error"),
    "internal": (500, "api_error"),
    "timeout": (504, "timeout_error"),
    "too_large": (413, "request_too_large"),
    "no_route": (404, "not_found_error"),
    "method": (405, "invalid_request_error"),
}

_GOOGLE: dict[str, tuple[int, str]] = {
    "no_key": (403, "PERMISSION_DENIED"),
    "bad_key": (400, "INVALID_ARGUMENT"),
    "permission": (403, "PERMISSION_DENIED"),
    "no_money": (400, "FAILED_PRECONDITION"),
    "unknown_model": (404, "NOT_FOUND"),
    "bad_request": (400, "INVALID_ARGUMENT"),
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "overloaded": (503, "UNAVAILABLE"),
    "internal": (500, "INTERNAL"),
    "timeout": (504, "DEADLINE_EXCEEDED"),
    "no_route": (404, "NOT_FOUND"),
}

_TYPESAFE: dict[str, tuple[int, str]] = {
    "no_key": (403, "authentication_error"),
    "bad_key": (401, "authentication_error"),
    "permission": (403, "permission_error"),
    "no_money": (402, "billing_error"),
    "unknown_model": (400, "api_usage_error"),
    "context": (413, "max_tokens_exceeded"),
    "rate_limit": (429, "rate_limit_error"),
    "overloaded": (529, "overloaded_error"),
    "internal": (500, "internal_error"),
    "timeout": (504, "timeout_error"),
    "too_large": (413, "request_too_large"),
    "no_route": (404, "not_found"),
    "method": (405, "method_not_allowed"),
}

_OPENROUTER: dict[str, tuple[int, str]] = {
    "no_key": (401, "authentication"),
    "bad_key": (401, "authentication"),
    "permission": (403, "permission_denied"),
    "no_money": (402, "payment_required"),
    "unknown_model": (404, "not_found"),
    "bad_request": (400, "invalid_request"),
    "context": (400, "context_length_exceeded"),
    "content_policy": (403, "content_policy_violation"),
    "rate_limit": (429, "rate_limit_exceeded"),
    "overloaded": (529, "provider_overloaded"),
    "internal": (500, "server_error"),
    "timeout": (524, "timeout"),
    "too_large": (413, "payload_too_large"),
    "no_route": (404, "not_found"),
}

_CLOUDFLARE: dict[str, tuple[int, int]] = {
    "no_key": (401, 10000),
    "bad_key": (401, 10000),
    "permission": (403, 10000 + 1),
    "no_money": (429, 3036),
    "unknown_model": (404, 5007),
    "bad_request": (400, 5006),
    "rate_limit": (429, 10429),
    "overloaded": (503, 3040),
    "internal": (500, 3043),
    "timeout": (504, 3046),
    "too_large": (413, 3006),
    "no_route": (404, 7000),
    "method": (405, 7001),
}

_ZAI: dict[str, tuple[int, str]] = {
    "no_key": (401, "1001"),
    "bad_key": (401, "1000"),
    "permission": (403, "1220"),
    "no_money": (429, "1113"),
    "unknown_model": (400, "1211"),
    "bad_request": (400, "1210"),
    "context": (400, "1261"),
    "content_policy": (400, "1301"),
    "rate_limit": (429, "1302"),
    "overloaded": (503, "1305"),
    "internal": (500, "1234"),
    "timeout": (504, "1234"),
    "no_route": (404, "1210"),
}

_DEEPSEEK: dict[str, tuple[int, str]] = {
    "no_key": (401, "authentication_error"),
    "bad_key": (401, "authentication_error"),
    "permission": (403, "permission_error"),
    "no_money": (402, "unknown_error"),
    "bad_request": (400, "invalid_request_error"),
    "rate_limit": (429, "rate_limit_error"),
    "overloaded": (503, "service_unavailable_error"),
    "internal": (500, "server_error"),
    "timeout": (504, "server_error"),
}

_CEREBRAS: dict[str, tuple[int, str, str]] = {
    "no_key": (401, "invalid_request_error", "wrong_api_key"),
    "bad_key": (401, "invalid_request_error", "wrong_api_key"),
    "permission": (403, "permission_error", "forbidden"),
    "no_money": (402, "payment_required_error", "payment_required"),
    "unknown_model": (404, "not_found_error", "model_not_found"),
    "bad_request": (400, "invalid_request_error", "wrong_api_format"),
    "context": (400, "invalid_request_error", "context_length_exceeded"),
    "rate_limit": (429, "too_many_requests_error", "request_quota_exceeded"),
    "overloaded": (429, "too_many_requests_error", "queue_exceeded"),
    "internal": (500, "server_error", "server_error"),
    "timeout": (504, "server_error", "server_error"),
}

_XIAOMI: dict[str, tuple[int, str]] = {
    "no_key": (401, "invalid_key"),
    "bad_key": (401, "invalid_key"),
    "permission": (403, "forbidden"),
    "no_money": (402, "insufficient_balance"),
    "bad_request": (400, "invalid_request"),
    "rate_limit": (429, "too_many_requests"),
    "overloaded": (503, "service_unavailable"),
    "internal": (500, "server_error"),
    "timeout": (504, "server_error"),
}

_LOCAL: dict[str, tuple[int, str]] = {
    "no_key": (401, "authentication_error"),
    "bad_key": (401, "authentication_error"),
    "permission": (403, "permission_error"),
    "no_money": (402, "insufficient_balance"),
    "unknown_model": (404, "not_found_error"),
    "bad_request": (400, "invalid_request_error"),
    "context": (400, "exceed_context_size_error"),
    "overloaded": (503, "unavailable_error"),
    "rate_limit": (429, "rate_limit_error"),
    "internal": (500, "server_error"),
    "timeout": (504, "server_error"),
    "no_route": (404, "not_found_error"),
    "method": (405, "invalid_request_error"),
}


def _openai(e: Refused) -> Said:
    status, kind, code = _OPENAI.get(e.condition, _OPENAI["bad_request"])
    return status, {"error": {"message": str(e), "type": kind, "param": e.param or None, "code": e.rule or code}}


def _anthropic(e: Refused) -> Said:
    status, kind = _ANTHROPIC.get(e.condition, _ANTHROPIC["bad_request"])
    # this text alone tells a prompt that is too long from any other bad request
    text = f"prompt is too long: {e}" if e.condition == "context" else str(e)
    return status, {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_simulated"}


def _google(e: Refused) -> Said:
    status, name = _GOOGLE.get(e.condition, _GOOGLE["bad_request"])
    text = f"input token count over maximum: {e}" if e.condition == "context" else str(e)
    if e.condition == "no_money":
        text = f"billing: {e}"
    error: dict[str, Any] = {"code": status, "message": text, "status": name}
    if e.condition == "bad_key":
        info = "type.googleapis.com/google.rpc.ErrorInfo"
        error["details"] = [{"@type": info, "reason": "API_KEY_INVALID", "domain": "googleapis.com"}]
    return status, {"error": error}


def _typesafe(e: Refused) -> Said:
    if e.condition not in _TYPESAFE:
        loc = ["body", *(e.param.split(".") if e.param else [])]
        rule = {"options_over": "too_long", "options_under": "too_short"}.get(e.condition, e.rule or "value_error")
        return 422, {"detail": [{"loc": loc, "msg": str(e), "type": rule}]}
    status, kind = _TYPESAFE[e.condition]
    detail = {"error_type": kind, "message": str(e)}
    if e.condition == "context":
        # seen without a message
        del detail["message"]
    return status, {"detail": detail}


def _openrouter(e: Refused) -> Said:
    status, kind = _OPENROUTER.get(e.condition, _OPENROUTER["bad_request"])
    return status, {"error": {"code": status, "message": str(e), "metadata": {"error_type": kind}}}


def _cloudflare(e: Refused) -> Said:
    status, code = _CLOUDFLARE.get(e.condition, _CLOUDFLARE["bad_request"])
    text = f"the prompt is too long: {e}" if e.condition == "context" else str(e)
    return status, {"result": None, "success": False, "errors": [{"code": code, "message": text}], "messages": []}


def _zai(e: Refused) -> Said:
    status, code = _ZAI.get(e.condition, _ZAI["bad_request"])
    return status, {"error": {"code": code, "message": str(e)}}


def _deepseek(e: Refused) -> Said:
    status, kind = _DEEPSEEK.get(e.condition, _DEEPSEEK["bad_request"])
    text = f"context length exceeded: {e}" if e.condition == "context" else str(e)
    return status, {"error": {"message": text, "type": kind, "param": None, "code": "invalid_request_error"}}


def _cerebras(e: Refused) -> Said:
    status, kind, code = _CEREBRAS.get(e.condition, _CEREBRAS["bad_request"])
    return status, {"message": str(e), "type": kind, "param": e.param or "", "code": code}


def _xiaomi(e: Refused) -> Said:
    status, kind = _XIAOMI.get(e.condition, _XIAOMI["bad_request"])
    text = f"maximum context length exceeded: {e}" if e.condition == "context" else str(e)
    return status, {"error": {"message": text, "param": e.param, "code": str(status), "type": kind}}


def _local(e: Refused) -> Said:
    status, kind = _LOCAL.get(e.condition, _LOCAL["bad_request"])
    return status, {"error": {"code": status, "message": str(e), "type": kind}}


_SAY: dict[str, Callable[[Refused], Said]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "google": _google,
    "typesafe": _typesafe,
    "openrouter": _openrouter,
    "cloudflare": _cloudflare,
    "zai": _zai,
    "deepseek": _deepseek,
    "cerebras": _cerebras,
    "xiaomi": _xiaomi,
    "local": _local,
}


def say(family: str, error: Refused) -> Said:
    """Status and body of that provider's error."""
    return _SAY[family](error)


def made_up(condition: Condition, message: str) -> Refused:
    """An error that a scenario asks for; the request itself is sound."""
    return Refused(condition, message)
