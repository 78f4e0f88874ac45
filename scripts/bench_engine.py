"""What asking costs beside the waiting: DMB's engine, a plain httpx loop and a bare socket against one slow server.

    python scripts/bench_engine.py [--items 1000] [--delay-ms 50] [--rounds 3] [--flat 20000]

All three ask the same questions of a mock Chat Completions server on loopback, which answers each after the delay and
stamps when it had read the request and when it began to write. DMB runs as it does in a cell of a release: a process of
its own, with the raw log, the receipt and, in the second line, the spend ledger. The clients take turns, round by round,
and the middle of each one's figures is printed; absolute times depend on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
ANSWER = json.dumps({"choice_index": 0, "confidence": 0.5})
REPLY = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "mock",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}],
        "usage": {"prompt_tokens": 60, "completion_tokens": 12, "total_tokens": 72},
    }
).encode()
_PLACE = re.compile(rb"ticket (\d+):")


# -- the server


class _Served(asyncio.Protocol):
    delay_s = 0.0
    stamps: dict[int, tuple[int, int]] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            found = re.search(rb"content-length: *(\d+)", head)
            size = int(found[1]) if found else 0
            if len(self.buffer) < end + 4 + size:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + size], self.buffer[end + 4 + size :]
            read = time.monotonic_ns()
            if b"/_stamps" in head:
                out = json.dumps(_Served.stamps).encode()
                _Served.stamps = {}
                self._write(out)
                continue
            place = int(_PLACE.search(body)[1])  # type: ignore[index]
            asyncio.get_running_loop().call_later(self.delay_s, self._answer, place, read)

    def _answer(self, place: int, read: int) -> None:
        _Served.stamps[place] = (read, time.monotonic_ns())
        self._write(REPLY)

    def _write(self, body: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        self.transport.write(head % len(body) + body)  # type: ignore[attr-defined]


async def _serve(delay_ms: float) -> None:
    _Served.delay_s = delay_ms / 1000
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Served, "127.0.0.1", 0, backlog=128)
    print(server.sockets[0].getsockname()[1], flush=True)
    # ends with the process that started it
    await loop.run_in_executor(None, sys.stdin.read)


def _stamps(port: int) -> dict[int, tuple[int, int]]:
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(b"GET /_stamps HTTP/1.1\r\nhost: x\r\n\r\n")
        data = b""
        while b"\r\n\r\n" not in data or len(data.split(b"\r\n\r\n", 1)[1]) < int(
            re.search(rb"content-length: (\d+)", data)[1]  # type: ignore[index]
        ):
            data += s.recv(1 << 20)
    return {int(k): tuple(v) for k, v in json.loads(data.split(b"\r\n\r\n", 1)[1]).items()}


# -- the questions


def _state(n: int) -> str:
    return f"ticket {n}: the invoice of last month names an amount that I never agreed to, please look into it."


def _body(n: int) -> bytes:
    messages = [{"role": "system", "content": "Pick one of: 0. billing 1. bug 2. other"}]
    return json.dumps({"model": "mock", "messages": [*messages, {"role": "user", "content": _state(n)}]}).encode()


# -- the three clients; each prints one JSON row per answer to a file: {n, ms}


def _bare(port: int, slots: int, items: int, out: Path) -> None:
    """One thread and one socket a slot; nothing is parsed but the length."""
    left = iter(range(items))
    lock, rows = threading.Lock(), []

    def work() -> None:
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                with lock:
                    n = next(left, None)
                if n is None:
                    return
                body = _body(n)
                request = (
                    b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(body) + body
                )
                began = time.monotonic_ns()
                s.sendall(request)
                data = s.recv(65536)
                while not data.endswith(REPLY):
                    data += s.recv(65536)
                rows.append({"n": n, "ms": (time.monotonic_ns() - began) / 1e6})

    threads = [threading.Thread(target=work) for _ in range(slots)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    out.write_text("".join(json.dumps(r) + "\n" for r in rows))


def _plain(port: int, slots: int, items: int, out: Path) -> None:
    """The loop that anybody writes first: httpx's async client, trace events, a row a line."""
    import httpx

    url, left = f"http://127.0.0.1:{port}/v1/chat/completions", iter(range(items))

    async def worker(client: httpx.AsyncClient, f) -> None:
        for n in left:
            at: dict[str, int] = {}

            async def trace(name: str, _info: object, at: dict[str, int] = at) -> None:
                at[name] = time.monotonic_ns()

            headers = {"content-type": "application/json", "authorization": "Bearer x"}
            r = await client.post(url, content=_body(n), headers=headers, extensions={"trace": trace})
            answer = json.loads(r.json()["choices"][0]["message"]["content"])
            ms = (at["http11.receive_response_body.complete"] - at["http11.send_request_headers.started"]) / 1e6
            row = {"n": n, "ms": ms, "answer": answer, "request": _body(n).decode(), "response": r.text}
            f.write(json.dumps(row | {"status": r.status_code, "usage": r.json()["usage"]}) + "\n")

    async def main() -> None:
        limits = httpx.Limits(max_connections=slots, max_keepalive_connections=slots)
        with out.open("w", buffering=1) as f:
            async with httpx.AsyncClient(limits=limits, timeout=30) as client:
                await asyncio.gather(*[worker(client, f) for _ in range(slots)])

    asyncio.run(main())


