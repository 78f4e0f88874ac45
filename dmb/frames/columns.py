"""The columns of each frame, in order: kind and meaning. ``docs/frames.md`` says the same, and a test holds it to this."""

from __future__ import annotations

from dmb.contracts.attempt import OUTCOMES

#: Kind -> pandas type. All of them know a missing value, which is never 0, never NaN and never an empty text.
#: Money is exact: 38 digits, 24 of them behind the point.
KINDS = {
    "text": "string",
    "count": "Int64",
    "number": "Float64",
    "flag": "boolean",
    "time": "datetime64[us, UTC]",
    "money": "decimal128(38, 24)[pyarrow]",
}

CELL_KEY = {
    "contender": ("text", "id of the contender"),
    "suite": ("text", "id of the suite"),
}

ROW_KEY = CELL_KEY | {
    "item": ("text", "id of the item"),
    "permutation": ("count", "order of the options, 0 for the first"),
    "repeat": ("count", "from 0, where items are asked several times"),
}

CELLS = CELL_KEY | {
    "label": ("text", "how the contender is called in print"),
    "lab": ("text", "who made it"),
    "tier": ("text", "what kind of contender it is"),
    "provider": ("text", "who was called"),
    "model": ("text", "the name that the provider knows it by"),
    "status": ("text", "complete, dnf, stopped or skipped"),
    "stop_reason": ("text", "why it is not complete"),
    "source_run": ("text", "run that its rows were read from"),
    "cell_key": ("text", "content key, 64 hex digits"),
    "simulated": ("flag", "a script answered, and no model was asked"),
    "n_expected": ("count", "rows that were to be answered"),
    "n_groups": ("count", "groups that these rows form"),
    "repeats": ("count", "how often each item was asked"),
    **{f"n_{outcome}": ("count", f"rows that ended as {outcome}") for outcome in OUTCOMES},
    "cost_usd": ("money", "all attempts at list prices; missing where that of any is unknown"),
    "cost_note": ("text", "why a cost is missing, or that nobody bills"),
    "charged_usd": ("money", "what the provider says that it charged, over the attempts of which it says so"),
}

METRICS = CELL_KEY | {
    "slice_by": ("text", "field of the items that the rows are chosen by; missing for the whole cell"),
    "slice_value": ("text", "its value in these rows"),
    "metric": ("text", "name, as in the cells file"),
    "value": ("number", "missing where the metric is undefined"),
    "low": ("number", "lower end of the 95 % interval"),
    "high": ("number", "upper end"),
    "n": ("count", "rows that it is made of"),
    "num": ("number", "numerator"),
    "den": ("number", "denominator"),
    "note": ("text", "why there is no value, or what to know about it"),
}

DECISIONS = ROW_KEY | {
    "slot": ("text", "which output of the suite"),
    "group": ("text", "rows of one group are not independent"),
    "stratum": ("text", "what the item was drawn from"),
    "counted": ("flag", "whether the suite takes accuracy over this row"),
    "outcome": ("text", "one of the seven"),
    "reason": ("text", "why it is not valid"),
    "gold": ("text", "the right answer; missing where no answer is right"),
    "value": ("text", "the answer: an option's id"),
    "position": ("count", "where it stood in the list that was shown, from 0"),
    "correct": ("flag", "missing unless the outcome is valid"),
    "confidence": ("number", "0 to 1"),
    "confidence_kind": ("text", "where the confidence comes from"),
    "native_confidence": ("number", "the provider's own field, where the confidence is a probability of the reply"),
    "n_options": ("count", "options that were shown"),
    "n_attempts": ("count", "attempts behind it"),
    "latency_ms": ("number", "first attempt to last byte, retries and waiting included"),
    "request_latency_ms": ("number", "the last attempt alone, at the socket"),
    "cost_usd": ("money", "all its attempts at list prices; missing where that of any is unknown"),
    "served_model": ("text", "who answered, as the reply says"),
    "simulated": ("flag", "a script answered"),
    "source_run": ("text", "run that the row was read from"),
}

ATTEMPTS = ROW_KEY | {
    "attempt": ("count", "from 1"),
    "cause": ("text", "first, failed or malformed: why it was made"),
    "outcome": ("text", "what this attempt comes to, judged from its bytes"),
    "reason": ("text", "why it is not valid"),
    "sent_at": ("time", "when it was begun"),
    "sent": ("flag", "whether anything left the process; missing where that was not written down"),
    "status": ("count", "HTTP status"),
    "failure": ("text", "kind of failure, where there is no usable reply"),
    "request_ms": ("number", "first byte sent to last byte received"),
    "first_byte_ms": ("number", "first byte sent to first byte received"),
    "connect_ms": ("number", "TCP set-up before it, where a connection had to be made"),
    "tls_ms": ("number", "TLS set-up"),
    "new_connection": ("flag", "whether a connection had to be made"),
    "client_wait_ms": ("number", "waiting in the asking process"),
    "lag_ms": ("number", "how long the asking thread was kept from running"),
    "input_tokens": ("count", "all input, as the provider counts it"),
    "cached_tokens": ("count", "of these, read from a cache"),
    "cache_write_tokens": ("count", "of these, written to a cache"),
    "output_tokens": ("count", "output, reasoning included"),
    "reasoning_tokens": ("count", "of these, reasoning"),
    "cost_usd": ("money", "at list prices; missing where it is unknown"),
    "cost_unknown": ("text", "why it is"),
    "charged_usd": ("money", "what the reply says that was charged"),
    "served_model": ("text", "who answered, as the reply says"),
    "asker": ("text", "wire or baseline"),
    "asker_version": ("count", "its version"),
    "request": ("text", "digest of the question"),
    "simulated": ("flag", "a script answered"),
    "asked_in": ("text", "run that asked it: another than the source run where its row was imported"),
    "source_run": ("text", "run that the row was read from"),
}

#: Frame -> its columns. A decision has a further column ``slice_<field>`` for each field that items of its release have.
FRAMES = {"cells": CELLS, "metrics": METRICS, "decisions": DECISIONS, "attempts": ATTEMPTS}
