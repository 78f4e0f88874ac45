"""The tokenizer: fixed ids, and every id against the `tokenizers` package."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.baselines import wordpiece
from dmb.canonical import sha256_hex

VOCABULARY = wordpiece.load_vocabulary()

TEXTS = [
    "",
    "   ",
    "How do I locate my card?",
    "Naïve café, RÉSUMÉ!",
    "İstanbul ıssız",
    "ΟΔΟΣ στο τέλος",
    "我的卡丢了 please",
    "한국어 카드",
    "emoji 😀👍🏽 end",
    "zero\u200bwidth\ufeffjoin\u00adsoft",
    "tab\tnew\nline\rreturn\x00null\x85next\u2028line",
    "$5+5=10 <a^b> `c` |d| ~e",
    "a" * 100 + " " + "a" * 101,
    "unaffable electroencephalographically [CLS]ish",
    "word " * 400,
    "\u00bd \u2460 \ufb01ne \u1e9e",
]


def test_vocabulary_is_the_published_one():
    data = resources.files("dmb.baselines").joinpath(wordpiece.VOCABULARY_FILE).read_bytes()
    assert (len(data), sha256_hex(data)[:16]) == (231_508, "07eced375cec144d")
    assert len(VOCABULARY) == 30_522
    assert [VOCABULARY[token] for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")] == [0, 100, 101, 102]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", [101, 102]),
        ("Hello, world!", [101, 7592, 1010, 2088, 999, 102]),
        ("Café", [101, 7668, 102]),
        ("unaffable", [101, 14477, 20961, 3468, 102]),
        ("x" * 101, [101, 100, 102]),
    ],
)
def test_fixed_ids(text, ids):
    assert wordpiece.encode(text, VOCABULARY) == ids


def test_cut_keeps_both_ends():
    ids = wordpiece.encode("word " * 400, VOCABULARY)
    assert (len(ids), ids[0], ids[-1]) == (256, 101, 102)
    assert wordpiece.encode("a b c d", VOCABULARY, max_ids=4) == [101, 1037, 1038, 102]


@pytest.fixture(scope="module")
def reference():
    tokenizers = pytest.importorskip("tokenizers", reason="`tokenizers`, the oracle of WordPiece, is not installed")
    from tokenizers import models, normalizers, pre_tokenizers, processors

    model = models.WordPiece(VOCABULARY, unk_token="[UNK]", max_input_chars_per_word=wordpiece.MAX_WORD_LETTERS)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    tokenizer.enable_truncation(wordpiece.MAX_IDS)
    return tokenizer


@pytest.mark.parametrize("text", TEXTS)
def test_same_ids_as_the_oracle(reference, text):
    assert wordpiece.encode(text, VOCABULARY) == reference.encode(text).ids


def test_same_ids_as_the_oracle_on_drawn_texts(reference):
    # Blocks whose characters have kept their category for many Unicode versions: the two sides bring their own tables.
    blocks = [(0x20, 0x24F), (0x391, 0x3A1), (0x400, 0x45F), (0x2010, 0x2027), (0x4E00, 0x4EFF), (0xAC00, 0xAC50)]
    letters = st.one_of([st.characters(min_codepoint=low, max_codepoint=high) for low, high in blocks])

    @given(st.text(letters, max_size=60))
    def same(text):
        assert wordpiece.encode(text, VOCABULARY) == reference.encode(text).ids

    same()