def _dmb(port: int, slots: int, items: int, home: Path, billed: bool) -> list[str]:
    """A run of one cell in ``home``; returns the command that asks it.

    Made in a process of its own: a child's peak memory counts what its parent held when it was started.
    """
    given = [str(port), str(slots), str(items), str(home), "billed" if billed else "free"]
    done = subprocess.run([sys.executable, __file__, "--prepare", *given], check=True, capture_output=True, text=True)
    run, key = done.stdout.split()
    os.environ["DMB_RUN"] = run
    return [sys.executable, "-m", "dmb", "ask", key, "receipt.json"]


def _prepare(port: int, slots: int, items: int, home: Path, billed: bool) -> None:
    """Print the run's id and the first digits of its cell's key."""
    os.chdir(home)
    sys.path.insert(0, str(PROJECT))
    from dmb.canonical import digest
    from dmb.store.files import write_whole
    from dmb.store.layout import items_path, texts_path
    from dmb.store.runs import begin_run
    from dmb.suites.built import Built, BuiltItem, identity_bytes, items_digest, texts_bytes

    options = (("billing", "billing"), ("bug", "bug"), ("other", "other"))
    made = [
        BuiltItem(id=f"i{n}", state=_state(n), option_set="all", gold={"decision": "billing"}) for n in range(items)
    ]
    built = Built(option_sets={"all": options}, items=tuple(made))
    sha = items_digest(built)
    write_whole(items_path("bench", sha), identity_bytes(built))
    write_whole(texts_path("bench", sha), texts_bytes(built))
    entry = {
        "provider": "bench",
        "wire": "chat_completions",
        "model": "mock",
        "settings": {"structured": "json_mode", "temperature": 0, "max_output_tokens": 64},
        "display": {"label": "mock"},
    }
    price = {"provider": "bench", "model": "mock", "input": "0.01", "output": "0.01", "source": "s"}
    cell = {
        "contender": "mock",
        "suite": "bench",
        "number": 1,
        "n_expected": items,
        "entry": entry,
        "provider": {"address": f"http://127.0.0.1:{port}", "billed": billed},
        "lane": {"id": "bench", "concurrency": slots},
        "slots": [{"id": "decision", "kind": "choice"}],
        "policy": {"retry_malformed": 1},
        "protocol": {
            "version": 3,
            "retry_failed": 1,
            "backoff_s": 1.0,
            "cell_deadline_s": 2000,
            "request_timeout_s": 30.0,
        },
        "repeats": 1,
        "instructions": "Which queue?",
        "limit": None,
        "items": {"path": str(items_path("bench", sha)), "sha256": sha},
        "texts": str(texts_path("bench", sha)),
        "train": None,
        "prior": None,
        "keywords": {},
        "release": "bench",
        "prices": [price | {"checked_on": "2026-11-30"}],
        "skip": None,
        "simulated": True,
        "parts": {},
    }
    key = digest({"slots": slots, "items": items})
    budget = {"hard_usd": "60", "soft_usd": "40"}
    run = begin_run(None, "bench", {"release": "bench", "budget": budget, "cells": {key: cell}}, {}, {})
    print(run, key[:16])


# -- measuring

CLIENTS = ("bare socket", "httpx loop", "DMB", "DMB, ledger")


