"""No spelling of a secret survives, and a text without one is left as it is."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dmb.transport.scrub import BLOT, Scrubber

#: All that a header can carry.
VISIBLE = "".join(map(chr, range(0x21, 0x7F)))
KEYLIKE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=."

secrets = st.one_of(st.text(VISIBLE, min_size=5, max_size=60), st.text(KEYLIKE, min_size=5, max_size=60))
#: What no secret holds.
around = st.text(" \n\té€", max_size=8)


def entities(text: str) -> str:
    return "".join(f"&#{ord(c)};" if i % 2 else f"&#x{ord(c):X};" for i, c in enumerate(text))


def dotnet(text: str) -> str:
    """JSON as a cautious writer writes it: all but letters and digits as escapes in capitals."""
    return "".join(c if c.isalnum() else f"\\u{ord(c):04X}" for c in text)


def basic(text: str) -> str:
    return base64.b64encode(f"user:{text}".encode()).decode()


#: Name -> how a server may write what it was sent.
SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda s: s,
    "JSON": lambda s: json.dumps(s)[1:-1],
    "JSON with slashes": lambda s: json.dumps(s)[1:-1].replace("/", "\\/"),
    "JSON in JSON": lambda s: json.dumps(json.dumps(s))[1:-1],
    "JSON in JSON in JSON": lambda s: json.dumps(json.dumps(json.dumps(s).replace("/", "\\/"))),
    "JSON of escapes": lambda s: "".join(f"\\u{ord(c):04x}" for c in s),
    "JSON by .NET": dotnet,
    "JSON by .NET in JSON": lambda s: json.dumps(dotnet(s)),
    "Python": lambda s: repr(s.encode())[2:-1],
    "Python in JSON": lambda s: json.dumps(repr(s))[1:-1],
    "bytes as hex escapes": lambda s: "".join(f"\\x{ord(c):02x}" for c in s),
    "URL": lambda s: quote(s, safe=""),
    "URL with slashes": quote,
    "URL in lower case": lambda s: re.sub("%..", lambda m: m[0].lower(), quote(s, safe="")),
    "URL, all of it": lambda s: "".join(f"%{ord(c):02X}" for c in s),
    "URL in a URL": lambda s: quote(quote(s, safe=""), safe=""),
    "form": quote_plus,
    "HTML": html.escape,
    "HTML in JSON": lambda s: json.dumps(html.escape(s)),
    "HTML, all of it": entities,
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 for URLs": lambda s: base64.urlsafe_b64encode(s.encode()).decode(),
    "base64 in a URL": lambda s: quote(base64.b64encode(s.encode()).decode(), safe=""),
    "base64 in JSON with slashes": lambda s: base64.b64encode(s.encode()).decode().replace("/", "\\/"),
    "basic authentication": basic,
    "base64 amid other data": lambda s: base64.b64encode(f'{{"k": "{s}", "b": 1}}'.encode()).decode(),
    "base64 with another beginning": lambda s: base64.b64encode(f"ab{s}cd".encode()).decode(),
}

#: What base64 may leave of a secret at its ends: less than a byte each.
_LEFT = {name for name in SPELLINGS if "base64" in name or name == "basic authentication"}


@pytest.mark.parametrize("name", SPELLINGS)
@settings(max_examples=40)
@given(secret=secrets, before=around, after=around)
def test_no_spelling_survives(name, secret, before, after):
    spelling = SPELLINGS[name](secret)
    for clean in (text_of, bytes_of, header_of):
        cleaned, n = clean(Scrubber((secret,)), f"{before}{spelling}{after}")
        assert n >= 1 and BLOT in cleaned
        rest = cleaned.replace(BLOT, "")
        assert spelling not in rest and secret not in rest
        if name in _LEFT:
            # two characters at either end hold less than a byte of it each; the rest are padding
            assert len(rest) - len(f"{before}{after}") <= len(SPELLINGS[name]("")) + 9
        else:
            # nothing of it is left, and nothing else is gone
            assert re.sub(r"""["'\\]""", "", rest) == f"{before}{after}"


def text_of(scrubber: Scrubber, text: str) -> tuple[str, int]:
    return scrubber.text(text)


def bytes_of(scrubber: Scrubber, text: str) -> tuple[str, int]:
    data, n = scrubber.bytes(text.encode())
    return data.decode(), n


