"""What can be made to go wrong, by name. A fault changes the reply in the making; its keywords are its parameters.

A wire that has no way to show a fault answers as if nothing were wrong. `docs/simulate.md` has the list.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from dmb.contracts.scenario import FaultRule
from dmb.simulate.draft import Draft
from dmb.simulate.faults import answers, bodies, delivery, errors, stops, usage

Fault = Callable[..., None]

FAULTS: dict[str, Fault] = {
    # when and how the bytes leave
    "delay": delivery.delay,
    "slow_drip": delivery.slow_drip,
    "reset": delivery.reset,
    "close": delivery.close,
    "reset_mid_body": delivery.reset_mid_body,
    "close_mid_body": delivery.close_mid_body,
    # an error in the place of the reply
    "rate_limit": errors.rate_limit,
    "overloaded": errors.overloaded,
    "overload_in_200": errors.overload_in_200,
    "overload_in_500": errors.overload_in_500,
    "internal_error": errors.internal_error,
    "gateway_timeout": errors.gateway_timeout,
    "status": errors.status,
    "bad_key": errors.bad_key,
    "no_key": errors.no_key,
    "permission": errors.permission,
    "no_money": errors.no_money,
    "unknown_model": errors.unknown_model,
    "context_too_long": errors.context_too_long,
    "options_over_cap": errors.options_over_cap,
    "content_policy": errors.content_policy,
    "echo_key": errors.echo_key,
    # why the model stopped
    "refusal": stops.refusal,
    "content_filter": stops.content_filter,
    "truncated": stops.truncated,
    "truncated_silently": stops.truncated_silently,
    "eaten_by_reasoning": stops.eaten_by_reasoning,
    "empty": stops.empty,
    # what it answered
    "index_bool": answers.index_bool,
    "index_float": answers.index_float,
    "index_string": answers.index_string,
    "index_out_of_range": answers.index_out_of_range,
    "index_negative": answers.index_negative,
    "unknown_choice": answers.unknown_choice,
    "confidence_85": answers.confidence_85,
    "confidence_negative": answers.confidence_negative,
    "confidence_string": answers.confidence_string,
    "confidence_missing": answers.confidence_missing,
    "nan": answers.nan,
    "duplicate_keys": answers.duplicate_keys,
    "probabilities_off": answers.probabilities_off,
    "extra_answer": answers.extra_answer,
    "missing_answer": answers.missing_answer,
    "prose_around": answers.prose_around,
    "fenced": answers.fenced,
    "line_separators": answers.line_separators,
    # what it counts and charges
    "usage_missing": usage.usage_missing,
    "usage_null": usage.usage_null,
    "usage_float": usage.usage_float,
    "usage_zero": usage.usage_zero,
    "cached_tokens": usage.cached_tokens,
    "cache_write_tokens": usage.cache_write_tokens,
    "reasoning_tokens": usage.reasoning_tokens,
    "charge_factor": usage.charge_factor,
    # what else is on the wire
    "wrong_model": bodies.wrong_model,
    "html_502": bodies.html_502,
    "html_200": bodies.html_200,
    "redirect": bodies.redirect,
    "wrong_content_type": bodies.wrong_content_type,
    "non_utf8": bodies.non_utf8,
    "cut_json": bodies.cut_json,
    "empty_body": bodies.empty_body,
    "huge_body": bodies.huge_body,
    "gzip": bodies.gzip_encoded,
}


def parameters_of(name: str) -> Mapping[str, object]:
    """Parameter -> its default."""
    found = inspect.signature(FAULTS[name]).parameters.values()
    return {p.name: p.default for p in found if p.kind is inspect.Parameter.KEYWORD_ONLY}


def apply_fault(rule: FaultRule, draft: Draft) -> None:
    """Change the draft by the rule's fault and its parameters."""
    FAULTS[rule.do](draft, **rule.parameters())
