"""Third-party files: pinned bytes only, from disk, mirror or (here: simulated) network."""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from pathlib import Path

import httpx
import pytest

from dmb.contracts.source import Source
from dmb.errors import DamagedFile, InputError, SourceUnavailable, UsageError
from dmb.sources import fetch, load_sources, mirror_directory, raw_path, read_source

PROJECT = Path(__file__).resolve().parents[1]
DATA = b"made-up bytes\r\n" * 100


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def made_up_source(**fields) -> Source:
    return Source(
        **{
            "url": "https://example.org/hats.csv",
            "mirror": "hats/hats.csv",
            "sha256": sha(DATA),
            "bytes": len(DATA),
            "licence": "none",
            "attribution": "nobody",
        }
        | fields
    )


def network(answers: dict[str, bytes | int | Exception]) -> tuple[httpx.Client, list[str]]:
    """A client that answers by URL (404 for others), and the list of URLs that it was asked for."""
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        answer = answers.get(str(request.url), 404)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer) if isinstance(answer, int) else httpx.Response(200, content=answer)

    return httpx.Client(transport=httpx.MockTransport(handle)), asked


def no_network() -> httpx.Client:
    return network({})[0]


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


# --- fetching


def test_a_file_is_fetched_once(tmp_path: Path):
    source = made_up_source()
    client, asked = network({source.url: DATA})
    path = fetch(tmp_path, "hats", source, client=client)
    assert path == raw_path(tmp_path, "hats", source) == tmp_path / "data" / "raw" / f"hats.{sha(DATA)[:12]}"
    assert path.read_bytes() == read_source(tmp_path, "hats", source) == DATA
    assert fetch(tmp_path, "hats", source, client=client) == path
    assert asked == [source.url]
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_another_pin_is_another_file(tmp_path: Path):
    new = made_up_source(sha256=sha(b"new"), bytes=3)
    client, _ = network({new.url: b"new"})
    assert fetch(tmp_path, "hats", new, client=client) != raw_path(tmp_path, "hats", made_up_source())


def test_the_file_is_readable_as_the_umask_says(tmp_path: Path):
    source = made_up_source()
    path = fetch(tmp_path, "hats", source, client=network({source.url: DATA})[0])
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_member_of_a_zip_archive(tmp_path: Path):
    source = made_up_source(url="https://example.org/hats.zip", member="Hats")
    client, _ = network({source.url: zipped({"readme": b"x", "Hats": DATA})})
    assert fetch(tmp_path, "hats", source, client=client).read_bytes() == DATA


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        (zipped({"hats": DATA}), "expected a zip archive with a member 'Hats', found none of that name"),
        (b"<html>moved</html>", "expected a zip archive that can be read"),
        (zipped({"Hats": DATA})[:-30], "expected a zip archive that can be read"),
        (zipped({"Hats": DATA[:-1]}), f"expected sha256 {sha(DATA)}"),
        (zipped({"Hats": DATA + bytes(10_000_000)}), f"more than {len(DATA):,} bytes"),
    ],
)
def test_a_wrong_archive_is_refused_by_name(tmp_path: Path, archive: bytes, message: str):
    source = made_up_source(url="https://example.org/hats.zip", member="Hats")
    with pytest.raises(DamagedFile) as caught:
        fetch(tmp_path, "hats", source, client=network({source.url: archive})[0])
    assert str(caught.value).startswith("hats: https://example.org/hats.zip: ")
    assert message in str(caught.value)
    assert not raw_path(tmp_path, "hats", source).exists()


def test_a_fall_back_serves_the_file_itself(tmp_path: Path):
    source = made_up_source(
        url="https://example.org/hats.zip",
        member="Hats",
        fallback_urls=("https://example.net/gone", "https://example.net/Hats"),
    )
    client, asked = network({source.url: httpx.ConnectError("no route"), "https://example.net/Hats": DATA})
    assert fetch(tmp_path, "hats", source, client=client).read_bytes() == DATA
    assert asked == [source.url, *source.fallback_urls]


def test_wrong_bytes_at_one_address_do_not_hide_right_ones_at_the_next(tmp_path: Path):
    source = made_up_source(fallback_urls=("https://example.net/hats.csv",))
    client, _ = network({source.url: b"moved", source.fallback_urls[0]: DATA})
    assert fetch(tmp_path, "hats", source, client=client).read_bytes() == DATA


