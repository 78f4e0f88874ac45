"""BERT's uncased WordPiece tokenizer, so that the small encoder needs no tokenizer package."""

from __future__ import annotations

import unicodedata
from importlib import resources

VOCABULARY_FILE = "minilm_vocab.txt"
MAX_IDS = 256
MAX_WORD_LETTERS = 100
CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
       (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))  # fmt: skip


def load_vocabulary() -> dict[str, int]:
    """Token -> id, from the list that ships with the package (see NOTICE beside it)."""
    text = resources.files("dmb.baselines").joinpath(VOCABULARY_FILE).read_text(encoding="utf-8")
    # Not splitlines: it would split at Unicode line separators as well.
    return {token: i for i, token in enumerate(text.removesuffix("\n").split("\n"))}


def encode(text: str, vocabulary: dict[str, int], max_ids: int = MAX_IDS) -> list[int]:
    """Token ids between ``[CLS]`` and ``[SEP]``, cut to ``max_ids`` in all."""
    ids = [i for word in split_words(normalise(text)) for i in word_ids(word, vocabulary)]
    return [vocabulary["[CLS]"], *ids[: max_ids - 2], vocabulary["[SEP]"]]


def normalise(text: str) -> str:
    """Drop control characters, set CJK characters apart, drop accents, lower-case."""
    clean = "".join(_cleaned(char) for char in text)
    bare = "".join(char for char in unicodedata.normalize("NFD", clean) if unicodedata.category(char) != "Mn")
    # Per character: the reference knows no context rules such as the Greek final sigma.
    return "".join(char.lower() for char in bare)


def split_words(text: str) -> list[str]:
    """Words at white space, with every punctuation character a word of its own."""
    return "".join(f" {char} " if _is_punctuation(char) else char for char in text).split()


def word_ids(word: str, vocabulary: dict[str, int]) -> list[int]:
    """Greedy longest pieces from the left; a word with no such split, or too long, is one ``[UNK]``."""
    unknown = [vocabulary["[UNK]"]]
    if len(word) > MAX_WORD_LETTERS:
        return unknown
    ids: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            found = vocabulary.get(prefix + word[start:end])
            if found is not None:
                ids.append(found)
                start = end
                break
        else:
            return unknown
    return ids


def _cleaned(char: str) -> str:
    if char in "\t\n\r":
        return " "
    # Unassigned characters (Cn) stay, as in the reference, so that a newer Unicode table changes little.
    if char in "\0\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if any(low <= ord(char) <= high for low, high in CJK):
        return f" {char} "
    return " " if char.isspace() else char


def _is_punctuation(char: str) -> bool:
    # All of ASCII that is neither letter, digit nor blank counts, though Unicode calls $ + < = > ^ ` | ~ symbols.
    if char < "\x7f":
        return not char.isalnum() and char != " "
    return unicodedata.category(char).startswith("P")
