"""Hosts that try a folder together, and what the trial is worth afterwards: locks that hold, and locks that do not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from dmb.doctor.check import Check
from dmb.doctor.peers import examine_together, keep_proof, proof
from dmb.doctor.primitives import REAL
from tests.doctor.test_alone import NoLock, RefusedLock
from tests.made_up_hosts import mounted_twice, needs_hosts, python_on
from tests.store.test_locks import HOLDER

ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("SLURM_")}

TAKER = """
import sys
from pathlib import Path
from dmb.errors import DmbError
from dmb.store.locks import CellLock
try:
    with CellLock(Path(sys.argv[1]), "r8"):
        print("taken")
except DmbError as e:
    sys.exit(f"{type(e).__name__}: {e}")
"""

RELEASE = "import sys; from dmb.store.abandoned import *; print(release(chosen(sys.argv[1:], None), lambda s: None))"


def together(commands: dict[Path, list[str]] | list[tuple[Path, list[str]]]) -> list[subprocess.CompletedProcess]:
    """Commands at the same time, each in its folder."""
    at_work = [
        subprocess.Popen(c, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for cwd, c in commands
    ]
    done = []
    for p in at_work:
        out, err = p.communicate(timeout=90)
        done.append(subprocess.CompletedProcess(p.args, p.returncode, out, err))
    return done


def peers(folders: dict[str, Path], scratch: Path, *more: str) -> list[subprocess.CompletedProcess]:
    """`dmb doctor` on each host."""
    args = ["-m", "dmb", "doctor", "--peers", str(len(folders)), "--token", "t", *more]
    return together([(cwd, python_on(host, scratch, *args)) for host, cwd in folders.items()])


def run(host: str, cwd: Path, scratch: Path, code: str, *args: str) -> subprocess.CompletedProcess:
    return together([(cwd, python_on(host, scratch, "-c", code, *args))])[0]


def hold_and_die(host: str, cwd: Path, scratch: Path, cell: str) -> None:
    """A payer on that host who is killed while he holds the cell."""
    command = python_on(host, scratch, "-c", HOLDER, cell)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=cwd) as holder:
        assert holder.stdout.readline() == "held\n"
        holder.kill()


# -- between hosts


def test_where_locks_hold_between_hosts_it_is_kept_and_a_dead_payer_of_another_host_is_certain(tmp_path):
    needs_hosts()
    project = tmp_path / "project"
    project.mkdir()
    (project / "config.yaml").touch()
    hold_and_die("north", project, tmp_path, "runs/_cells/c.s/0123456789abcdef")
    cell = "runs/_cells/c.s/0123456789abcdef"
    refused = run("south", project, tmp_path, TAKER, cell)
    assert refused.returncode == 1 and "CellBusy: " in refused.stderr and "on north, last heartbeat" in refused.stderr
    done = peers({"north": project, "south": project, "west": project}, tmp_path)
    assert [d.returncode for d in done] == [0, 0, 0], done
    said = "".join(d.stdout for d in done)
    assert said.count("flock") == 1 and "6 pairs exclude each other" in said
    (kept,) = (project / "runs/_hosts").iterdir()
    assert json.loads(kept.read_bytes())["locks_shared"] is True
    taken = run("south", project, tmp_path, TAKER, cell)
    assert taken.stdout == "taken\n" and "locks hold between these hosts; taken over" in taken.stderr
    # a host that was not there when it was tried is told nothing by it
    hold_and_die("east", project, tmp_path, cell)
    assert run("south", project, tmp_path, TAKER, cell).returncode == 1


def test_where_locks_are_each_hosts_own_there_is_one_payer_all_the_same(tmp_path):
    with mounted_twice(tmp_path) as (north, south):
        (north / "config.yaml").touch()
        cell = "runs/_cells/c.s/0123456789abcdef"
        command = python_on("north", tmp_path, "-c", HOLDER, cell)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=north) as holder:
            assert holder.stdout.readline() == "held\n"
            refused = run("south", south, tmp_path, TAKER, cell)
            assert refused.returncode == 1 and "by run r7, process" in refused.stderr, refused
            assert "`dmb release-lock" in refused.stderr
            holder.stdin.close()
        # once he has said that he has ended, nobody need be asked
        assert run("south", south, tmp_path, TAKER, cell).stdout == "taken\n"
        hold_and_die("north", north, tmp_path, cell)
        assert run("south", south, tmp_path, TAKER, cell).returncode == 1
        assert run("south", south, tmp_path, RELEASE, cell).returncode == 0
        assert run("south", south, tmp_path, TAKER, cell).stdout == "taken\n"


def test_locks_that_are_each_hosts_own_are_found_out_and_that_is_kept(tmp_path):
    with mounted_twice(tmp_path) as (north, south):
        (north / "config.yaml").touch()
        done = peers({"north": north, "south": south}, tmp_path, "--json")
        assert [d.returncode for d in done] == [3, 3], done
        (told,) = (json.loads(d.stdout) for d in done if d.stdout)
        assert {c["name"]: c["status"] for c in told["checks"] if c["status"] == "failed"} == {"flock": "failed"}
        (kept,) = (south / "runs/_hosts").iterdir()
        assert json.loads(kept.read_bytes())["locks_shared"] is False


# -- what each check sees


def meet(folder: Path, *kinds: object) -> list[tuple[int, list[Check], dict]]:
    """Peers that are threads here, each with primitives of its own."""
    met: list = []
    threads = [
        threading.Thread(target=lambda do=do: met.append(examine_together(folder, len(kinds), "t", 30.0, do)))
        for do in kinds
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sorted(met, key=lambda m: m[0])


@pytest.mark.parametrize("lock", [NoLock, RefusedLock])
def test_one_host_whose_locks_are_none_is_enough(tmp_path, lock):
    (_, checks, found), second = meet(tmp_path, REAL, replace(REAL, lock=lock))
    assert [c.name for c in checks if c.status == "failed"] == ["flock"] and checks == second[1]
    # all of it was on one kernel, so nothing is said about hosts
    assert found["locks_shared"] is None and keep_proof(tmp_path, found, "t") is None


def test_a_name_that_two_hosts_made_is_seen(tmp_path):
    # on both, since of one that is right and one that is not the second may always be the latter
    lies = replace(REAL, create=lambda path: path.touch() is None)
    (_, checks, _), _ = meet(tmp_path, lies, lies)
    assert [c.name for c in checks if c.status == "failed"] == ["exclusive create"]


SKEWED = """
import sys, time, types
from pathlib import Path
from dmb.doctor import peers
peers.time = types.SimpleNamespace(time=lambda: time.time() + 5, sleep=time.sleep, monotonic=time.monotonic)
peers.examine_together(Path(), 2, "t", 30.0)
"""


def test_clocks_that_are_apart_are_seen(tmp_path):
    with subprocess.Popen([sys.executable, "-c", SKEWED], cwd=tmp_path) as skewed:
        _, checks, _ = examine_together(tmp_path, 2, "t", 30.0)
        skewed.wait()
    (clocks,) = (c for c in checks if c.name == "clocks")
    assert clocks.status == "failed" and abs(abs(float(clocks.measured.split()[0])) - 5) < 1


def test_a_proof_holds_where_every_pair_on_two_kernels_did():
    a, b, c = (
        {"host": h, "machine": "m", "boot": boot, "mount": "nfs4 x"} for h, boot in (("a", "1"), ("b", "2"), ("c", "2"))
    )
    pairs = {(i, j): True for i in range(3) for j in range(3) if i != j}
    assert proof([a, b, c], pairs)["locks_shared"] is True
    # two on one kernel say nothing, whatever they find
    assert proof([a, b, c], pairs | {(1, 2): False})["locks_shared"] is True
    assert proof([a, b, c], pairs | {(2, 0): False})["locks_shared"] is False
    assert [h["host"] for h in proof([a, a, b], pairs)["hosts"]] == ["a", "b"]


# -- how they meet


@pytest.mark.parametrize(
    "args, code, words",
    [
        (["--token", "t", "--wait", "1"], 3, "1 of 2 processes did not come as far as 'hello' in 1 s"),
        ([], 2, "--token: give all peers the same word"),
        (["--token", "a/b"], 2, "--token: give all peers the same word"),
    ],
)
def test_a_peer_that_is_alone_ends_in_one_line(tmp_path, args, code, words):
    (done,) = together([(tmp_path, [sys.executable, "-m", "dmb", "doctor", "--peers", "2", *args])])
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (code, 1, "") and words in done.stderr


def test_a_place_where_all_have_met_is_refused(tmp_path):
    for n in range(2):
        (tmp_path / ".doctor.t").mkdir(exist_ok=True)
        (tmp_path / f".doctor.t/hello.{n}").write_text("{}")
    command = [sys.executable, "-m", "dmb", "doctor", "--peers", "2", "--token", "t"]
    (done,) = together([(tmp_path, command)])
    assert done.returncode == 2 and "have met here before; give another --token" in done.stderr


def test_in_a_step_of_slurm_the_step_is_the_word(tmp_path):
    command = ["env", "SLURM_JOB_ID=7", "SLURM_STEP_ID=0", sys.executable, "-m", "dmb", "doctor", "--peers", "2"]
    done = together([(tmp_path, command)] * 2)
    assert [d.returncode for d in done] == [0, 0] and list(tmp_path.iterdir()) == []
