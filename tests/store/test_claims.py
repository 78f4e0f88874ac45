"""Owner files over hosts: one next owner, heartbeats, a last word, and the user's."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from dmb.errors import CellBusy, LocksUnusable, UsageError
from dmb.kernel_lock import is_held
from dmb.store import abandoned, locks
from dmb.store.claims import Claim, age_text, declare_dead, last_owner
from dmb.store.files import load_json, pretty_json, write_whole
from dmb.store.heartbeat import Heart
from dmb.store.locks import OWNER, CellLock, check_host
from tests.store.test_locks import HOLDER, held_elsewhere

FAR = {"host": "far", "boot": "another-boot", "machine": "another"}


def make_foreign(cell: Path, **more: object) -> None:
    """The last owner's file as a process of another host would have written it."""
    last = last_owner(cell, OWNER)
    path = cell / f"owner.{last.n}.json"
    said = {k: v for k, v in load_json(path).items() if k != "ended"}
    write_whole(path, pretty_json(said | FAR | more))


def left_by_another_host(cell: Path, **more: object) -> Path:
    with CellLock(cell, "r1"):
        pass
    make_foreign(cell, **more)
    return cell


# -- one next owner


def test_of_many_that_find_it_free_one_becomes_the_next(tmp_path):
    won, go = [], threading.Barrier(8)

    def race() -> None:
        go.wait()
        with contextlib.suppress(FileExistsError):
            won.append(Claim(tmp_path, OWNER, 1))

    racers = [threading.Thread(target=race) for _ in range(8)]
    for r in racers:
        r.start()
    for r in racers:
        r.join()
    assert len(won) == 1 and [p.name for p in tmp_path.iterdir()] == ["owner.1.json"]


def test_where_two_hosts_were_at_it_together_the_slower_is_refused(tmp_path, monkeypatch):
    with CellLock(tmp_path, "r1"):
        pass
    before = last_owner(tmp_path, OWNER)
    Claim(tmp_path, OWNER, 2, "quicker")
    # whoever had looked before that
    seen = iter([before, last_owner(tmp_path, OWNER)])
    monkeypatch.setattr(locks, "last_owner", lambda *_: next(seen))
    with pytest.raises(CellBusy, match="is being asked by run quicker"), CellLock(tmp_path, "slower"):
        pass


def test_an_answer_of_the_server_that_was_lost_is_no_other_owner(tmp_path, monkeypatch):
    link = os.link

    def twice(*args):
        link(*args)
        link(*args)

    monkeypatch.setattr(os, "link", twice)
    assert Claim(tmp_path, OWNER, 1).n == 1


# -- taking over


def test_a_dead_owner_of_this_host_is_taken_over_and_that_is_said(tmp_path, capsys):
    with held_elsewhere(tmp_path) as holder:
        holder.kill()
        holder.wait()
    with CellLock(tmp_path, "r8"):
        said = capsys.readouterr().err
        assert f"left by run r7, process {holder.pid} on " in said and "its process is gone; taken over" in said


def test_after_a_good_end_nothing_is_said(tmp_path, capsys):
    for run in ("r1", "r2"):
        with CellLock(tmp_path, run):
            pass
    assert capsys.readouterr().err == ""


def test_an_owner_on_another_host_is_left_alone_though_the_lock_is_free(tmp_path):
    beat = (dt.datetime.now(dt.UTC) - dt.timedelta(hours=3)).isoformat()
    cell = left_by_another_host(tmp_path / "cell", heartbeat=beat)
    message = (
        r"is being asked by run r1, process \d+ on far, last heartbeat 3 h ago, or was: nobody here can tell .*"
        r"`dmb release-lock .*cell`"
    )
    with pytest.raises(CellBusy, match=message), CellLock(cell, "r2"):
        pass
    # the refused one has not kept the lock
    assert not is_held(cell / "lock")


def test_where_locks_were_tried_between_the_hosts_a_free_lock_is_enough(tmp_path, monkeypatch, capsys):
    cell = left_by_another_host(tmp_path / "cell")
    monkeypatch.chdir(tmp_path)
    me, far = ({**said, "mount": load_json(cell / "owner.1.json")["mount"]} for said in (locks_host(), FAR))
    write_whole(Path("runs/_hosts/peers.1.json"), pretty_json({"locks_shared": True, "hosts": [me, far]}))
    with CellLock(cell, "r2"):
        assert "locks hold between these hosts; taken over" in capsys.readouterr().err


