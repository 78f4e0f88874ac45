"""SMS spam: a file that is no CSV, entities and control characters, repeats, the natural rate. All texts are made up."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.errors import InputError
from dmb.suites.built import identity_bytes, texts_bytes, train_bytes
from dmb.suites.norm_text import norm_text
from dmb.suites.sms_spam import OPTIONS, build, clean, distinct, read_messages

from . import real_data
from .made_up import builder_args


def lines(*rows: tuple[str, str]) -> bytes:
    return "".join(f"{label}\t{text}\n" for label, text in rows).encode()


ROWS = [("ham", f"see you at {n}") for n in range(40)] + [("spam", f"buy {n} hats") for n in range(10)]


def made_up_args(rows: list = ROWS, **params):
    return builder_args({"seed": 3, "n": 20} | params, sources={"sms": lines(*rows)})


def test_a_line_is_cut_at_its_first_tab_only():
    (message,) = read_messages(b'ham\tone\ttwo "three\n', "s")
    assert (message.label, message.text) == ("ham", 'one\ttwo "three')


def test_quotation_marks_do_not_join_lines():
    messages = read_messages(b'ham\t"hello\nspam\tbuy "hats\nham\tbye"\n', "s")
    assert [m.text for m in messages] == ['"hello', 'buy "hats', 'bye"']
    assert [m.row for m in messages] == [0, 1, 2]


def test_control_characters_end_no_line():
    # U+0085 is a line break to str.splitlines, and an ellipsis in Windows-1252
    (message,) = read_messages("ham\twait\u0085 no\n".encode(), "s")
    assert message.text == "wait… no"


def test_entities_are_unescaped_once():
    assert clean("a &lt; b &amp;&amp; c &gt; d &amp;lt;") == "a < b && c > d &lt;"


def test_windows_1252_leftovers_become_what_they_meant():
    assert clean("it\u0092s \u0091so\u0092 \u0093fine\u0094 \u0096 yes") == "it’s ‘so’ “fine” – yes"
    assert clean("x\u0081\u008d\u008f\u0090\u009dx") == "x\u0081\u008d\u008f\u0090\u009dx"  # undefined there
    assert clean("£ ü \u00a0x …") == "£ ü \u00a0x …"


@given(st.text(st.characters(codec="utf-8", exclude_characters="&")))
def test_clean_touches_nothing_else(text: str):
    expected = "".join(ch if not 0x80 <= ord(ch) < 0xA0 else clean(f"x{ch}x")[1:-1] for ch in text).strip()
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("meet at &lt;TIME&gt; ok", True),
        ("pay &lt;#&gt; now", True),
        ("&lt;DECIMAL&gt;", True),
        ("see <URL>", True),
        ("to &lt;EMAIL&gt;", True),
        ("love you &lt;3", False),
        ("a < b > c", False),
        ("# 5", False),
    ],
)
def test_marks(text: str, marks: bool):
    (message,) = read_messages(lines(("ham", text)), "s")
    assert message.marks is marks


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "s: no messages"),
        (b"ham hello\n", "s: line 1: starts with 'ham hello'; expected spam or ham, then a tab"),
        (b"ham\thello\n\n", "s: line 2: starts with ''"),
        (b"ham\thello\nHam\tyou\n", "s: line 2: starts with 'Ham'"),
        (b"ham\t \n", "s: line 1: empty text"),
        (b"ham\t\x92\n", "s: byte 4: no UTF-8"),
    ],
)
def test_bad_lines_are_one_line_errors(data: bytes, message: str):
    with pytest.raises(InputError) as caught:
        read_messages(data, "s")
    assert str(caught.value).startswith(message)


def test_distinct_keeps_the_first_and_drops_two_labels():
    messages = read_messages(
        lines(
            ("ham", "Ok, fine"), ("spam", "buy hats"), ("ham", "ok fine!"), ("ham", "BUY hats"), ("spam", "more hats")
        ),
        "s",
    )
    assert [m.row for m in distinct(messages)] == [0, 4]


def test_spam_has_its_natural_share():
    built = build(made_up_args())
    assert Counter(item.stratum for item in built.items) == {"ham": 16, "spam": 4}
    assert Counter(item.stratum for item in build(made_up_args(n=23)).items)["spam"] == 5  # 4.6
    assert Counter(item.stratum for item in build(made_up_args(n=50)).items) == {"ham": 40, "spam": 10}


@given(n=st.integers(2, 50), n_repeats=st.integers(0, 30))
def test_share_is_of_distinct_messages(n: int, n_repeats: int):
    built = build(made_up_args(rows=ROWS + [("spam", "buy 0 hats")] * n_repeats, n=n))
    n_spam = sum(item.stratum == "spam" for item in built.items)
    assert abs(n_spam - n / 5) <= 0.5
    assert len(built.items) == n


def test_items_and_train_are_apart_and_together_everything():
    rows = [*ROWS, ("ham", "See you at 1!!")]
    built = build(made_up_args(rows=rows))
    asked = {norm_text(item.state) for item in built.items}
    taught = [norm_text(text) for text, _ in built.train]
    assert not asked & set(taught)
    assert len(taught) == len(set(taught)) == 30
    assert asked | set(taught) == {norm_text(text) for _, text in rows}
    in_file_order = [text for _, text in ROWS if text in {t for t, _ in built.train}]
    assert [text for text, _ in built.train] == in_file_order


def test_items_say_where_they_come_from():
    built = build(made_up_args())
    for item in built.items:
        row = int(item.id.removeprefix("sms-spam-"))
        assert item.id == f"sms-spam-{row:04d}"
        assert (item.gold["decision"], item.state) == ROWS[row]
        assert item.slices == {"marks": False}
    assert built.option_sets == {"spam-or-ham": OPTIONS}
    strata = [item.stratum for item in built.items]
    assert strata not in (sorted(strata), sorted(strata, reverse=True))


def test_the_same_bytes_twice_and_others_with_another_seed():
    one, same, other = build(made_up_args()), build(made_up_args()), build(made_up_args(seed=4))
    assert (identity_bytes(one), texts_bytes(one), train_bytes(one)) == (
        identity_bytes(same),
        texts_bytes(same),
        train_bytes(same),
    )
    assert identity_bytes(one) != identity_bytes(other)


def test_more_items_than_messages_is_refused():
    with pytest.raises(InputError, match=r"made-up.toml: items.params.n: found 51; at most 50 distinct messages"):
        build(made_up_args(n=51))


@real_data.needs_real_data
def test_real_counts():
    messages = read_messages((real_data.DIRECTORY / "sms_spam" / "SMSSpamCollection").read_bytes(), "sms-spam")
    assert Counter(m.label for m in messages) == {"ham": 4_827, "spam": 747}
    assert Counter(m.label for m in distinct(messages)) == {"ham": 4_501, "spam": 629}
    assert {m.label for m in messages if m.marks} == {"ham"}
    built = real_data.build("gate-spam")
    assert Counter(item.stratum for item in built.items) == {"ham": 263, "spam": 37}
    assert Counter(item.slices["marks"] for item in built.items) == {False: 289, True: 11}
    assert len(built.train) == 5_130 - 300
    assert not {norm_text(item.state) for item in built.items} & {norm_text(text) for text, _ in built.train}
    for text in (*(item.state for item in built.items), *(text for text, _ in built.train)):
        assert not any(0x80 <= ord(ch) < 0xA0 for ch in text)


@real_data.needs_real_data
def test_real_identity_file_holds_no_text():
    built = real_data.build("gate-spam")
    real_data.assert_holds_no_text(identity_bytes(built), built)