def _client(command: list[str], cwd: Path) -> tuple[float, float, int]:
    """(CPU seconds, peak memory in MB, monotonic ns of the start) of one process."""
    began = time.monotonic_ns()
    child = subprocess.Popen(command, cwd=cwd, env=_environment())
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command} ended with {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, began


def _environment() -> dict[str, str]:
    """As on a machine that has run it before: compiled files are kept, though here in a place of their own."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,
        "PYTHONPATH": str(PROJECT),
        "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "bench-pycache"),
    }


def _middle(values: list) -> object:
    return sorted(values)[len(values) // 2]


def _quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _row(name: str, port: int, slots: int, cpu_s: float, peak_mb: float, began: int, ms: dict[int, float]) -> dict:
    stamps = _stamps(port)
    n = len(stamps)
    if n != len(ms):
        sys.exit(f"{name}: {len(ms)} rows, and the server answered {n} requests")
    span_ms = (max(sent for _, sent in stamps.values()) - min(read for read, _ in stamps.values())) / 1e6
    service_ms = sum(sent - read for read, sent in stamps.values()) / 1e6 / n
    bias = [ms[k] - (sent - read) / 1e6 for k, (read, sent) in stamps.items()]
    return {
        "client": name,
        "slots": slots,
        "overhead_ms": span_ms * slots / n - service_ms,
        "cpu_ms": cpu_s * 1000 / n,
        "bias_p50_ms": _quantile(bias, 0.5),
        "bias_p99_ms": _quantile(bias, 0.99),
        "first_s": (min(read for read, _ in stamps.values()) - began) / 1e9,
        "peak_mb": peak_mb,
    }


def _measure(name: str, port: int, slots: int, items: int, home: Path) -> dict:
    home = Path(tempfile.mkdtemp(dir=home))
    if name.startswith("DMB"):
        command = _dmb(port, slots, items, home, billed="ledger" in name)
        used = _client(command, home)
        rows = [json.loads(line) for line in (home / "runs").glob("*/raw/*.jsonl").__next__().open()]
        ms = {int(r["item"][1:]): r["timing"]["request_ms"] for r in rows}
    else:
        out = home / "rows.jsonl"
        mode = {"bare socket": "bare", "httpx loop": "plain"}[name]
        used = _client([sys.executable, __file__, "--client", mode, str(port), str(slots), str(items), str(out)], home)
        ms = {r["n"]: r["ms"] for r in map(json.loads, out.open())}
    return _row(name, port, slots, *used, ms)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--delay-ms", type=float, default=50.0)
    parser.add_argument("--rounds", type=int, default=3, help="an odd number")
    parser.add_argument(
        "--flat", type=int, default=20000, help="items of the memory check at 16 in flight; 0: leave out"
    )
    parser.add_argument("--client", nargs=5, help=argparse.SUPPRESS)
    parser.add_argument("--prepare", nargs=5, help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        asyncio.run(_serve(args.delay_ms))
        return
    if args.prepare:
        port, slots, items, home, billed = args.prepare
        _prepare(int(port), int(slots), int(items), Path(home), billed == "billed")
        return
    if args.client:
        mode, port, slots, items, out = args.client
        {"bare": _bare, "plain": _plain}[mode](int(port), int(slots), int(items), Path(out))
        return
    with tempfile.TemporaryDirectory() as home:
        _report(args, Path(home))


def _server(delay_ms: float) -> tuple[subprocess.Popen, int]:
    command = [sys.executable, __file__, "--serve", "--delay-ms", str(delay_ms)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    return child, int(child.stdout.readline())


def _report(args: argparse.Namespace, home: Path) -> None:
    server, port = _server(args.delay_ms)
    rows = []
    for name in ("bare socket", "httpx loop", "DMB, ledger"):
        _measure(name, port, 4, 20, home)
    print(
        f"{args.items} items, {args.delay_ms:g} ms at the server, {os.cpu_count()} cores, the middle of {args.rounds}"
    )
    head = (
        f"{'client':<14}{'slots':>6}{'overhead':>10}{'CPU':>9}{'bias p50':>10}{'bias p99':>10}{'first':>8}{'peak':>8}"
    )
    print(head + "\n" + f"{'':<14}{'':>6}{'ms':>10}{'ms/req':>9}{'ms':>10}{'ms':>10}{'s':>8}{'MB':>8}")
    for slots in (4, 16):
        turns = [[_measure(name, port, slots, args.items, home) for name in CLIENTS] for _ in range(args.rounds)]
        for of_one in zip(*turns, strict=True):
            r = {k: _middle([turn[k] for turn in of_one]) for k in of_one[0]}
            rows.append(r)
            print(
                f"{r['client']:<14}{r['slots']:>6}{r['overhead_ms']:>10.2f}{r['cpu_ms']:>9.2f}{r['bias_p50_ms']:>10.2f}"
                f"{r['bias_p99_ms']:>10.2f}{r['first_s']:>8.2f}{r['peak_mb']:>8.0f}",
                flush=True,
            )
    server.stdin.close()  # type: ignore[union-attr]
    server.wait()
    of = {(r["client"], r["slots"]): r for r in rows}
    for slots in (4, 16):
        dmb, plain, bare = (of[name, slots] for name in ("DMB, ledger", "httpx loop", "bare socket"))
        print(
            f"at {slots}: CPU of DMB with ledger is {dmb['cpu_ms'] / plain['cpu_ms']:.2f} of the httpx loop's, "
            f"{of['DMB', slots]['cpu_ms'] / plain['cpu_ms']:.2f} without; bias p99 allowed {2 * bare['bias_p99_ms'] + 5:.1f} ms"
        )
    if args.flat:
        server, port = _server(0.0)
        small = _measure("DMB, ledger", port, 4, 1000, home)
        large = _measure("DMB, ledger", port, 4, args.flat, home)
        server.stdin.close()  # type: ignore[union-attr]
        server.wait()
        print(
            f"peak memory: {small['peak_mb']:.0f} MB at 1,000 items, {large['peak_mb']:.0f} MB at {args.flat:,}: "
            f"ratio {large['peak_mb'] / small['peak_mb']:.2f}"
        )


if __name__ == "__main__":
    main()