def locks_host() -> dict[str, object]:
    from dmb.process_identity import who_i_am

    return who_i_am()


@pytest.mark.parametrize("manifest, refused", [(None, False), ("complete", False), ("running", True)])
def test_an_owner_file_of_before_there_were_numbers(tmp_path, monkeypatch, manifest, refused):
    monkeypatch.chdir(tmp_path)
    write_whole(Path("cell/owner.json"), pretty_json({"run": "old", "pid": 1, "host": "far"}))
    if manifest:
        write_whole(Path("runs/old/manifest.json"), pretty_json({"status": manifest}))
    if refused:
        with pytest.raises(CellBusy, match="run old, process 1 on far, or was"), CellLock(Path("cell"), "r1"):
            pass
        declare_dead(Path("cell"), OWNER, 0, {})
    with CellLock(Path("cell"), "r1"):
        assert last_owner(Path("cell"), OWNER).n == 1


@pytest.mark.parametrize("damaged", [b"{", b"", b"[]", b"\xff", b'{"run": ["r1"], "host": "far"}'])
def test_an_owner_file_that_cannot_be_read_is_nobodys_to_take(tmp_path, damaged):
    cell = left_by_another_host(tmp_path / "cell")
    (cell / "owner.1.json").write_bytes(damaged)
    with pytest.raises(CellBusy, match="nobody here can tell"), CellLock(cell, "r2"):
        pass


# -- heartbeats


def wait_until(condition) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "nothing came of it"
        time.sleep(0.005)


def test_the_heart_beats_for_all_and_ends_with_a_last_word(tmp_path):
    heart = Heart(beat_s=0.01)
    claims = [Claim(tmp_path / name, OWNER, 1) for name in "ab" if not (tmp_path / name).mkdir()]
    for c in claims:
        heart.add(c)
    for c in claims:
        before = load_json(c.path)["heartbeat"]
        wait_until(lambda c=c, before=before: load_json(c.path)["heartbeat"] > before)
    heart.end(claims[0])
    said = load_json(claims[0].path)
    assert "ended" in said and last_owner(tmp_path / "a", OWNER).ended
    wait_until(lambda: load_json(claims[1].path)["heartbeat"] > said["ended"])
    assert load_json(claims[0].path) == said
    heart.end_all()
    assert last_owner(tmp_path / "b", OWNER).ended and not list(tmp_path.rglob("*.part"))
    # and again for whoever comes later
    later = Claim(tmp_path / "a", OWNER, 2)
    heart.add(later)
    before = load_json(later.path)["heartbeat"]
    wait_until(lambda: load_json(later.path)["heartbeat"] > before)
    heart.end(later)


@pytest.mark.parametrize("by", ["word", "successor"])
def test_whoever_was_declared_dead_or_succeeded_notices_and_writes_no_more(tmp_path, by):
    claim = Claim(tmp_path, OWNER, 1)
    declare_dead(tmp_path, OWNER, 1, {}) if by == "word" else Claim(tmp_path, OWNER, 2)
    before = claim.path.read_bytes()
    claim.beat()
    claim.end()
    assert claim.lost and claim.path.read_bytes() == before


