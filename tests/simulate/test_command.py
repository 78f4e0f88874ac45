"""The command: what it prints, how it ends, and what it leaves."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dmb.cli import main
from dmb.planning.project import load_project
from tests.conftest import PROJECT
from tests.simulate.asking import WAYS, ask, plain_client, request


@contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[str], list[str], str]]:
    """(process, lines that it printed at first, its address)."""
    p = subprocess.Popen(
        [sys.executable, "-m", "dmb", "simulate", "--port", "0", *options],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        lines = [p.stdout.readline()]
        address = re.search(r"http://127\.0\.0\.1:\d+", lines[0])
        assert address, lines[0] + p.stderr.read()
        yield p, lines, address[0]
    finally:
        p.kill()
        p.wait()
        p.stdout.close()
        p.stderr.close()


def failed(monkeypatch: pytest.MonkeyPatch, *options: str) -> tuple[int, str]:
    """Exit code and the one line of a command that does not start; in this process, since it ends at once."""
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.chdir(PROJECT)
    monkeypatch.setattr(sys, "argv", ["dmb", "simulate", *options])
    handlers = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as e:
        main()
    assert out.getvalue() == "" and err.getvalue().startswith("dmb: ") and err.getvalue().count("\n") == 1
    assert handlers == [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    return e.value.code, err.getvalue()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_counts_and_ends_quietly(tmp_path: Path, number: int):
    counts = tmp_path / "new" / "counts.json"
    with started("--scenario", "overloaded", "--seed", "3", "--counts", str(counts)) as (p, lines, address):
        assert "seed 3, scenario overloaded" in lines[0]
        with plain_client() as c:
            assert ask(c, address, WAYS["jev"]).outcome == "failed: overloaded"
        p.send_signal(number)
        assert p.wait(20) == 0
        assert p.stdout.read() == "" and p.stderr.read() == ""
    written = json.loads(counts.read_text())
    assert (written["requests"], written["answered"], written["faults"]) == (1, 0, {"overloaded": 1})
    assert [f.name for f in counts.parent.iterdir()] == ["counts.json"]


def test_a_rehearsal_is_told_in_lines_to_copy():
    with started("--release", "v2") as (p, _, address):
        p.send_signal(signal.SIGTERM)
        p.wait(20)
        text = p.stdout.read()
    assert f"\nexport DMB_SIMULATOR={address}\n" in text
    assert "\nuv run snakemake results/v2-simulated.md\n" in text
    assert "\nuv run dmb run --id rehearsal --release v2-simulated\n" in text
    project = load_project(PROJECT)
    asked = [
        n
        for n in project.config.releases["v2"].contenders
        if project.contenders[n].wire and not project.contenders[n].serve
    ]
    assert re.findall(r"^  ([\w-]+) ", text, re.M) == asked and "jev" in asked


def test_of_a_release_no_other_model_is_known():
    with started("--release", "v2-simulated") as (_, _, address), plain_client() as c:
        assert ask(c, address, WAYS["jev"]).outcome == "valid"
        assert ask(c, address, WAYS["gemini"]).outcome == "failed: rejected"


def test_a_kill_leaves_a_whole_file_that_is_a_second_old_at_most(tmp_path: Path):
    counts = tmp_path / "counts.json"
    with started("--counts", str(counts)) as (p, _, address), plain_client() as c:
        for i in range(30):
            ask(c, address, WAYS["jev"], request(f"state {i}"))
        end = time.monotonic() + 20
        while json.loads(counts.read_text())["requests"] < 30 and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(p.pid, signal.SIGKILL)
        p.wait(20)
    assert json.loads(counts.read_text())["requests"] == 30


def test_a_taken_port_is_one_line(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
        code, line = failed(monkeypatch, "--port", str(port))
    assert code == 2 and f"--port: {port}: address already in use" in line and "0 for a free one" in line


@pytest.mark.parametrize(
    "options, words",
    [
        (("--scenario", "overload"), ["--scenario", "'overload'", "did you mean 'overloaded'?"]),
        (("--scenario", "no/such.toml"), ["no/such.toml", "No such file"]),
        (("--release", "v22"), ["--release", "'v22'", "did you mean 'v2'?"]),
        (("--counts", "/proc/none/counts.json", "--port", "0"), ["--counts", "/proc/none/counts.json"]),
    ],
)
def test_a_wrong_option_is_one_line(monkeypatch, options, words):
    code, line = failed(monkeypatch, *options)
    assert code == 2 and all(w in line for w in words), line


def test_a_wrong_scenario_file_is_one_line(monkeypatch, tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\n[[fault]]\ndo = "overload"\n')
    code, line = failed(monkeypatch, "--scenario", str(path))
    assert code == 2 and f"{path}: fault.0.do" in line and "overload" in line
