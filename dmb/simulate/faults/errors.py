"""Faults that put an error in the place of the reply, in the provider's own shape. Nothing of it is billed."""

from __future__ import annotations

import datetime as dt
from email.utils import format_datetime
from typing import Any

from dmb.simulate.asked import Condition, Refused
from dmb.simulate.draft import Draft

_RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"

#: Ways of saying how long to wait.
RETRY_FORMS = ("seconds", "ms", "date", "nonsense", "none")


def rate_limit(draft: Draft, *, form: str = "seconds", seconds: float = 1.0) -> None:
    """429, with `seconds` to wait said in one `form`: seconds, ms, date, nonsense or none. Google says it in the body."""
    _fail(draft, "rate_limit", "too many requests")
    if form == "seconds" and draft.asked.speaker.vendor == "google":

        def say_when(told: Any) -> None:
            told["error"]["details"] = [{"@type": _RETRY_INFO, "retryDelay": f"{seconds:g}s"}]

        draft.edit.append(say_when)
    elif form == "seconds":
        draft.headers.append(("retry-after", f"{seconds:g}"))
    elif form == "ms":
        draft.headers.append(("retry-after-ms", f"{seconds * 1000:.0f}"))
    elif form == "date":
        # whole seconds, so that it is never sooner than was meant
        when = draft.asked.at + dt.timedelta(seconds=seconds + 1)
        draft.headers.append(("retry-after", format_datetime(when, usegmt=True)))
    elif form == "nonsense":
        draft.headers.append(("retry-after", "after the tea"))


def overloaded(draft: Draft) -> None:
    """The provider's own way of being overloaded: 529 or 503, at Cerebras 429."""
    _fail(draft, "overloaded", "overloaded for the moment")


def overload_in_200(draft: Draft) -> None:
    """An overload told inside a 200, where the provider has a way to; elsewhere its error body with status 200."""
    asked = draft.asked
    if asked.wire == "chat_completions" and asked.speaker.vendor in ("deepseek", "zai"):
        why = "insufficient_system_resource" if asked.speaker.vendor == "deepseek" else "network_error"

        def give_up(told: Any) -> None:
            told["choices"][0]["finish_reason"] = why

        draft.edit.append(give_up)
        draft.worked = False
    elif asked.wire == "responses":

        def fail(told: Any) -> None:
            error = {"code": "server_error", "message": "overloaded for the moment"}
            told |= {"status": "failed", "output": [], "error": error}

        draft.edit.append(fail)
        draft.worked = False
    else:
        _fail(draft, "overloaded", "overloaded for the moment")
        draft.force_status = 200


def overload_in_500(draft: Draft) -> None:
    """The body of an overload with status 500."""
    _fail(draft, "overloaded", "overloaded for the moment")
    draft.force_status = 500


def internal_error(draft: Draft) -> None:
    """500, in the provider's own words."""
    _fail(draft, "internal", "something broke")


def gateway_timeout(draft: Draft) -> None:
    """504, at OpenRouter 524: the server behind was too slow."""
    _fail(draft, "timeout", "it took too long")


def status(draft: Draft, *, status: int = 529) -> None:
    """An error of that `status`, with the body of an overload."""
    _fail(draft, "overloaded", "overloaded for the moment")
    draft.force_status = status


def bad_key(draft: Draft) -> None:
    """The key is wrong, as each provider says it: 401, at Google 400."""
    _fail(draft, "bad_key", "the key is not valid")


def no_key(draft: Draft) -> None:
    """No key came, as each provider says it: 401, at jev and Google 403."""
    _fail(draft, "no_key", "a key is required")


def permission(draft: Draft) -> None:
    """403: the key is good, and what was asked is not for it."""
    _fail(draft, "permission", "not served to this account")


def no_money(draft: Draft) -> None:
    """The account is empty, as each provider says it: 402; 429 at OpenAI, Z.ai and Cloudflare; 400 at Google."""
    _fail(draft, "no_money", "no credit is left")


def unknown_model(draft: Draft) -> None:
    """The model is not served: 404, at jev, DeepSeek and Z.ai 400."""
    _fail(draft, "unknown_model", "the model does not exist")


def context_too_long(draft: Draft) -> None:
    """The prompt is too long, whatever its length."""
    _fail(draft, "context", "the prompt has more tokens than the context")


def options_over_cap(draft: Draft, *, options: int = 255) -> None:
    """A decision service takes at most `options` of one choice; questions with fewer are answered."""
    most = max((len(q.options) for q in draft.understood.questions), default=0)
    if most > options:
        _fail(draft, "options_over", f"at most {options} options are taken, found {most}")


def content_policy(draft: Draft) -> None:
    """An error that the content was not let through: Z.ai 1301, OpenAI and OpenRouter by name; elsewhere a plain 400."""
    _fail(draft, "content_policy", "the content was not let through")


def echo_key(draft: Draft) -> None:
    """A wrong key, and the message repeats it in full."""
    _fail(draft, "bad_key", f"the key {draft.asked.key or 'sent'} is not valid")


def _fail(draft: Draft, condition: Condition, message: str) -> None:
    draft.error = Refused(condition, message)
    draft.worked = False
