"""Every check sees the fault that it is for: real processes, with a primitive that lies."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dmb.doctor import alone
from dmb.doctor.alone import ABANDONED_AFTER_S, clear_abandoned, examine
from dmb.doctor.check import Check, as_json, exit_code, table
from dmb.doctor.primitives import REAL, Primitives, append
from dmb.kernel_lock import KernelLock
from dmb.mounts import Mount, local_locks, mount_among, mount_of, notes_on, parse_mounts
from dmb.store.files import write_whole

# -- primitives that lie


def overwrite(path: Path, data: bytes) -> None:
    """In place."""
    with path.open("wb", buffering=0) as f:
        f.write(data[: len(data) // 2])
        time.sleep(0.001)
        f.write(data[len(data) // 2 :])


def remove_first(path: Path, data: bytes) -> None:
    """As where nothing can be renamed over a file that is there."""
    path.unlink(missing_ok=True)
    time.sleep(0.001)
    write_whole(path, data)


def append_in_two(path: Path, data: bytes) -> None:
    append(path, data[:100])
    time.sleep(0.0001)
    append(path, data[100:])


def append_where_it_ended(path: Path, data: bytes) -> None:
    """The end is looked up, and then written to."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    end = os.lseek(fd, 0, os.SEEK_END)
    time.sleep(0.001)
    os.pwrite(fd, data, end)
    os.close(fd)


class NoLock(KernelLock):
    def try_acquire(self) -> bool:
        return True


class StuckLock(KernelLock):
    def try_acquire(self) -> bool:
        return False


class ProcessLock(KernelLock):
    """Excludes opens of one process, and nobody else: what each host's own locks are to the others."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.with_name(f"{path.name}.{os.getpid()}"))


class RefusedLock(KernelLock):
    def try_acquire(self) -> bool:
        raise OSError(37, "No locks available")


def refuse(_path: Path) -> None:
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize(
    "lie, check, words",
    [
        ({"create": lambda path: path.touch() is None}, "exclusive create", "O_EXCL: a name was made by several"),
        ({"link": lambda path: False}, "exclusive create", "link: a name was made by several processes, or by none"),
        ({"replace": overwrite}, "atomic rename", "was seen half-written"),
        ({"replace": remove_first}, "atomic rename", "was not there for a moment"),
        ({"append": append_in_two}, "append", "torn"),
        ({"append": append_where_it_ended}, "append", "lost"),
        ({"lock": NoLock}, "flock", "two opens in one process held it at once"),
        ({"lock": StuckLock}, "flock", "a lock that nobody holds was refused"),
        ({"lock": ProcessLock}, "flock", "two processes held it at once"),
        ({"lock": RefusedLock}, "flock", "refused: No locks available"),
        ({"sync": refuse}, "fsync", "refused: Input/output error"),
    ],
)
def test_a_lie_fails_its_check_and_no_other(tmp_path, monkeypatch, lie, check, words):
    monkeypatch.setattr(alone, "space", lambda folder: Check("free space", "ok", ""))
    checks = examine(tmp_path, replace(REAL, **lie))
    assert {c.name for c in checks if c.status == "failed"} == {check}
    assert words in next(c.measured for c in checks if c.name == check)
    assert list(tmp_path.iterdir()) == [] and exit_code(checks) == 3


def test_a_child_that_dies_is_a_failed_check(tmp_path):
    def die(path: Path) -> bool:
        os._exit(1)

    checks = examine(tmp_path, Primitives(create=die))
    assert "refused: a process of the trial died" in next(c.measured for c in checks if c.name == "exclusive create")


# -- the command


def test_this_folder_is_examined_and_left_as_it_was(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "dmb", "doctor", str(tmp_path)], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 9 and not [line for line in lines if line.startswith("failed")]
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_doctor_left_is_removed_when_no_doctor_can_be_at_it_any_more(tmp_path):
    old, new = tmp_path / ".doctor.old", tmp_path / ".doctor.new"
    for folder in (old, new):
        (folder / "append").mkdir(parents=True)
    long_ago = time.time() - ABANDONED_AFTER_S - 60
    os.utime(old, (long_ago, long_ago))
    clear_abandoned(tmp_path)
    assert not old.exists() and new.is_dir()


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    done = subprocess.run([sys.executable, "-m", "dmb", "doctor", str(tmp_path / "x")], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, "")


def test_what_is_printed():
    checks = [Check("a", "ok", "fine"), Check("longer", "failed", "torn", "raw logs"), Check("b", "note", "slow")]
    assert table(checks).splitlines() == [
        "ok      a       fine",
        "failed  longer  torn  (needed by raw logs)",
        "note    b       slow",
    ]
    assert as_json(checks)["ok"] is False and as_json(checks[::2])["ok"] is True
    assert exit_code([*checks[::2]]) == 0


# -- mounts

TABLE = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
40 22 0:39 / /home/a\040b rw,relatime - nfs4 server:/export rw,vers=4.2,local_lock=none,addr=10.0.0.1
41 22 0:40 / /home/a\040b rw - fuse.sshfs host: rw,user_id=0
42 22 0:41 / /scratch rw - lustre mgs@tcp:/fs rw,flock
nonsense
"""


def test_a_folder_lies_on_the_longest_mount_and_of_two_on_the_last():
    mounts = parse_mounts(TABLE)
    assert [m.kind for m in mounts] == ["ext4", "nfs4", "fuse.sshfs", "lustre"]
    kinds = {
        path: mount_among(mounts, path).kind
        for path in ("/", "/home", "/home/a b/c", "/scratch", "/scratchy", "/scratch/d")
    }
    assert list(kinds.values()) == ["ext4", "ext4", "fuse.sshfs", "lustre", "ext4", "lustre"]
    assert mount_among([], "/") is None
    assert mounts[1].option("local_lock") == "none" and mounts[1].option("hard") is None


def test_this_folder_lies_somewhere(tmp_path):
    if not Path("/proc/self/mountinfo").exists():
        pytest.skip("this system has no table of mounts")
    assert mount_of(tmp_path).text == mount_of(tmp_path / "not there yet").text


@pytest.mark.parametrize(
    "kind, options, local, words",
    [
        ("ext4", (), False, ""),
        ("nfs4", ("local_lock=none", "lookupcache=pos"), False, ""),
        ("nfs4", ("local_lock=none",), False, "DMB lists folders instead"),
        ("nfs4", ("local_lock=flock",), True, "locks hold within one host only"),
        ("nfs", ("local_lock=all",), True, "locks hold within one host only"),
        ("nfs4", ("local_lock=posix",), False, "lists"),
        ("nfs", ("nolock",), True, "locks hold within one host only"),
        ("nfs4", ("nocto",), False, "nocto: what another host wrote may stay unseen"),
        ("nfs4", ("soft",), False, "mount with hard"),
        ("lustre", (), False, "lustre without flock"),
        ("lustre", ("localflock",), True, "locks hold within one host only"),
        ("lustre", ("flock",), False, ""),
        ("overlay", (), False, "overlay: belongs to one host"),
        ("virtiofs", (), False, "dmb doctor --peers"),
        ("9p", (), False, "dmb doctor --peers"),
        ("fuse.sshfs", (), False, "dmb doctor --peers"),
        ("cifs", (), False, "depend on the server"),
        ("tmpfs", (), False, "is lost at the next boot"),
    ],
)
def test_what_is_known_of_a_kind(kind, options, local, words):
    mount = Mount("/x", kind, "source", options)
    assert (local_locks(mount) is not None) == local
    assert words in "; ".join(notes_on(mount)) and bool(notes_on(mount)) == bool(words)
