"""How long a server asks to wait."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.wires.retry_hint import retry_after_s

NOW = dt.datetime(2026, 11, 30, 12, 0, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ({}, None),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7),
        ({"retry-after": "0"}, 0),
        ({"retry-after": " 2.5 "}, 2.5),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:20 GMT"}, 20),
        ({"retry-after": "Monday, 30-Nov-26 12:00:20 GMT"}, 20),
        ({"retry-after": "Mon, 30 Nov 2026 13:00:20 +0100"}, 20),
        ({"retry-after": "Mon, 30 Nov 2026 11:59:00 GMT"}, 0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:20 +" + "9" * 30}, None),
        *(({"retry-after": t}, None) for t in ("", "soon", "-5", "nan", "inf", "1e999", "Mon, 31 Feb 2026 1:1:1 GMT")),
    ],
)
def test_forms(headers, seconds):
    assert retry_after_s(headers, NOW) == seconds


@given(st.text(max_size=30) | st.text("0123456789 :+-,MonNvGT", max_size=40))
def test_any_text_is_a_wait_or_nothing(text):
    for name in ("retry-after", "retry-after-ms"):
        seconds = retry_after_s({name: text}, NOW)
        assert seconds is None or 0 <= seconds < float("inf")
