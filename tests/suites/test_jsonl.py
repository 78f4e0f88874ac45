"""A user's own rows: what works, and one line for everything that does not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.errors import InputError
from dmb.suites.built import identity_bytes, texts_bytes, train_bytes
from dmb.suites.jsonl import build

from .made_up import builder_args

LABELS = [{"id": "hat", "text": "About a hat"}, {"id": "coat", "text": "About a coat"}]
ROWS = [
    {"id": "a", "text": "my hat is gone", "label": "hat"},
    {"id": "b", "text": "the coat is wet", "label": "coat"},
    {"id": "c", "text": "a red hat, please", "label": "hat"},
]


def jsonl(rows: list) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def made_up_args(items: bytes = jsonl(ROWS), labels: object = LABELS, train: bytes | None = None, **params):
    files = {"items.jsonl": items, "labels.json": labels if isinstance(labels, bytes) else json.dumps(labels).encode()}
    if train is not None:
        files["train.jsonl"] = train
    return builder_args(params, files=files)


def test_rows_become_items_in_file_order():
    built = build(made_up_args())
    assert [(item.id, item.state, item.gold, item.stratum) for item in built.items] == [
        (row["id"], row["text"], {"decision": row["label"]}, row["label"]) for row in ROWS
    ]
    assert built.option_sets == {"options": (("hat", "About a hat"), ("coat", "About a coat"))}
    assert built.train is None


def test_fields_have_the_names_the_user_gave_them():
    rows = [{"ticket": 7, "body": "my hat", "team": "hat", "more": None}]
    (item,) = build(made_up_args(jsonl(rows), id="ticket", text="body", truth="team")).items
    assert (item.id, item.state, item.gold) == ("7", "my hat", {"decision": "hat"})


def test_train_rows_need_no_id():
    train = [{"text": "hats!", "label": "hat"}, {"text": "coats", "label": "coat"}]
    assert build(made_up_args(train=jsonl(train))).train == (("hats!", "hat"), ("coats", "coat"))


def test_texts_stay_as_they_are():
    texts = ["  two  spaces ", "line\u2028separator", "line\nbreak", "Ünï 🎩", "tab\t"]
    rows = [{"id": str(n), "text": text, "label": "hat"} for n, text in enumerate(texts)]
    raw = "".join(json.dumps(row, ensure_ascii=False) + "\r\n" for row in rows)
    assert [item.state for item in build(made_up_args(raw.encode())).items] == texts


def test_blank_lines_and_a_byte_order_mark_do_no_harm():
    assert len(build(made_up_args(b"\xef\xbb\xbf" + jsonl(ROWS) + b"\n  \n")).items) == 3


def test_limit_is_a_seeded_draw_in_file_order():
    rows = [{"id": f"{n:02d}", "text": f"hat {n}", "label": "hat"} for n in range(30)]
    draws = {seed: [item.id for item in build(made_up_args(jsonl(rows), limit=10, seed=seed)).items] for seed in (1, 2)}
    assert all(len(ids) == 10 and ids == sorted(ids) for ids in draws.values())
    assert draws[1] != draws[2]
    assert draws[1] != [f"{n:02d}" for n in range(10)]
    assert len(build(made_up_args(jsonl(rows), limit=99)).items) == 30


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip), min_size=1, max_size=5))
def test_the_same_bytes_twice(texts: list[str]):
    rows = [{"id": str(n), "text": text, "label": "coat"} for n, text in enumerate(texts)]
    train = [{"text": "an unheard-of coat 4711", "label": "coat"}]
    one, same = (build(made_up_args(jsonl(rows), train=jsonl(train))) for _ in range(2))
    assert (identity_bytes(one), texts_bytes(one), train_bytes(one)) == (
        identity_bytes(same),
        texts_bytes(same),
        train_bytes(same),
    )


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (b'{"id": "a",\n', "items.jsonl: line 1: no JSON: "),
        (jsonl(ROWS) + b"[1]\n", "items.jsonl: line 4: found [1]; one JSON object a line"),
        (b"[" * 100_000, "items.jsonl: line 1: no JSON: "),
        (
            b"\n" + jsonl([{"id": "a", "txt": "x", "label": "hat"}]),
            "items.jsonl: line 2: text: missing; did you mean 'txt'?",
        ),
        (jsonl([{"id": "a", "text": "x"}]), "items.jsonl: line 1: label: missing; known: id, text"),
        (jsonl([{"text": "x", "label": "hat"}]), "items.jsonl: line 1: id: missing"),
        (jsonl([{}]), "items.jsonl: line 1: id: missing; add it"),
        (jsonl([*ROWS, ROWS[1]]), "items.jsonl: line 4: id: 'b' stands in line 2 already; ids are unique"),
        (
            jsonl([{"id": 1.5, "text": "x", "label": "hat"}]),
            "items.jsonl: line 1: id: found 1.5; expected a text in quotes",
        ),
        (jsonl([{"id": True, "text": "x", "label": "hat"}]), "items.jsonl: line 1: id: found True"),
        (jsonl([{"id": "", "text": "x", "label": "hat"}]), "items.jsonl: line 1: id: empty"),
        (jsonl([{"id": "a", "text": " \n", "label": "hat"}]), "items.jsonl: line 1: text: empty; expected a text"),
        (
            jsonl([{"id": "a", "text": None, "label": "hat"}]),
            "items.jsonl: line 1: text: found None; expected a text in quotes",
        ),
        (
            b'{"id": "a", "text": "\\ud83d", "label": "hat"}',
            "items.jsonl: line 1: text: holds half of a surrogate pair",
        ),
        (
            jsonl([{"id": "a", "text": "x", "label": "hut"}]),
            "items.jsonl: line 1: label: 'hut' is no option id; did you mean 'hat'?",
        ),
        (
            jsonl([{"id": "a", "text": "x", "label": 3}]),
            "items.jsonl: line 1: label: found 3; expected an option id in quotes",
        ),
        (b'{"id": "a", "text": "\xe9", "label": "hat"}', "items.jsonl: line 1: no UTF-8; save the file as UTF-8"),
        (b"", "items.jsonl: no rows; one JSON object a line"),
        (b"\n \n", "items.jsonl: no rows"),
    ],
)
def test_a_bad_row_is_one_line(items: bytes, message: str):
    with pytest.raises(InputError) as caught:
        build(made_up_args(items))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (b"{", "labels.json: no JSON: "),
        (b"\xff", "labels.json: no JSON: "),
        ({}, "labels.json: no list of at least two options"),
        (LABELS[:1], "labels.json: no list of at least two options"),
        (["hat", "coat"], "labels.json: option 1: found 'hat'; expected {"),
        ([LABELS[0], {"id": "coat"}], "labels.json: option 2: text: missing"),
        ([LABELS[0], {"id": "coat", "text": "x", "note": "y"}], "labels.json: option 2: note: unknown field"),
        ([LABELS[0], {"id": "hat", "text": "x"}], "labels.json: option 2: id: 'hat' stands in option 1 already"),
        (
            [LABELS[0], {"id": "x", "text": "About a hat"}],
            "labels.json: option 2: text: 'About a hat' stands in option 1 already",
        ),
        ([LABELS[0], {"id": "x", "text": " "}], "labels.json: option 2: text: empty"),
    ],
)
def test_bad_options_are_one_line(labels: object, message: str):
    with pytest.raises(InputError) as caught:
        build(made_up_args(labels=labels))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (b"", "train.jsonl: no rows"),
        (jsonl([{"text": "x", "label": "hut"}]), "train.jsonl: line 1: label: 'hut' is no option id"),
        (
            jsonl([{"text": "new", "label": "hat"}, {"text": "My HAT is gone!", "label": "hat"}]),
            "train.jsonl: line 2: text: is also the text of item 'a'; take it out of one",
        ),
        (
            jsonl([{"text": row["text"], "label": row["label"]} for row in ROWS]),
            "train.jsonl: line 1: text: is also the text of item 'a' (so are lines 2, 3)",
        ),
    ],
)
def test_bad_train_rows_are_one_line(train: bytes, message: str):
    with pytest.raises(InputError) as caught:
        build(made_up_args(train=train))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (made_up_args(limit=0), "data/suites/made-up.toml: items.params.limit"),
        (made_up_args(txt="body"), "data/suites/made-up.toml: items.params.txt: unknown field; did you mean 'text'?"),
        (
            builder_args({}, files={"items.jsonl": b""}),
            "data/suites/made-up.toml: items.files: found 1; list items.jsonl, labels.json",
        ),
        (
            builder_args({}, files=dict.fromkeys("ab", b""), slots=("x", "y")),
            "data/suites/made-up.toml: slots: found 2",
        ),
    ],
)
def test_bad_suite_files(args, message: str):
    with pytest.raises(InputError) as caught:
        build(args)
    assert str(caught.value).startswith(message)
