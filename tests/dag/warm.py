"""A Python whose processes begin with the libraries loaded, so that a start pays for DMB's own work alone. Linux.

`python()` gives the path of a program that takes `-m module arguments…` as an interpreter does. It hands arguments, folder,
environment and streams to a server, which forks; the fork runs the module as `python -m` would, and the program ends with
its exit code. Nothing of DMB is loaded before the fork: each process takes it from its own folder. A test in which
processes are killed starts real interpreters instead.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from functools import cache
from pathlib import Path

#: What the workflow and its jobs load of others, asking, scoring and publishing included.
LIBRARIES = (
    "snakemake.cli",
    "numpy",
    "pydantic",
    "httpx",
    "filelock",
    "jinja2",
    "typer",
    "yaml",
    "sklearn.feature_extraction.text",
    "sklearn.linear_model",
)

#: A start is handed over in one piece of so many bytes at the most.
_LARGEST = 1 << 20

# the least that hands a start over: it is run by an interpreter without its library
_PROGRAM = """\
#!{interpreter} -IS
import _socket, os, sys
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
server.connect({address!r})
parts = [os.fsencode(a) for a in sys.argv[1:]], [os.getcwdb()], [k + b"=" + v for k, v in os.environb.items()]
streams = b"".join(n.to_bytes(4, sys.byteorder) for n in range(3))
data = b"\\0\\0".join(b"\\0".join(part) for part in parts)
server.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
code = server.recv(4)
os._exit(int(code) if code else 1)
"""


@cache
def python() -> str:
    """The program; its server lives as long as this process. Where that cannot be had, the interpreter itself."""
    if not hasattr(os, "pidfd_open"):
        return sys.executable
    folder = Path(tempfile.mkdtemp(prefix="dmb-warm-"))
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    address = str(folder / "socket")
    listening.bind(address)
    listening.listen(64)
    program = folder / "python"
    program.write_text(_PROGRAM.format(interpreter=sys.executable, address=address))
    program.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, __file__, str(listening.fileno()), str(program)],
        stdin=subprocess.PIPE,
        pass_fds=[listening.fileno()],
        env=os.environ | {"PYDANTIC_DISABLE_PLUGINS": "__all__"},
    )
    listening.close()

    def end() -> None:
        assert server.stdin is not None
        server.stdin.close()
        server.wait()
        shutil.rmtree(folder)

    atexit.register(end)
    return str(program)


# -- the server


def _serve(listening: socket.socket) -> list[str]:
    """Fork for every start, until whoever began this is gone. Returns in the forks only: the arguments of the start."""
    while True:
        ready, _, _ = select.select([listening, sys.stdin], [], [])
        if sys.stdin in ready:
            sys.exit()
        connection, _ = listening.accept()
        if _fork() == 0:
            listening.close()
            if (arguments := _attend(connection)) is not None:
                return arguments
        connection.close()
        # those that have ended, so that none of them stays behind
        while _one_has_ended():
            pass


def _fork() -> int:
    with warnings.catch_warnings():
        # a pool of threads in a numerical library; it looks after itself
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _one_has_ended() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _attend(connection: socket.socket) -> list[str] | None:
    """Fork once more, and hand the exit code back. Returns in the last fork only."""
    data, streams, _, _ = socket.recv_fds(connection, _LARGEST, 3)
    worker = _fork()
    if worker == 0:
        connection.close()
        return _become(data, streams)
    for stream in streams:
        os.close(stream)
    end = os.pidfd_open(worker)
    ready, _, _ = select.select([connection, end], [], [])
    if end not in ready:
        # whoever waited for it is gone
        os.kill(worker, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    if end in ready:
        connection.send(str(code if code >= 0 else 128 - code).encode())
    os._exit(0)


def _become(data: bytes, streams: list[int]) -> list[str]:
    """Take over folder, environment and streams; the arguments."""
    for n, stream in enumerate(streams):
        os.dup2(stream, n)
        os.close(stream)
    arguments, [folder], environment = (part.split(b"\0") for part in data.split(b"\0\0"))
    os.chdir(folder)
    os.environ.clear()
    os.environb.update(pair.split(b"=", 1) for pair in environment)
    return [os.fsdecode(a) for a in arguments]


def _run(module: str) -> int:
    """Exit code of the module, told as an interpreter tells it."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as e:
        if e.code is None or isinstance(e.code, int):
            return e.code or 0
        print(e.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    option, module, *rest = _serve(socket.socket(fileno=int(sys.argv[1])))
    assert option == "-m", "only modules are started"
    sys.executable = sys.argv[2]
    sys.path[0] = str(Path.cwd())
    sys.argv = [module, *rest]
    code = _run(module)
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # without taking the libraries apart, which would copy all that the forks share
    os._exit(code)
