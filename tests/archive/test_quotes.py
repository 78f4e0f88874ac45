"""Quotations are found however they are written, and nothing else is touched."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.archive.escapes import pieces, unescaped
from dmb.archive.quotes import Quotes, Search, words

TEXT = "My grandmother’s card was swallowed – twice! – by the machine outside Zürich’s station, why?"
PART = "swallowed – twice! – by the machine"
OPTIONS = ["card swallowed", "card was swallowed by a machine", "top up failed"]


#: name -> how a text may be written into a file
WRITTEN = {
    "as it is": lambda t: t.encode(),
    "in capitals": lambda t: t.upper().encode(),
    "JSON": lambda t: json.dumps({"t": t}, ensure_ascii=False).encode(),
    "JSON in ASCII": lambda t: json.dumps({"t": t}).encode(),
    "JSON within JSON": lambda t: json.dumps({"reply": json.dumps({"t": json.dumps(t)})}).encode(),
    "every letter escaped": lambda t: "".join(f"\\u{ord(c):04x}" for c in t).encode(),
    "every letter escaped twice": lambda t: "".join(f"\\\\u{ord(c):04X}" for c in t).encode(),
    "wrapped": lambda t: t.replace(" ", "\n  ").encode(),
    "wrapped within JSON": lambda t: json.dumps(t.replace(" ", "\n")).encode(),
    "URL": lambda t: quote(t).encode(),
    "form": lambda t: quote_plus(t).encode(),
    "URL within a URL": lambda t: quote(quote(t)).encode(),
    "HTML": lambda t: html.escape(t).encode("ascii", "xmlcharrefreplace"),
    "base64": lambda t: base64.b64encode(t.encode()),
    "base64 for URLs": lambda t: b'{"x": "' + base64.urlsafe_b64encode(t.encode()) + b'"}',
    "base64 amid other bytes": lambda t: base64.b64encode(b"\xff\x00" + t.encode() + b"\xfe"),
    "base64 behind letters": lambda t: b"ab" + base64.b64encode(t.encode()),
    "JSON in base64": lambda t: base64.b64encode(json.dumps({"t": t}).encode()),
    "UTF-16": lambda t: t.encode("utf-16"),
    "UTF-16 in base64": lambda t: base64.b64encode(t.encode("utf-16-le")),
    "no UTF-8 beside it": lambda t: b"\xff\xfe\xfa" * 3 + t.encode(),
    "decomposed": lambda t: t.replace("ü", "u\u0308").encode(),
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN)
def test_a_text_and_a_fragment_of_it_are_found_however_they_are_written(write):
    search = Search([TEXT], OPTIONS)
    assert search.first_in(write(TEXT)) is not None
    middle = " ".join(TEXT.split()[3:14])
    assert search.first_in(b"and so: " + write(middle) if write is not WRITTEN["UTF-16"] else write(middle)) is not None
    assert (
        search.first_in(write("The card of my grandmother, outside a station, was why the machine stopped twice"))
        is None
    )


def test_what_is_anybodys_english_is_no_fragment():
    search = Search(["What do I have to do to get it?", "Where is my card?", "Call"])
    assert len(search) == 0
    # five words that are the whole text are looked for, where one of them is a word of its own
    assert len(Search(["How do I locate my card"])) == 1


def test_texts_that_may_stand_are_not_looked_for():
    text = "card was swallowed by a machine"
    assert Search([text]).first_in(text.encode())
    assert len(Search([text], OPTIONS)) == 0
    quotes = Quotes("My card was swallowed by a machine, and then it rained on all of us", OPTIONS)
    assert not quotes.stands_in('{"choice": "card was swallowed by a machine"}')
    assert quotes.stands_in("and then it rained")


def test_a_quotation_is_replaced_where_it_stands_and_nothing_else_changes():
    quotes = Quotes(TEXT, OPTIONS)
    reply = json.dumps({"content": json.dumps({"why": f"They say: {PART}.", "choice_index": 3})})
    done = quotes.replaced(reply, "sha256:00")
    assert json.loads(json.loads(done)["content"]) == {"why": "They say: sha256:00.", "choice_index": 3}
    # two quotations, one broken off
    assert quotes.replaced(f"{PART} x {TEXT[:24]}", "M") == "M x M wa"
    assert quotes.replaced("nothing of it", "M") == "nothing of it"


@pytest.mark.parametrize("text", ["Ok", "?!", "", "Yup 5"])
def test_a_text_of_next_to_nothing_is_no_quotation(text):
    assert not Quotes(text).stands_in('{"status": "ok", "choice_index": 5, "note": "ok?!"}')


def test_writing_without_blanks_is_compared_sign_by_sign():
    text = "我的信用卡在车站外面被机器吞了两次"
    quotes = Quotes(text)
    assert quotes.replaced("he says 在车站外面被机器 so", "M") == "he says M so"
    assert Search([text]).first_in(json.dumps({"t": text[3:14]}).encode())


@given(st.text(alphabet='ab \\u0041%2&#;"nüé漢', max_size=60))
def test_pieces_read_as_the_whole_does_and_cover_the_text(text):
    found = list(pieces(text))
    assert "".join(reads for reads, _, _ in found) == unescaped(text)
    assert [start for _, start, _ in found] == [0, *(end for _, _, end in found)][: len(found)]
    assert not found or found[-1][2] == len(text)


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "épsilon", "zeta"]), min_size=4, max_size=12))
def test_after_replacing_nothing_is_left_to_find(told):
    text = " ".join(told)
    quotes = Quotes(text)
    reply = json.dumps(f"x {text} y {' '.join(told[1:])}")
    assert not quotes.stands_in(quotes.replaced(reply, "sha256:ab"))
    assert words(quotes.replaced(reply, "M"))[0] == "x"