def test_a_cancelled_job_says_that_it_has_ended(tmp_path):
    code = HOLDER.replace(
        "with CellLock", "from dmb.store.heartbeat import *; leave_in_order_on_sigterm()\nwith CellLock"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as job:
        job.stdout.readline()
        job.terminate()
        assert job.wait() == -signal.SIGTERM
    assert last_owner(tmp_path, OWNER).ended


@pytest.mark.parametrize(
    "seconds, text", [(-3, "0 s"), (12.4, "12 s"), (300, "5 min"), (7300, "2 h"), (200_000, "2 d")]
)
def test_ages(seconds, text):
    assert age_text(seconds) == text


# -- locks that are none


def test_a_lock_that_excludes_nobody_is_found_out(tmp_path, monkeypatch):
    monkeypatch.setattr(locks.KernelLock, "try_acquire", lambda self: True)
    with (
        pytest.raises(LocksUnusable, match=r"was locked twice at once on .*; nothing is asked"),
        CellLock(tmp_path, "r1"),
    ):
        pass
    assert not list(tmp_path.glob("owner*"))


def test_a_lock_that_is_refused_is_one_line(tmp_path, monkeypatch):
    def refuse(self):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(locks.KernelLock, "try_acquire", refuse)
    with pytest.raises(LocksUnusable, match=r"no lock on .*: No locks available; nothing is asked") as caught:
        CellLock(tmp_path, "r1").__enter__()
    assert "\n" not in str(caught.value) and caught.value.exit_code == 3


def test_a_run_is_not_paid_for_on_a_host_that_its_locks_do_not_reach(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home = Path("runs/r1")
    home.mkdir(parents=True)
    Claim(home, OWNER, 1, "r1")
    check_host("r1")
    make_foreign(home)
    check_host("r1")
    far = {**FAR, "mount": load_json(home / "owner.1.json")["mount"]}
    me = {**locks_host(), "mount": far["mount"]}
    write_whole(Path("runs/_hosts/peers.1.json"), pretty_json({"locks_shared": False, "hosts": [me, far]}))
    with pytest.raises(LocksUnusable, match="run r1: was started on far, and its locks do not hold here"):
        check_host("r1")


# -- the user's word


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return left_by_another_host(Path("runs/_cells/c.s/0123456789abcdef"))


def test_what_is_taken_is_listed_and_released_by_name_or_host(project):
    (t,) = abandoned.taken()
    assert (t.name, t.standing().standing) == (str(project), "unknown")
    assert abandoned.chosen([f"{project}/"], None) == abandoned.chosen([], "far") == [t]
    slept = []
    assert [why for _, why in abandoned.release([t], slept.append)] == [None] and slept == [abandoned.SILENT_S]
    assert abandoned.taken() == []
    with CellLock(project, "r2"):
        assert last_owner(project, OWNER).n == 2


def test_whoever_is_heard_of_meanwhile_is_not_declared_dead(project):
    ((_, why),) = abandoned.release(
        abandoned.taken(), lambda _: make_foreign(project, heartbeat="2026-11-30T00:00:00Z")
    )
    assert "it was heard of within the last 15 s" in why and len(abandoned.taken()) == 1


def test_whoever_holds_his_lock_is_not_declared_dead(project):
    declare_dead(project, OWNER, 1, {})
    with held_elsewhere(project):
        make_foreign(project)
        ((t, why),) = abandoned.release(abandoned.taken(), lambda _: None)
        assert why.startswith("its lock is held") and t.owner.n == 2
    assert not list(project.glob("owner.2.dead.json"))


def test_names_that_are_nothing_are_refused(project):
    with pytest.raises(UsageError, match="'r9' is not taken by anybody"):
        abandoned.chosen(["r9"], None)
    with pytest.raises(UsageError, match="--host: nothing is taken by 'fat'; did you mean 'far'"):
        abandoned.chosen([], "fat")


def test_names_and_a_host_at_once_are_refused_and_nothing_is_declared_dead(project):
    with pytest.raises(UsageError, match="--host: stands for all that a host has taken"):
        abandoned.chosen(["r9"], "far")
    assert len(abandoned.taken()) == 1


def test_the_command_lists_and_refuses_in_one_line(project):
    def dmb(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "dmb", "release-lock", *args], capture_output=True, text=True)

    done = dmb()
    assert done.returncode == 0 and "process" in done.stdout and "on far, last heartbeat" in done.stdout
    done = dmb("nothing")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    with held_elsewhere(left_by_another_host(Path("runs/_cells/c.t/0123456789abcdef"), ended="x")) as holder:
        done = dmb(str(Path("runs/_cells/c.t/0123456789abcdef")))
        assert done.returncode == 3 and f"stays with run r7, process {holder.pid}" in done.stderr
        assert json.loads(Path("runs/_cells/c.t/0123456789abcdef/owner.2.json").read_text())["pid"] == holder.pid