def test_wrong_bytes_are_refused_with_both_digests(tmp_path: Path):
    source = made_up_source()
    wrong = DATA[:-1] + b"!"
    with pytest.raises(DamagedFile) as caught:
        fetch(tmp_path, "hats", source, client=network({source.url: wrong})[0])
    assert f"hats: {source.url}: expected sha256 {sha(DATA)}" in str(caught.value)
    assert f"found {sha(wrong)}" in str(caught.value)
    assert not (tmp_path / "data").exists()


def test_a_server_that_sends_too_much_is_cut_off(tmp_path: Path):
    sent = 0

    def endless():
        nonlocal sent
        while True:
            sent += 1000
            yield bytes(1000)

    client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, content=endless())))
    with pytest.raises(DamagedFile, match="expected at most 1,500 bytes, found more"):
        fetch(tmp_path, "hats", made_up_source(), client=client)
    assert sent < 1_000_000


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (404, "answered HTTP 404"),
        (503, "answered HTTP 503"),
        (httpx.ConnectTimeout("timed out"), "ConnectTimeout timed out"),
        (httpx.ReadTimeout("timed out"), "ReadTimeout timed out"),
        (httpx.ConnectError("Name or service not known"), "ConnectError Name or service not known"),
    ],
)
def test_unreachable_says_all_it_takes_to_do_it_by_hand(tmp_path: Path, answer: int | Exception, message: str):
    source = made_up_source()
    with pytest.raises(SourceUnavailable) as caught:
        fetch(tmp_path, "hats", source, client=network({source.url: answer})[0])
    text = str(caught.value)
    assert message in text and source.url in text and source.sha256 in text
    assert f"put the file at data/raw/hats.{source.sha256[:12]}" in text
    assert "the release `quickstart` needs no download" in text
    assert "\n" not in text


def test_a_connection_that_breaks_off_leaves_nothing(tmp_path: Path):
    def broken():
        yield DATA[:100]
        raise httpx.ReadError("connection reset")

    client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, content=broken())))
    with pytest.raises(SourceUnavailable, match="ReadError connection reset"):
        fetch(tmp_path, "hats", made_up_source(), client=client)
    assert not (tmp_path / "data").exists()


def test_the_member_is_named_to_who_must_do_it_by_hand(tmp_path: Path):
    source = made_up_source(url="https://example.org/hats.zip", member="Hats")
    with pytest.raises(SourceUnavailable, match=r"get https://example.org/hats.zip \(its member Hats\)"):
        fetch(tmp_path, "hats", source, client=no_network())


# --- put there by hand


def test_a_file_put_there_by_hand_is_taken(tmp_path: Path):
    source = made_up_source()
    path = raw_path(tmp_path, "hats", source)
    path.parent.mkdir(parents=True)
    path.write_bytes(DATA)
    client, asked = network({})
    assert fetch(tmp_path, "hats", source, client=client) == path
    assert asked == []


def test_a_wrong_file_put_there_by_hand_is_refused_by_name(tmp_path: Path):
    source = made_up_source()
    path = raw_path(tmp_path, "hats", source)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"other")
    client, asked = network({source.url: DATA})
    for attempt in (
        lambda: fetch(tmp_path, "hats", source, client=client),
        lambda: read_source(tmp_path, "hats", source),
    ):
        with pytest.raises(DamagedFile) as caught:
            attempt()
        assert str(caught.value).startswith(f"{path}: expected sha256 {source.sha256}")
        assert sha(b"other") in str(caught.value)
    assert asked == [] and path.read_bytes() == b"other"


def test_reading_what_was_never_fetched(tmp_path: Path):
    with pytest.raises(SourceUnavailable, match=r"hats: not on disk; .*put the file at data/raw/hats"):
        read_source(tmp_path, "hats", made_up_source())


# --- mirror


def test_the_mirror_comes_before_the_network(tmp_path: Path):
    source = made_up_source()
    (tmp_path / "mirror" / "hats").mkdir(parents=True)
    (tmp_path / "mirror" / source.mirror).write_bytes(DATA)
    client, asked = network({source.url: DATA})
    path = fetch(tmp_path / "project", "hats", source, mirror=tmp_path / "mirror", client=client)
    assert path.read_bytes() == DATA and asked == []


