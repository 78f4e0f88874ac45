"""BANKING77: its CSV traps, what is left out, how evenly labels are asked. All texts here are made up."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.errors import InputError
from dmb.suites.banking77 import build, candidates, option_texts, read_categories, read_rows
from dmb.suites.built import identity_bytes, texts_bytes, train_bytes

from . import real_data
from .made_up import builder_args

LABELS = ("lost_hat", "found_hat?", "Hat_too_small")


def as_csv(rows: list[tuple[str, str]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows([("text", "category"), *rows])
    return out.getvalue().encode()


def made_up_args(train: list | None = None, test: list | None = None, **params):
    test = [(f"{label} question {n}", label) for label in LABELS for n in range(9)] if test is None else test
    train = [(f"{label} lesson {n}", label) for label in LABELS for n in range(4)] if train is None else train
    sources = {"train": as_csv(train), "test": as_csv(test), "categories": json.dumps(LABELS).encode()}
    return builder_args({"seed": 3, "n_eval": 8, "n_order": 4} | params, sources=sources)


# --- reading


def test_line_breaks_inside_quotes_are_text_and_crlf_ends_records():
    data = b'text,category\r\n"where is\r\nmy ""hat"", please?",lost_hat\r\n"one\nmore",lost_hat\r\n'
    assert read_rows(data, "t", set(LABELS)) == [
        ('where is\r\nmy "hat", please?', "lost_hat"),
        ("one\nmore", "lost_hat"),
    ]


def test_outer_white_space_goes_and_nothing_else_changes():
    data = 'text,category\r\n"\n  my\u00a0hat  costs £5…  \t",lost_hat\r\n'.encode()
    assert read_rows(data, "t", set(LABELS)) == [("my\u00a0hat  costs £5…", "lost_hat")]


def test_labels_are_matched_as_spelt():
    rows = [("a", "found_hat?"), ("b", "Hat_too_small")]
    assert read_rows(as_csv(rows), "t", set(LABELS)) == rows
    for wrong in ("found_hat", "hat_too_small"):
        with pytest.raises(InputError, match=r"line 2: label .* is not in the categories"):
            read_rows(as_csv([("a", wrong)]), "t", set(LABELS))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t: line 1: header is ''"),
        (b"category,text\r\n", "t: line 1: header is 'category,text'; expected 'text,category'"),
        (b"\xef\xbb\xbftext,category\r\n", "t: line 1: header"),
        (b"text,category\r\na,lost_hat,more\r\n", "t: line 2: 3 fields; expected 2"),
        (b"text,category\r\n\r\n", "t: line 2: 0 fields"),
        (b'text,category\r\n"a"b,lost_hat\r\n', "t: line 2: no RFC 4180 CSV"),
        (b'text,category\r\n"a,lost_hat\r\n', "t: line 2: no RFC 4180 CSV"),
        (b'text,category\r\n"  ",lost_hat\r\n', "t: line 2: empty text"),
        (b"text,category\r\n\xa3,lost_hat\r\n", "t: byte 15: no UTF-8"),
    ],
)
def test_bad_csv_is_one_line(data: bytes, message: str):
    with pytest.raises(InputError) as caught:
        read_rows(data, "t", set(LABELS))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"{", b"{}", b"[]", b"[1]", b'["a", "a"]', b"\xff"])
def test_bad_categories_are_refused(data: bytes):
    with pytest.raises(InputError, match=r"^c: "):
        read_categories(data, "c")


@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1), st.sampled_from(LABELS))
    )
)
def test_any_text_survives_the_round_trip(rows: list[tuple[str, str]]):
    rows = [(text, label) for text, label in rows if text.strip()]
    assert read_rows(as_csv(rows), "t", set(LABELS)) == [(text.strip(), label) for text, label in rows]


# --- options


def test_options_are_shown_alike():
    assert option_texts(LABELS) == (
        ("lost_hat", "lost hat"),
        ("found_hat?", "found hat"),
        ("Hat_too_small", "hat too small"),
    )


def test_options_that_look_the_same_are_refused():
    with pytest.raises(InputError, match="is shown as 'lost hat'"):
        option_texts(("lost_hat", "Lost_hat?"))


# --- what is left out


def test_candidates_leave_out_what_is_in_train_repeats_and_two_labels():
    train = [("Where's my hat?", "lost_hat")]
    test = [
        ("where s MY hat", "lost_hat"),  # in train by norm text
        ("hat gone", "lost_hat"),  # the first of two
        ("Hat, gone!", "lost_hat"),
        ("which hat", "lost_hat"),  # two labels
        ("Which hat?", "found_hat?"),
        ("this one stays", "found_hat?"),
    ]
    assert candidates(train, test) == [1, 5]


# --- the suite


def test_every_label_is_asked_twice_in_eval_and_once_in_order():
    built = build(made_up_args())
    counts = Counter((item.slices["part"], item.stratum) for item in built.items)
    assert sum(n for (part, _), n in counts.items() if part == "eval") == 8
    assert sum(n for (part, _), n in counts.items() if part == "order") == 4
    assert all(counts["eval", label] in (2, 3) and counts["order", label] in (1, 2) for label in LABELS)
    # 12 items over 3 labels: the extras of both parts fall on different labels
    assert set(Counter(item.stratum for item in built.items).values()) == {4}


def test_items_say_where_they_come_from():
    built = build(made_up_args())
    for item in built.items:
        row = int(item.id.removeprefix("banking77-test-"))
        assert item.id == f"banking77-test-{row:04d}"
        assert item.state == f"{LABELS[row // 9]} question {row % 9}"
        assert item.gold == {"decision": LABELS[row // 9]}
        assert item.stratum == LABELS[row // 9]
    assert len({item.id for item in built.items}) == 12
    assert built.option_sets == {"intents": option_texts(LABELS)}


def test_train_is_the_whole_train_split_in_file_order():
    train = [("  b ", "lost_hat"), ("a", "found_hat?"), ("A!", "found_hat?")]
    assert build(made_up_args(train=train)).train == (("b", "lost_hat"), ("a", "found_hat?"), ("A!", "found_hat?"))


def test_the_same_bytes_twice_and_others_with_another_seed():
    one, same, other = build(made_up_args()), build(made_up_args()), build(made_up_args(seed=4))
    assert identity_bytes(one) == identity_bytes(same)
    assert texts_bytes(one) == texts_bytes(same)
    assert train_bytes(one) == train_bytes(same)
    assert identity_bytes(one) != identity_bytes(other)


def test_items_do_not_stand_in_label_blocks():
    strata = [item.stratum for item in build(made_up_args(n_eval=21, n_order=6)).items]
    changes = sum(a != b for a, b in pairwise(strata))
    assert changes > 8  # blocks would have 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_eval": 5}, "items.params.n_eval: found 5; expected at least 6"),
        ({"n_order": 2}, "items.params.n_order: found 2; expected 0 or at least 3"),
        ({"n_eval": 30}, "are left after the exclusions"),
        ({"seed": "3"}, "items.params.seed: "),
        ({"n_evil": 6}, "items.params.n_evil: unknown field; did you mean 'n_eval'"),
    ],
)
def test_bad_params_name_the_suite_file(params: dict, message: str):
    with pytest.raises(InputError) as caught:
        build(made_up_args(**params))
    assert str(caught.value).startswith("data/suites/made-up.toml: ")
    assert message in str(caught.value)


def test_no_order_part_is_possible():
    assert {item.slices["part"] for item in build(made_up_args(n_order=0)).items} == {"eval"}


def test_sources_are_counted():
    with pytest.raises(InputError, match=r"items.sources: found 1; list train split, test split, categories"):
        build(builder_args({"seed": 1, "n_eval": 6, "n_order": 3}, sources={"test": b""}))


# --- the real thing


@real_data.needs_real_data
def test_real_counts():
    built = real_data.build("intent-77")
    counts = Counter((item.slices["part"], item.stratum) for item in built.items)
    labels = {label for label, _ in built.option_sets["intents"]}
    assert len(labels) == len({text for _, text in built.option_sets["intents"]}) == 77
    assert {"reverted_card_payment?", "Refund_not_showing_up"} <= labels
    assert len(built.items) == 300 and len(built.train) == 10_003
    assert sum(n for (part, _), n in counts.items() if part == "eval") == 200
    assert all(counts["eval", label] >= 2 and counts["order", label] >= 1 for label in labels)
    assert all(item.state == item.state.strip() for item in built.items)


@real_data.needs_real_data
def test_real_exclusions():
    data = {name: (real_data.DIRECTORY / "banking77" / name).read_bytes() for name in ("train.csv", "test.csv")}
    labels = set(read_categories((real_data.DIRECTORY / "banking77" / "categories.json").read_bytes(), "categories"))
    train, test = (read_rows(data[name], name, labels) for name in ("train.csv", "test.csv"))
    assert (len(train), len(test)) == (10_003, 3_080)
    # 25 are in train, 3 are repeats, and 2 carry one text with two labels
    assert len(candidates(train, test)) == 3_050


@real_data.needs_real_data
def test_real_identity_file_holds_no_text():
    built = real_data.build("intent-77")
    real_data.assert_holds_no_text(identity_bytes(built), built)
