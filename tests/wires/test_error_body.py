"""The words of an error body, whoever wrapped it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.wires.error_body import error_data, error_detail, error_words, kind_of_status

INNER = {"message": "no", "type": "t", "code": "c"}


@pytest.mark.parametrize(
    "data, words",
    [
        ({"error": INNER}, ("t", "c", "no")),
        ([{"error": INNER}], ("t", "c", "no")),
        ({"error": [INNER]}, ("t", "c", "no")),
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "later"}},
            ("overloaded_error", "", "later"),
        ),
        ({"type": "error", "error": "text"}, ("", "", "text")),
        ({"error": "text"}, ("", "", "text")),
        ({"error": "text", "type": "t", "code": 404}, ("t", "404", "text")),
        ({"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}, ("INVALID_ARGUMENT", "400", "m")),
        ({"error": {"code": None, "type": None, "message": "m"}}, ("", "", "m")),
        (INNER, ("t", "c", "no")),
        ({"error": None, **INNER}, ("t", "c", "no")),
        ({"detail": "text"}, ("", "", "text")),
        ({"detail": {"error_type": "t", "message": "m"}}, ("t", "", "m")),
        ({"detail": [{"type": "missing", "msg": "m", "loc": ["body"], "input": "the state"}]}, ("missing", "", "m")),
        *((v, ("", "", "")) for v in (None, [], {}, 1, "text", [1], {"error": []}, {"error": 1}, {"detail": [7]})),
        *(({"error": {"message": v, "type": v, "code": v}}, ("", "", "")) for v in ({}, [1], 1.5, True, None, "")),
    ],
)
def test_shapes(data, words):
    assert error_words(data) == words


@pytest.mark.parametrize(
    "words, detail",
    [
        (("", "", ""), "HTTP 400"),
        (("t", "", ""), "HTTP 400 t"),
        (("t", "c", "m"), "HTTP 400 c: m"),
        (("t", "404", "m"), "HTTP 400 t: m"),
        (("", "1113", "m"), "HTTP 400 1113: m"),
        (("t" * 99, "", "m" * 999), f"HTTP 400 {'t' * 60}: {'m' * 200}"),
    ],
)
def test_one_line_for_the_log(words, detail):
    assert error_detail(400, *words) == detail


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b'{"a": NaN}', b"[" * 100_000])
def test_what_is_no_json_says_nothing(body):
    assert error_data(body) is None


def test_every_status_has_a_kind():
    assert {kind_of_status(s) for s in range(0, 1000)} == {
        *("authentication", "permission", "budget", "rate_limit", "timeout", "unsupported", "overloaded", "rejected")
    }


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda v: (
            st.lists(v, max_size=2)
            | st.dictionaries(
                st.sampled_from(["error", "detail", "message", "type", "code", "status", "msg"]), v, max_size=4
            )
        ),
    )
)
def test_any_value_has_three_words(value):
    words = error_words(json.loads(json.dumps(value)))
    assert len(words) == 3 and all(isinstance(w, str) for w in words)