def header_of(scrubber: Scrubber, text: str) -> tuple[str, int]:
    found, n = scrubber.headers({"a": "1", "location": text})
    assert found["a"] == "1"
    return found["location"], n


@given(secret=secrets, encoding=st.sampled_from(["utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]))
def test_not_in_another_encoding_either(secret, encoding):
    data, n = Scrubber((secret,)).bytes(f"<key {secret}>".encode(encoding))
    assert n == 1 and secret.encode(encoding)[1:-1] not in data


@given(secret=secrets, picks=st.randoms(use_true_random=False))
def test_no_mixture_of_escapes_survives(secret, picks):
    def spell(c: str) -> str:
        return picks.choice(
            [c, f"\\u{ord(c):04x}", f"%{ord(c):02x}", f"&#{ord(c)};", f"\\x{ord(c):02x}", f"%25{ord(c):02X}"]
        )

    cleaned, n = Scrubber((secret,)).text("a" + "".join(map(spell, secret)) + "b")
    assert n >= 1 and cleaned.startswith("a") and cleaned.endswith("b")
    # a backslash of the secret may be taken for the beginning of the escape behind it
    assert len(cleaned.replace(BLOT, "")) <= 2 + secret.count("\\")


@given(secret=st.text(VISIBLE + "é€🙂", min_size=4, max_size=30), times=st.integers(0, 5))
def test_each_is_counted(secret, times):
    cleaned, n = Scrubber((secret,)).bytes(b" ~ ".join([secret.encode()] * times))
    assert n == times and cleaned.count(BLOT.encode()) == times


# -- what is left alone

#: Secrets with a capital Q, texts without one: whatever else they share.
withQ = st.text(KEYLIKE, min_size=6, max_size=30).map(lambda t: t[:3] + "Q" + t[3:])
others = st.text(st.characters(exclude_characters="Q", exclude_categories=("Cs",)), max_size=300)


@given(secret=withQ, text=others)
def test_a_text_without_a_secret_is_untouched(secret, text):
    assume("Q" not in text)
    scrubber = Scrubber((secret,))
    # what is in base64 by chance, nobody would tell from the secret
    assume(
        not any(
            core in text for core in (base64.b64encode(b"\0" * k + secret.encode())[4:8].decode() for k in (0, 1, 2))
        )
    )
    assert scrubber.text(text) == (text, 0)
    assert scrubber.bytes(text.encode()) == (text.encode(), 0)
    assert scrubber.headers({"x": text}) == ({"x": text}, 0)


@given(secret=secrets, at=st.integers(0, 59), data=st.binary(max_size=200))
def test_all_but_one_character_is_no_secret(secret, at, data):
    at %= len(secret)
    other = secret[:at] + ("~" if secret[at] != "~" else "!") + secret[at + 1 :]
    assume(secret not in other)
    text = json.dumps({"key": other})
    assume(secret not in text and secret not in json.loads(text)["key"])
    cleaned, n = Scrubber((secret,)).text(text)
    # base64 of a neighbour may have the middle in common, but here there is none
    assert (cleaned, n) == (text, 0)


@given(data=st.binary(max_size=300))
def test_any_bytes_pass_where_nothing_is_secret(data):
    assert Scrubber(()).bytes(data) == (data, 0)
    assert Scrubber(("", "abc")).bytes(data) == (data, 0)


def test_the_longer_of_two_secrets_goes_first():
    scrubber = Scrubber(("sk-shared", "sk-shared-and-more"))
    assert scrubber.text("a sk-shared-and-more b sk-shared c") == (f"a {BLOT} b {BLOT} c", 2)
    assert scrubber.text("a sk-shared\\u002dand-more b%20sk-shared") == (f"a {BLOT} b%20{BLOT}", 2)


def test_what_is_blotted_out_is_still_json():
    secret = 'k+y/with="quotes"\\and'
    told = {"error": {"message": f"the key {secret} is wrong", "n": 1}}
    for text in (json.dumps(told), json.dumps(told).replace("/", "\\/"), json.dumps(told).replace("+", "\\u002B")):
        cleaned, n = Scrubber((secret,)).text(text)
        assert n == 1 and json.loads(cleaned) == {"error": {"message": f"the key {BLOT} is wrong", "n": 1}}
