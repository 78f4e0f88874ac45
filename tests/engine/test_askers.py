"""A server on loopback, and what the network does: returned as evidence, never raised."""

from __future__ import annotations

import os
import socket
import threading

import pytest

from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.engine.askers import WireAsker
from dmb.engine.judge import judge
from dmb.engine.serve import ServedModel
from dmb.errors import DmbError
from tests.engine.made_up import SERVED, Server, ask, begin, first_option, planned

REQUEST = Request(
    state="s",
    instructions="q",
    options=("a", "b"),
    slots=(Slot(id="decision", kind="choice"),),
    confidence_definition="p",
)


def asked(address: str, timeout_s: float = 5.0, credential: str | None = None):
    asker = WireAsker("systemone", "m", {}, {}, "lab", address, credential, 1, timeout_s)
    try:
        return put(asker, REQUEST)
    finally:
        asker.close()


def put(asker: WireAsker, request: Request):
    return asker.ask(request, asker.call(request), ("i", 0, 0), request.options)


def says(reply: bytes) -> tuple[socket.socket, str]:
    """A server that sends these bytes, whatever it is asked, and hangs up."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.recv(65536)
            connection.sendall(reply)

    threading.Thread(target=serve, daemon=True).start()
    return server, f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_whole_exchange():
    with Server(first_option) as server:
        a = asked(server.address)
    assert (a.status, a.failure) == (200, None) and b'"choice": "a"' in a.reply
    assert a.request_ms >= a.first_byte_ms > 0 and a.connect_ms > 0 and a.client_wait_ms >= 0


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as s:
        address = f"http://127.0.0.1:{s.getsockname()[1]}"
    a = asked(address)
    assert (a.status, a.reply, a.failure.kind, a.request_ms) == (None, b"", "transport", None)
    assert "refused" in a.failure.detail and not a.sent


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"\x00\xff" * 50,
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nxx",
    ],
    ids=["hung up", "cut off", "bad chunk", "no HTTP", "no gzip"],
)
def test_a_reply_that_is_not_whole_is_a_transport_failure(reply):
    server, address = says(reply)
    with server:
        a = asked(address)
    assert (a.status, a.failure.kind) == (None, "transport")


def test_a_server_that_does_not_answer_is_a_timeout():
    with socket.create_server(("127.0.0.1", 0)) as s:
        a = asked(f"http://127.0.0.1:{s.getsockname()[1]}", timeout_s=0.1)
    assert (a.status, a.failure.kind, a.request_ms) == (None, "timeout", None)


def test_what_a_server_says_before_its_reply_is_read_past():
    """Else the reply itself would be taken for that to the next request on the connection."""
    early = b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            for n in range(3):
                connection.recv(65536)
                body = b'{"n": %d}' % n
                connection.sendall(early + b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        asker = WireAsker(
            "systemone", "m", {}, {}, "lab", f"http://127.0.0.1:{listener.getsockname()[1]}", None, 1, 5.0
        )
        try:
            replies = [put(asker, REQUEST) for _ in range(3)]
        finally:
            asker.close()
    assert [(a.status, a.reply, a.new_connection) for a in replies] == [
        (200, b'{"n": 0}', True),
        (200, b'{"n": 1}', False),
        (200, b'{"n": 2}', False),
    ]


def test_a_server_that_says_that_it_simulates_is_believed_wherever_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def simulating(number, body):
        status, headers, data = first_option(number, body)
        return status, {**headers, "x-simulated": "true"}, data

    with Server(simulating) as server:
        cell = planned("m", SERVED, {"address": server.address, "billed": False})
        assert cell[1]["simulated"] is False
        assert ask(begin(cell), cell).simulated is True


def test_a_redirect_is_not_followed_and_the_credential_stays():
    with Server(first_option) as elsewhere, Server(lambda *_: (307, {"location": elsewhere.address}, b"")) as server:
        a = asked(server.address, credential="k")
        assert a.status == 307 and not elsewhere.sent


def test_a_proxy_in_the_environment_is_not_used(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Server(first_option) as server:
        assert asked(server.address).status == 200


def test_a_question_that_the_wire_cannot_put_is_not_sent():
    request = REQUEST._replace(options=("a", "b", "c"))
    with Server(first_option) as server:
        asker = WireAsker(
            "decisions", "m", {"max_options": 2}, {"shape": "openrouter"}, "lab", server.address, "k", 1, 5.0
        )
        try:
            a = put(asker, request)
            assert not server.sent and not a.sent
            assert put(asker, REQUEST).status == 200
        finally:
            asker.close()
        assert len(server.sent) == 1
    assert (a.failure.kind, a.failure.detail) == ("unsupported", "3 options, and at most 2 are taken")
    assert (a.body, a.status, a.reply, a.request_ms, a.client_wait_ms) == (None, None, b"", None, 0.0)
    assert (a.lag_ms, a.new_connection) == (None, None)
    # scored again from the log, it comes to the same
    verdict = judge(asker.name, a.status, a.headers, a.reply, a.failure, (), request.slots)
    assert (verdict.outcome, verdict.reason) == ("unsupported", a.failure.detail)


# -- a model that is served here


def test_a_served_model_is_waited_for_and_gone_afterwards(tmp_path):
    (tmp_path / "health").write_text("ok")
    model = ServedModel(
        f"python -m http.server {{port}} --bind 127.0.0.1 -d {tmp_path}", "/health", {}, tmp_path / "x/log"
    )
    pid = model._child.pid
    model.close()
    model.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert "GET /health" in (tmp_path / "x/log").read_text()


def test_a_server_that_ends_before_it_is_ready_is_told_with_its_log(tmp_path):
    with pytest.raises(DmbError, match=r"ended with code 3 before it was ready; its output: .*log"):
        ServedModel(
            "python -c 'import os; print(os.environ[\"WORD\"]); raise SystemExit(3)'",
            "/h",
            {"WORD": "boo"},
            tmp_path / "log",
        )
    assert (tmp_path / "log").read_text() == "boo\n"


def test_a_served_model_inherits_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_KEY", "planted")
    monkeypatch.setenv("LAB_MODE", "inherited")
    with pytest.raises(DmbError, match="ended with code 0"):
        ServedModel(
            """python -c 'import os; print(os.environ.get("LAB_KEY"), os.environ["LAB_MODE"])'""",
            "/h",
            {},
            tmp_path / "log",
            ["LAB_KEY"],
        )
    assert (tmp_path / "log").read_text() == "None inherited\n"


def test_a_server_that_is_not_installed_is_told(tmp_path):
    with pytest.raises(DmbError, match=r"'no-such-server' cannot be started .*is its package installed"):
        ServedModel("no-such-server {port}", "/h", {}, tmp_path / "log")
