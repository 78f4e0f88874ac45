"""No text of a dataset that is somebody else's stands in a file of this project."""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT

#: So many words in a row that agree, one of them with five letters or more, are no coincidence of common English.
WORDS = 8

_WORD = re.compile(r"\w+")


def fragments(text: str) -> Iterator[int]:
    """A hash for every run of words, case and punctuation apart; `\\u2019` and the like as JSON escapes them count too."""
    words = _WORD.findall(re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), text).replace("\\n", " ").lower())
    for i in range(len(words) - WORDS + 1):
        run = words[i : i + WORDS]
        # "what do I have to do to get": anybody's
        if max(map(len, run)) >= 5:
            yield hash(tuple(run))


def messages(folder: Path) -> Iterable[str]:
    for name in ("train", "test"):
        with (folder / "banking77" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            yield from (row["text"] for row in csv.DictReader(file))
    sms = next(p for p in sorted((folder / "sms_spam").rglob("SMSSpamCollection*")) if p.is_file())
    yield from (line.partition("\t")[2] for line in sms.read_text(encoding="utf-8").splitlines())


@pytest.fixture(scope="module")
def theirs(real_data: Path) -> set[int]:
    return {f for text in messages(real_data) for f in fragments(text)}


def ours() -> list[Path]:
    """Files that are committed or could be; without git, all but what is hidden or built."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True, cwd=PROJECT, text=True).stdout.split("\0")
        paths = [PROJECT / name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        built = {PROJECT / name for name in ("runs", "results", "data/raw", "data/items")}
        paths = [
            p
            for p in PROJECT.rglob("*")
            if not built & set(p.parents)
            and not any(n.startswith((".", "__pycache__")) for n in p.relative_to(PROJECT).parts)
        ]
    return [p for p in paths if p.is_file()]


def test_no_file_of_ours_holds_a_fragment_of_theirs(theirs):
    files = ours()
    assert PROJECT / "README.md" in files and Path(__file__) in files
    for path in files:
        found = theirs.intersection(fragments(path.read_bytes().decode("utf-8", "replace")))
        assert not found, f"{path.relative_to(PROJECT)} holds {len(found)} fragments of third-party text"


def test_the_search_finds_a_fragment_however_it_is_written(theirs, real_data):
    assert len(theirs) > 50_000
    text = max(messages(real_data), key=len)
    middle = " ".join(text.split()[3:14])
    assert len(list(fragments(middle))) >= 4
    for written in (
        middle,
        middle.upper(),
        f"x {middle.replace(' ', chr(10))} y",
        f'{{"t": "{middle}"}}',
        middle.replace(" ", "\\n"),
    ):
        assert theirs.intersection(fragments(written))
    # nearly every message that is long enough has a fragment
    long = [t for t in messages(real_data) if len(_WORD.findall(t)) > WORDS]
    assert sum(any(True for _ in fragments(t)) for t in long) / len(long) > 0.97
