"""Archives whose bytes depend on their files alone; and files that only look like one, each refused in one line."""

from __future__ import annotations

import io
import lzma
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable

import pytest

from dmb.archive import tarball
from dmb.archive.tarball import pack, unpack
from dmb.canonical import sha256_hex
from dmb.errors import DamagedFile, DmbError, MissingEvidence
from dmb.store.digest_list import MANIFEST, manifest_bytes, parse_manifest
from tests.conftest import PROJECT

FILES = {
    "release.json": b"{}\n",
    "runs/a-1/raw/x.y.attempts.jsonl": b"row\n" * 1000,
    "data/items/y.0.jsonl": b"\x00\xff",
}


def test_what_is_packed_comes_out_again(tmp_path):
    path = tmp_path / "v.archive.tar.xz"
    path.write_bytes(pack(FILES))
    assert unpack(path) == FILES


def test_the_same_files_give_the_same_bytes_on_any_day_by_anybody(tmp_path):
    """Another process, time zone, umask and order of files."""
    code = (
        "import os, sys; os.umask(0o077); from dmb.archive.tarball import pack; "
        "from tests.archive.test_tarball import FILES; sys.stdout.buffer.write(pack(dict(reversed(FILES.items()))))"
    )
    env = os.environ | {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=PROJECT, env=env).stdout
    time.sleep(1.1)  # a tar's times are whole seconds
    assert pack(FILES) == other
    # recorded once: a library's new default would show here
    assert sha256_hex(lzma.decompress(other)) == "b02c28f33d55e76a1eb775e8221bc3d22100e6aff9d6920f7fa354117d69a274"


def test_other_tools_read_it(tmp_path):
    path = tmp_path / "v.archive.tar.xz"
    path.write_bytes(pack(FILES))
    subprocess.run(["tar", "xJf", path], cwd=tmp_path, check=True)
    done = subprocess.run(["sha256sum", "-c", "--quiet", MANIFEST], cwd=tmp_path, check=True, capture_output=True)
    assert done.stdout == b""
    with tarfile.open(path) as tar:
        assert [(m.uid, m.gid, m.uname, m.mtime, m.mode) for m in tar] == [(0, 0, "", 0, 0o644)] * (len(FILES) + 1)