def test_a_wrong_file_in_the_mirror_is_refused_by_name(tmp_path: Path):
    source = made_up_source()
    copy = tmp_path / "mirror" / source.mirror
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"other")
    client, asked = network({source.url: DATA})
    with pytest.raises(DamagedFile) as caught:
        fetch(tmp_path / "project", "hats", source, mirror=tmp_path / "mirror", client=client)
    assert str(caught.value).startswith(f"{copy}: expected sha256 {source.sha256}")
    assert sha(b"other") in str(caught.value) and "DMB_MIRROR" in str(caught.value)
    assert asked == [] and not (tmp_path / "project").exists()


def test_a_mirror_without_the_file_leaves_it_to_the_network(tmp_path: Path):
    source = made_up_source()
    client, asked = network({source.url: DATA})
    fetch(tmp_path, "hats", source, mirror=tmp_path, client=client)
    assert asked == [source.url]


def test_the_mirror_variable(tmp_path: Path):
    assert mirror_directory({}) is None
    assert mirror_directory({"DMB_MIRROR": ""}) is None
    assert mirror_directory({"DMB_MIRROR": str(tmp_path)}) == tmp_path
    with pytest.raises(UsageError, match=r"DMB_MIRROR: .* is no directory"):
        mirror_directory({"DMB_MIRROR": str(tmp_path / "nowhere")})


# --- progress


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_for_terminals(tmp_path: Path, terminal: bool):
    source, screen = made_up_source(), Screen(terminal)
    fetch(tmp_path, "hats", source, client=network({source.url: DATA})[0], progress=screen)
    assert screen.getvalue() == ("\rfetching hats: 1 KiB\n" if terminal else "")


# --- the sources file


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "sources.toml"
    path.write_text(text, encoding="utf-8")
    return path


ENTRY = f"""
[sources.hats]
url = "https://example.org/hats.csv"
mirror = "hats.csv"
sha256 = "{"0" * 64}"
bytes = 5
licence = "none"
attribution = "nobody"
"""


@pytest.mark.parametrize(
    ("find", "put", "message"),
    [
        ("url", "ulr", "unknown field; did you mean 'url'?"),
        ("bytes = 5", "", "sources.hats.bytes"),
        ("bytes = 5", "bytes = 0", "sources.hats.bytes"),
        ('"0', '"X', "sources.hats.sha256"),
        ("https:", "ftp:", "sources.hats.url: found 'ftp://example.org/hats.csv'; expected https://..."),
        ('"hats.csv"', '"../hats.csv"', "sources.hats.mirror: found '../hats.csv'"),
        ('"hats.csv"', '"/hats.csv"', "sources.hats.mirror: found '/hats.csv'"),
        ("[sources.hats]", '[sources."../hats"]', "sources.../hats: is no id"),
        ("[sources.hats]", "[sources.hats", "no valid TOML"),
    ],
)
def test_a_bad_sources_file_is_one_line(tmp_path: Path, find: str, put: str, message: str):
    path = written(tmp_path, ENTRY.replace(find, put, 1))
    with pytest.raises(InputError) as caught:
        load_sources(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_sources_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(InputError, match=r"sources\.toml: No such file"):
        load_sources(tmp_path / "sources.toml")


def test_the_projects_sources_are_pinned():
    sources = load_sources(PROJECT / "data" / "sources.toml")
    assert set(sources) >= {"banking77-train", "banking77-test", "banking77-categories", "sms-spam"}
    for source in sources.values():
        assert source.licence and source.attribution
        for url in (source.url, *source.fallback_urls):
            assert url.startswith("https://")
            # a branch name would be another file some day
            assert "githubusercontent.com" not in url or re.search(r"/[0-9a-f]{40}/", url)


def test_the_real_files_have_the_pinned_bytes(tmp_path: Path, real_data: Path):
    client, asked = network({})
    for source_id, source in load_sources(PROJECT / "data" / "sources.toml").items():
        fetch(tmp_path, source_id, source, mirror=real_data, client=client)
        assert read_source(tmp_path, source_id, source)
    assert asked == []
