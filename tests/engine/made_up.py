"""A small suite, its plan, and a server on loopback: what a cell needs to be asked in a scratch folder."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dmb.canonical import digest
from dmb.contracts.receipt import Receipt
from dmb.engine.cell import ask_cell
from dmb.engine.clock import REAL, Clock
from dmb.store.files import write_whole
from dmb.store.layout import items_path, receipt_path, texts_path
from dmb.store.receipts import load_receipt
from dmb.store.runs import begin_run
from dmb.suites.built import Built, BuiltItem, identity_bytes, items_digest, texts_bytes

OPTIONS = (("refund", "Money back"), ("bug", "A fault"), ("other", "Something else"))
STATES = ("I want my money", "It is broken", "Hello", "Where\u2028are you?", "è possibile?", "Bye")
BUILT = Built(
    option_sets={"all": OPTIONS},
    items=tuple(
        BuiltItem(
            id=f"i{n}",
            state=s,
            option_set="all",
            gold={"decision": OPTIONS[n % 3][0]},
            order=((0, 1, 2), (2, 1, 0))[n % 2],
        )
        for n, s in enumerate(STATES)
    ),
)
RANDOM = {"provider": "in-process", "baseline": "random", "model": "random", "display": {"label": "Random"}}
SERVED = {"provider": "lab", "wire": "systemone", "model": "m-1", "display": {"label": "M"}}


def planned(
    contender: str = "random",
    entry: dict = RANDOM,
    provider: dict | None = None,
    built: Built = BUILT,
    **changes: Any,
) -> tuple[str, dict]:
    """(cell key, what a run's plan says of it); the items lie in the current folder afterwards."""
    items = items_digest(built)
    for path, data in ((items_path("s", items), identity_bytes(built)), (texts_path("s", items), texts_bytes(built))):
        if not path.exists():
            write_whole(path, data)
    parts = {"contender": entry, "items": items, "limit": changes.get("limit")}
    protocol = {"version": 3, "retry_failed": 1, "backoff_s": 0.0, "cell_deadline_s": 2000, "request_timeout_s": 5.0}
    job = {
        "contender": contender,
        "suite": "s",
        "number": 1,
        "n_expected": len(built.items),
        "entry": entry,
        "provider": (provider := provider or {"billed": False}),
        "lane": {"id": entry["provider"], "concurrency": provider.get("concurrency", 4)},
        "prices": [],
        "release": "v9",
        "slots": [{"id": "decision", "kind": "choice"}],
        "policy": {"retry_malformed": 1},
        "protocol": protocol | changes.pop("protocol", {}),
        "repeats": 1,
        "instructions": "Which?",
        "limit": None,
        "items": {"path": str(items_path("s", items)), "sha256": items},
        "texts": str(texts_path("s", items)),
        "train": None,
        "prior": None,
        "keywords": {},
        "skip": None,
        "simulated": False,
        "parts": parts,
    }
    return digest(parts | {"name": contender}), job | changes


def begin(*cells: tuple[str, dict]) -> str:
    """A run that is to ask these cells."""
    budget = {"hard_usd": "60", "soft_usd": "40"}
    return begin_run(None, "v9", {"release": "v9", "budget": budget, "cells": dict(cells)}, {}, {})


def ask(run: str, cell: tuple[str, dict], clock: Clock = REAL) -> Receipt:
    """Ask one of them and read its receipt."""
    ask_cell(run, cell[0][:16], receipt_of(cell), clock)
    return load_receipt(receipt_of(cell))


def receipt_of(cell: tuple[str, dict]) -> Path:
    """Where the cell's receipt belongs."""
    return receipt_path(cell[1]["contender"], "s", cell[0], cell[1]["number"])


class Server:
    """Answers each request with ``answer(number, body) -> (status, headers, bytes)`` and keeps what it was sent."""

    def __init__(self, answer: Callable[[int, dict], tuple[int, dict, bytes]]) -> None:
        self.answer = answer
        self.sent: list[tuple[str, dict, dict]] = []
        self.most_at_once = self._now = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer._lock:
                    outer.sent.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                    number = len(outer.sent)
                    outer._now += 1
                    outer.most_at_once = max(outer.most_at_once, outer._now)
                status, headers, data = outer.answer(number, body)
                with outer._lock:
                    outer._now -= 1
                self.send_response(status)
                for name, value in {"content-length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Server:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


def first_option(_number: int, body: dict) -> tuple[int, dict, bytes]:
    """A System One server that always takes the first option."""
    (slot, question), *_ = body["questions"].items()
    first, *rest = question["criteria"]
    answer = {
        "type": "choice",
        "choice": first,
        "confidence": 0.7,
        "probabilities": {first: 0.8, **dict.fromkeys(rest, 0.1)},
    }
    usage = {"input_tokens": 10, "output_tokens": 1}
    return 200, {}, json.dumps({"model": "m-1-dated", "answers": {slot: answer}, "usage": usage}).encode()


@contextmanager
def unchanged(folder: Path):
    """Every file below the folder is the same afterwards, byte for byte, and none came or went."""
    before = {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    yield
    assert {p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()} == before