def entry(name: str, data: bytes = b"x", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, data


def made(*entries: tuple[tarfile.TarInfo, bytes], listed: bool = True) -> bytes:
    """A .tar.xz of anything; with a manifest that fits unless told otherwise."""
    if listed:
        digests = {i.name: sha256_hex(d) for i, d in entries if i.isreg()}
        entries = (*entries, entry(MANIFEST, manifest_bytes(digests or {"a": "0" * 64})))
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as out:
        for info, data in entries:
            out.addfile(info, io.BytesIO(data))
    return lzma.compress(tar.getvalue())


WHOLE = pack(FILES)

#: name -> (bytes, error, what the line says)
BAD: dict[str, tuple[bytes | Callable[[], bytes], type[DmbError], str]] = {
    "nothing in it": (b"", DamagedFile, "damaged, cut off or no .tar.xz"),
    "another file": (b"%PDF-1.7 ...", DamagedFile, "damaged, cut off or no .tar.xz"),
    "not compressed": (lzma.decompress(WHOLE), DamagedFile, "damaged, cut off or no .tar.xz"),
    "compressed, and no tar": (lzma.compress(b"hello " * 500), DamagedFile, "damaged, cut off or no .tar.xz"),
    "cut off": (WHOLE[: len(WHOLE) // 2], DamagedFile, "damaged, cut off or no .tar.xz"),
    "cut off at the end": (WHOLE[:-1], DamagedFile, "damaged, cut off or no .tar.xz"),
    "one byte changed": (
        WHOLE[:200] + bytes([WHOLE[200] ^ 1]) + WHOLE[201:],
        DamagedFile,
        "damaged, cut off or no .tar.xz",
    ),
    "a tar cut off within": (lzma.compress(lzma.decompress(WHOLE)[:3000]), DamagedFile, ""),
    "no manifest": (made(entry("a"), listed=False), DamagedFile, f"holds no {MANIFEST}"),
    "a manifest that is none": (
        made(entry("a"), entry(MANIFEST, b"a\n"), listed=False),
        DamagedFile,
        "is no list of sha256",
    ),
    "a file too many": (
        made(entry("a"), entry("b"), entry(MANIFEST, manifest_bytes({"a": sha256_hex(b"x")})), listed=False),
        DamagedFile,
        "b: is not in MANIFEST",
    ),
    "a file too few": (
        made(entry("a"), entry(MANIFEST, manifest_bytes({"a": sha256_hex(b"x"), "c": "0" * 64})), listed=False),
        DamagedFile,
        "c: is in MANIFEST.sha256 and not",
    ),
    "a file of other bytes": (
        made(entry("a"), entry(MANIFEST, manifest_bytes({"a": sha256_hex(b"y")})), listed=False),
        DamagedFile,
        "a: its bytes are not those",
    ),
    "a file twice": (made(entry("a"), entry("a")), DamagedFile, "a: stands in it twice"),
    "above": (made(entry("../evil")), DmbError, "'../evil', which is no plain name"),
    "above, later": (made(entry("runs/../../evil")), DmbError, "no plain name"),
    "from the root": (made(entry("/etc/passwd")), DmbError, "no plain name"),
    "a name with a line feed": (made(entry("a\nb")), DmbError, "no plain name"),
    "backslashes": (made(entry("..\\evil")), DmbError, "no plain name"),
    "a link": (made(entry("a", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")), DmbError, "no ordinary file"),
    "a hard link": (made(entry("a", b"", type=tarfile.LNKTYPE, linkname="b")), DmbError, "no ordinary file"),
    "a device": (made(entry("a", b"", type=tarfile.CHRTYPE)), DmbError, "no ordinary file"),
    "a folder": (made(entry("a", b"", type=tarfile.DIRTYPE)), DmbError, "no ordinary file"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_archive_is_refused_in_one_line(name, tmp_path):
    data, error, says = BAD[name]
    path = tmp_path / "v.archive.tar.xz"
    path.write_bytes(data)
    with pytest.raises(error) as e:
        unpack(path)
    assert str(e.value).startswith(f"{path}: ") and says in str(e.value) and "\n" not in str(e.value)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_what_would_fill_a_disk_is_refused_before_it_does(tmp_path, monkeypatch):
    monkeypatch.setattr(tarball, "MOST_BYTES", 10_000)
    path = tmp_path / "v.archive.tar.xz"
    path.write_bytes(made(entry("a", bytes(5_000)), entry("b", bytes(5_001))))
    with pytest.raises(DmbError, match="b: more than"):
        unpack(path)
    monkeypatch.setattr(tarball, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(tarball, "MOST_FILES", 2)
    path.write_bytes(made(entry("a"), entry("b"), entry("c")))
    with pytest.raises(DmbError, match=r"c: more than .* 2 files"):
        unpack(path)


@pytest.mark.parametrize("name", ["absent.tar.xz", "."])
def test_no_file_is_said_to_be_none(name, tmp_path):
    with pytest.raises(MissingEvidence, match="is not here"):
        unpack(tmp_path / name)


def test_a_damaged_file_is_named_with_what_rests_on_it(tmp_path):
    path = tmp_path / "v.archive.tar.xz"
    path.write_bytes(made(entry("a"), entry(MANIFEST, manifest_bytes({"a": sha256_hex(b"y")})), listed=False))
    with pytest.raises(DamagedFile, match=r"a: its bytes are not those that MANIFEST.sha256 names \(cells\)"):
        unpack(path, lambda files, name: " (cells)" if name in files else "")


def test_a_manifest_is_read_as_it_is_written():
    digests = {"b/c": "1" * 64, "a": "0" * 64}
    data = manifest_bytes(digests)
    assert data.decode().splitlines() == [f"{'0' * 64}  a", f"{'1' * 64}  b/c"]
    assert parse_manifest(data, "m") == digests
    for bad in (b"", data + b"\n", data.replace(b"0", b"g"), data.replace(b"  ", b" ")):
        with pytest.raises(DamagedFile, match=r"^m: is no list"):
            parse_manifest(bad, "m")
