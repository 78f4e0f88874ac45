"""Canonical JSON: the bytes that keys are made of."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.canonical import canonical_json, digest, json_line, sha256_hex, text_digest

texts = st.text(st.characters(codec="utf-8"))
any_text = st.text(st.characters(exclude_categories=()))


def values(strings):
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | strings
    return st.recursive(
        leaves, lambda v: st.lists(v, max_size=4) | st.dictionaries(strings, v, max_size=4), max_leaves=12
    )


def turned_around(value):
    """The same value with every table written in the opposite order."""
    if isinstance(value, dict):
        return {k: turned_around(value[k]) for k in reversed(value)}
    return [turned_around(v) for v in value] if isinstance(value, list) else value


@given(values(texts))
def test_the_order_of_keys_never_matters(value):
    assert canonical_json(turned_around(value)) == canonical_json(value)
    assert digest(turned_around(value)) == digest(value)


@given(values(texts))
def test_round_trip(value):
    assert json.loads(canonical_json(value)) == value


@given(values(any_text))
def test_a_row_is_one_ascii_line_whatever_is_in_it(value):
    line = json_line(value)
    assert line.isascii() and line.splitlines(keepends=True) == [line] and line.endswith("\n")
    assert json.loads(line) == value


@pytest.mark.parametrize("text", ["\u2028", "\u2029", "\x85", "\x0b", "\x00", "\ud800", "\udc00\ud800", "a\r\nb"])
def test_line_breaks_and_lone_surrogates_are_escaped(text):
    line = json_line({"t": text})
    assert line.encode("ascii").splitlines() == [line[:-1].encode("ascii")]
    assert json.loads(line) == {"t": text}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("write", [canonical_json, json_line, digest])
def test_what_json_cannot_say_is_refused(write, number):
    with pytest.raises(ValueError):
        write({"a": [number]})
    with pytest.raises(TypeError):
        write({"a": {1, 2}})


def test_numbers_and_texts_of_one_look_differ():
    assert len({digest(v) for v in (1, "1", True, "true", None, "null", [1], 1.5)}) == 8


def test_hand_made_bytes():
    assert canonical_json({"b": [1, 2.5, None], "a": "é"}) == '{"a":"é","b":[1,2.5,null]}'
    assert json_line({"b": 1, "a": "é"}) == '{"a":"\\u00e9","b":1}\n'
    assert sha256_hex(b"") == text_digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest("é") == sha256_hex('"é"'.encode())
