"""No text of a dataset that is somebody else's stands in a file of this project."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from dmb.archive.quotes import ANYWHERE, Search, words
from dmb.archive.restore import ENDING
from dmb.archive.tarball import unpack
from tests.archive.test_quotes import WRITTEN
from tests.conftest import PROJECT


def messages(folder: Path) -> Iterable[str]:
    for name in ("train", "test"):
        with (folder / "banking77" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            yield from (row["text"] for row in csv.DictReader(file))
    sms = next(p for p in sorted((folder / "sms_spam").rglob("SMSSpamCollection*")) if p.is_file())
    yield from (line.partition("\t")[2] for line in sms.read_text(encoding="utf-8").splitlines())


@pytest.fixture(scope="module")
def theirs(real_data: Path) -> Search:
    """Of the whole datasets, not of our items alone. Among so many, a short message is anybody's English."""
    return Search(messages(real_data), shortest=ANYWHERE)


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


def parts(path: Path) -> dict[str, bytes]:
    """Name -> bytes: the file itself or, of a published archive, what it holds."""
    if path.name.endswith(ENDING):
        return {f"{path.name}: {name}": data for name, data in unpack(path).items()}
    return {path.relative_to(PROJECT).as_posix(): path.read_bytes()}


def test_no_file_of_ours_holds_a_fragment_of_theirs(theirs):
    files = ours()
    assert PROJECT / "README.md" in files and Path(__file__) in files
    for name, data in (part for path in files for part in parts(path).items()):
        # the text itself is nobody's to print
        assert theirs.first_in(data) is None, f"{name} holds a fragment of third-party text"


def test_the_search_finds_a_fragment_however_it_is_written(theirs, real_data):
    assert len(theirs) > 50_000
    middle = " ".join(max(messages(real_data), key=len).split()[3:14])
    for write in WRITTEN.values():
        assert theirs.first_in(write(middle)) is not None
    # nearly every message that is long enough has a fragment
    long = [t for t in messages(real_data) if len(words(t)) > ANYWHERE]
    assert sum(theirs.first_in(t.encode()) is not None for t in long) / len(long) > 0.97
