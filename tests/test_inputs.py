"""What people write wrong is told in one line: file, field, line, and the mend."""

from __future__ import annotations

import pytest

from dmb.contracts.config import Config
from dmb.contracts.contender import Contender, Provider
from dmb.contracts.suite import SuiteFile
from dmb.errors import EXIT_USAGE, InputError
from dmb.inputs import nearest, parse_json, parse_toml, parse_yaml, validate

SUITE = """\
id = "s"
title = "t"
description = "d"

[items]
builder = "jsonl"

[question]
instructions = "which?"

[policy]
retry_malformed = 0
"""

CONFIG = """\
all: [quick]
releases:
  quick:
    title: t
    suites: [s]
    contenders: [c]
protocol:
  version: 3
"""


def told(call, *args) -> str:
    with pytest.raises(InputError) as caught:
        call(*args)
    assert caught.value.exit_code == EXIT_USAGE
    text = str(caught.value)
    assert "\n" not in text
    return text


def read_suite(text: str) -> SuiteFile:
    return validate(SuiteFile, parse_toml(text, "s.toml"), "s.toml", text)


def read_config(text: str) -> Config:
    return validate(Config, parse_yaml(text, "config.yaml"), "config.yaml", text)


def test_what_is_right_is_read():
    assert read_suite(SUITE).policy.retry_malformed == 0
    assert read_config(CONFIG).releases["quick"].contenders == ("c",)


@pytest.mark.parametrize(
    "old, new, expected",
    [
        (
            "retry_malformed",
            "retry_malfomed",
            "policy.retry_malfomed (line 12): unknown field; did you mean 'retry_malformed'?",
        ),
        ("title", "titel", "titel (line 2): unknown field; did you mean 'title'?"),
        ("builder", "xyzzy", "items.xyzzy (line 6): unknown field; known: builder, files, params, sources, suite"),
        ('title = "t"\n', "", "title: is missing; add 'title'"),
        ('builder = "jsonl"\n', "", "items.builder (line 5): is missing; add 'builder'"),
        ('"which?"', "7", "question.instructions (line 9): input should be a valid string, found 7; correct it"),
        (
            "= 0",
            "= 2",
            "policy.retry_malformed (line 12): input should be less than or equal to 1, found 2; correct it",
        ),
        ("= 0", "= 1979-05-27", "policy.retry_malformed (line 12): input should be a valid integer"),
    ],
)
def test_a_suite_file(old, new, expected):
    assert SUITE.count(old) == 1
    assert told(read_suite, SUITE.replace(old, new)).startswith(f"s.toml: {expected}")


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("contenders:", "contender:", "releases.quick.contender (line 6): unknown field; did you mean 'contenders'?"),
        ("[s]", "[]", "releases.quick.suites (line 5): tuple should have at least 1 item"),
        ("[quick]", "[Quick]", "all.0 (line 1): string should match pattern"),
        ("version: 3", "version: three", "protocol.version (line 8): input should be a valid integer"),
        ("protocol:", "protocoll:", "protocoll (line 7): unknown field; did you mean 'protocol'?"),
    ],
)
def test_the_config_file(old, new, expected):
    assert CONFIG.count(old) == 1
    assert told(read_config, CONFIG.replace(old, new)).startswith(f"config.yaml: {expected}")


def test_an_empty_file_is_no_table():
    assert told(read_config, "").startswith("config.yaml: input should be a valid dictionary")


def test_a_prefix_says_where_the_value_stands():
    text = '[one]\nprovider = "p"\n[two]\nbilled = true\nadress = "x"\n'
    value = parse_toml(text, "providers.toml")["two"]
    expected = "providers.toml: two.adress (line 5): unknown field; did you mean 'address'?"
    assert told(validate, Provider, value, "providers.toml", text, "two") == expected


def test_a_field_of_a_nested_model_is_named_from_that_model():
    value = {"provider": "p", "model": "m", "display": {"label": "x", "tiers": "small"}}
    assert told(validate, Contender, value, "f") == "f: display.tiers: unknown field; did you mean 'tier'?"


@pytest.mark.parametrize(
    "parse, text, expected",
    [
        (parse_toml, 'a = 1\nb = "x\n', "no valid TOML: Illegal character '\\n' (at line 2, column 7)"),
        (parse_toml, "a = 1\na = 2\n", "no valid TOML: Cannot overwrite a value (at line 2"),
        (parse_yaml, "a: 1\nb: [1\n", "line 3: no valid YAML: "),
        (parse_yaml, "a: 1\nb: 2\na: 3\n", "line 3: no valid YAML: key 'a' stands twice"),
        (parse_yaml, "a:\n  b: 1\n  b: 2\n", "line 3: no valid YAML: key 'b' stands twice"),
        (parse_yaml, "a: 1\n? [b]\n: 2\n", "line 2: no valid YAML: a key is no word"),
        (parse_yaml, "a: 1\n? {b: 1}\n: 2\n", "line 2: no valid YAML: a key is no word"),
        (parse_yaml, "a: \x00", "no valid YAML: unacceptable character #x0000"),
        (parse_yaml, "a: !!python/object:os.system x", "line 1: no valid YAML: could not determine a constructor"),
        (parse_json, '{"a": 1}\n{"b"}\n', "line 2: no valid JSON: Extra data"),
        (parse_json, '{"a": 1,\n"b": }', "line 2: no valid JSON: Expecting value"),
    ],
)
def test_broken_text_names_the_line(parse, text, expected):
    assert told(parse, text, "f").startswith(f"f: {expected}")


def test_nearest():
    assert nearest("sparow", ["sparrow", "random"]) == "did you mean 'sparrow'?"
    assert nearest("zzz", ["b", "a"]) == "known: a, b"
    assert nearest("zzz", []) == ""
