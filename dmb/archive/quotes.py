"""Finding what one text quotes of another, and replacing it by a mark."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from dmb.archive.escapes import pieces, readings, unescaped

#: In writing without blanks every sign counts as a word.
_SIGNS = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_SIGNS}]|(?:(?![{_SIGNS}])[\w\u0300-\u036f])+")
_ASCII_WORD = re.compile(r"\w+")

#: So many words in a row that agree are a quotation, in the reply to the very item that has them.
CLOSE = 4

#: So many, one of them with five letters or more, are one wherever they stand: shorter runs are anybody's English.
ANYWHERE = 8

#: A whole text counts where it stands, unless it is shorter than this many words: then it is anybody's, too.
SHORTEST = 5
_LONG_WORD = 5


def words(text: str) -> list[str]:
    """The words of a text without its case, its punctuation and its ways of composing a letter."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return [_folded(w) for w in _WORD.findall(text)]


def _folded(word: str) -> str:
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()


def _runs(found: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return (tuple(found[i : i + size]) for i in range(len(found) - size + 1))


class Quotes:
    """What may not be quoted of one text. ``allowed``: texts that may be, though they share words with it."""

    def __init__(self, text: str, allowed: Iterable[str] = ()) -> None:
        own = words(text)
        self._size = min(CLOSE, len(own))
        # a text of one short word is no text that one could quote
        is_quotable = len(own) > 1 or sum(map(len, own)) >= 8
        free = {run for t in allowed for run in _runs(words(t), self._size)} if is_quotable else set()
        self._runs = set(_runs(own, self._size)) - free if is_quotable else set()

    def stands_in(self, text: str) -> bool:
        """Whether the text, however escaped, quotes it."""
        return not self._runs.isdisjoint(_runs(words(unescaped(text)), self._size))

    def replaced(self, text: str, mark: str) -> str:
        """The text with the mark in the place of each quotation; between them no character changes."""
        if not self.stands_in(text):
            return text
        read, starts, ends = [], [], []
        for reads, start, end in pieces(text):
            read.append(reads)
            starts += [start] * len(reads)
            ends += [end] * len(reads)
        spans = [(m.start(), m.end(), _folded(m[0])) for m in _WORD.finditer("".join(read))]
        out, at = [], 0
        for first, last in self._quoted([w for _, _, w in spans]):
            start, end = starts[spans[first][0]], ends[spans[last][1] - 1]
            if start >= at:
                out += [text[at:start], mark]
                at = end
        return "".join((*out, text[at:]))

    def _quoted(self, found: Sequence[str]) -> Iterator[tuple[int, int]]:
        """(first word, last word) of each quotation, overlapping ones joined."""
        begun: tuple[int, int] | None = None
        for i, run in enumerate(_runs(found, self._size)):
            if run not in self._runs:
                continue
            if begun is not None and i <= begun[1] + 1:
                begun = begun[0], i + self._size - 1
                continue
            if begun is not None:
                yield begun
            begun = i, i + self._size - 1
        if begun is not None:
            yield begun


class Search:
    """Looks for any of many texts, and for fragments of them, in files of any kind. ``allowed`` as above.

    ``shortest``: texts of fewer words are not looked for.
    """

    def __init__(self, texts: Iterable[str], allowed: Iterable[str] = (), shortest: int = SHORTEST) -> None:
        found = [own for t in texts if len(own := words(t)) >= shortest]
        # hashes are made of the words, so that hundreds of thousands of runs take little room
        self._runs: dict[int, set[int]] = {}
        told = [run for own in found for run in _runs(own, min(ANYWHERE, len(own))) if _tells(run)]
        for run in told:
            self._runs.setdefault(len(run), set()).add(hash(run))
        for free in map(words, allowed):
            for size, runs in self._runs.items():
                runs.difference_update(map(hash, _runs(free, size)))
        # most words begin nothing that is looked for
        self._shortest = min(self._runs, default=0)
        self._begun = {hash(run[: self._shortest]) for run in told if hash(run) in self._runs[len(run)]}

    def __len__(self) -> int:
        return sum(map(len, self._runs.values()))

    def first_in(self, data: bytes) -> str | None:
        """The first fragment that stands in a file's bytes, as it was found; None where there is none."""
        for text in readings(data):
            found = words(text)
            for at, begun in enumerate(_runs(found, self._shortest) if self._runs else ()):
                if hash(begun) in self._begun:
                    for size, runs in self._runs.items():
                        run = tuple(found[at : at + size])
                        if len(run) == size and hash(run) in runs:
                            return " ".join(run)
        return None


def _tells(run: tuple[str, ...]) -> bool:
    return max(map(len, run)) >= _LONG_WORD or any(re.match(f"[{_SIGNS}]", w) for w in run)
