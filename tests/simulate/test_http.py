"""HTTP as the server speaks it: whole requests out of any pieces, connections that are kept, bytes as they should leave."""

from __future__ import annotations

import itertools
import json
import socket

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmb.contracts.scenario import FaultRule, Scenario
from dmb.simulate import Simulator
from dmb.simulate.http1 import BadHttp, Reader
from tests.simulate.asking import WAYS, plain_client, request

CALL = WAYS["jev"].call(request())
BODY = CALL.body.encode()
HEAD = (
    f"POST /typesafe{CALL.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer k\r\n"
).encode()
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


@pytest.fixture(scope="module")
def simulator():
    with Simulator() as s:
        yield s


def talk(simulator: Simulator, *pieces: bytes, until: int = 1) -> bytes:
    """Send the pieces over one connection and read so many responses."""
    port = int(simulator.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces:
            s.sendall(piece)
        got = b""
        while _complete(got) < until:
            more = s.recv(65536)
            if not more:
                break
            got += more
    return got


def _complete(got: bytes) -> int:
    """How many whole responses there are."""
    n = 0
    while (end := got.find(b"\r\n\r\n")) >= 0:
        head = got[:end].lower()
        if b"100 continue" in head:
            got = got[end + 4 :]
            continue
        at = head.find(b"content-length: ")
        length = int(head[at + 16 :].split(b"\r\n")[0])
        if len(got) < end + 4 + length:
            break
        got = got[end + 4 + length :]
        n += 1
    return n


def test_a_request_may_come_in_any_pieces(simulator):
    pieces = [WHOLE[i : i + 97] for i in range(0, len(WHOLE), 97)]
    got = talk(simulator, *pieces)
    assert got.startswith(b"HTTP/1.1 200 OK\r\n") and b"x-simulated: true" in got


def test_several_requests_on_one_connection_are_answered_in_order(simulator):
    got = talk(simulator, WHOLE * 5, until=5)
    assert got.count(b"HTTP/1.1 200 OK") == 5


def test_the_next_request_waits_for_a_delayed_reply():
    delayed = Scenario(name="s", fault=(FaultRule(do="delay", ms=30, to_request=1),))
    other = WHOLE.replace(b"charged", b"billed_")
    with Simulator(scenario=delayed) as s:
        got = talk(s, WHOLE + other, until=2)
    bodies = [json.loads(part.partition(b"\r\n\r\n")[2]) for part in got.split(b"HTTP/1.1 200 OK")[1:]]
    with Simulator() as s:
        alone = [json.loads(talk(s, w).partition(b"\r\n\r\n")[2]) for w in (WHOLE, other)]
    assert bodies == alone


def test_chunks_are_read(simulator):
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in (BODY[:10], BODY[10:])) + b"0\r\n\r\n"
    got = talk(simulator, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
    assert got.startswith(b"HTTP/1.1 200")
    assert got.partition(b"\r\n\r\n")[2] == talk(simulator, WHOLE).partition(b"\r\n\r\n")[2]


def test_leave_is_given_to_who_waits_for_it(simulator):
    head = HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    port = int(simulator.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
        s.sendall(head)
        assert s.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        s.sendall(BODY)
        assert s.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_connection_that_is_to_be_closed_is(simulator):
    got = talk(simulator, WHOLE.replace(b"Host: x", b"Host: x\r\nConnection: close"), until=2)
    assert got.count(b"HTTP/1.1") == 1 and b"connection: close" in got


@pytest.mark.parametrize(
    "sent, status",
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/2\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 70_000, 400),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000, 431),
    ],
)
def test_what_is_no_request_is_told_so_and_hung_up_on(simulator, sent, status):
    got = talk(simulator, sent, until=2)
    assert got.startswith(b"HTTP/1.1 %d " % status) and b"connection: close" in got
    # and the server still serves
    assert talk(simulator, WHOLE).startswith(b"HTTP/1.1 200")


@given(cuts=st.lists(st.integers(0, len(WHOLE) * 2), max_size=6))
def test_wherever_the_bytes_are_cut_the_requests_are_the_same(cuts):
    sent = WHOLE + WHOLE
    edges = [0, *sorted(cuts), len(sent)]
    reader, found = Reader(10**6), []
    for a, b in itertools.pairwise(edges):
        reader.feed(sent[a:b])
        while (r := reader.next()) is not None:
            found.append(r)
    assert [r.body for r in found] == [BODY, BODY] and reader.held == 0


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    reader = Reader(1000)
    reader.feed(data)
    try:
        while reader.next() is not None:
            pass
    except BadHttp as e:
        assert 400 <= e.status < 500


def drip_of(simulator: Simulator) -> list[bytes]:
    port = int(simulator.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
        s.sendall(WHOLE)
        parts = []
        while _complete(b"".join(parts)) < 1:
            parts.append(s.recv(65536))
    return parts


def test_a_slow_drip_comes_in_pieces():
    with Simulator(scenario=Scenario(name="s", fault=(FaultRule(do="slow_drip", bytes=40, ms=5),))) as s:
        parts = drip_of(s)
    assert len(parts) > 3 and max(map(len, parts[1:])) <= 80


def test_a_cut_reply_announces_more_than_it_sends():
    for do, ending in (("reset_mid_body", ConnectionResetError), ("close_mid_body", None)):
        with Simulator(scenario=Scenario(name="s", fault=(FaultRule(do=do, bytes=12),))) as s:
            port = int(s.address.rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
                sock.sendall(WHOLE)
                got, ended = b"", None
                try:
                    while more := sock.recv(65536):
                        got += more
                except ConnectionResetError as e:
                    ended = type(e)
        head, _, body = got.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200") and len(body) == 12, do
        assert ended is ending, do


def test_a_server_that_ends_leaves_no_connection_and_no_thread():
    import threading

    before = threading.active_count()
    with Simulator() as s, plain_client() as c:
        assert c.get(f"{s.address}/_simulate/about").status_code == 200
        address = s.address
    assert threading.active_count() == before
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/_simulate/about", trust_env=False)


def test_a_taken_port_is_an_oserror_and_leaves_nothing_behind():
    import threading

    before = threading.active_count()
    with Simulator() as s:
        port = int(s.address.rpartition(":")[2])
        with pytest.raises(OSError), Simulator(port=port):
            pass
    assert threading.active_count() == before


@pytest.mark.parametrize(
    "path, fields",
    [
        ("/v1/models", {"object", "data", "models"}),
        ("/openai/v1/models", {"object", "data", "models"}),
        ("/typesafe/v1/models", {"object", "data", "models"}),
        ("/openrouter/api/v1/models", {"object", "data", "models"}),
    ],
)
def test_models_are_listed(path, fields):
    models = {"openai": ["gpt-x"], "typesafe": ["jev-x"], "openrouter": ["or-x"]}
    with Simulator(models=models) as s, httpx.Client(trust_env=False, headers={"authorization": "Bearer k"}) as c:
        listed = c.get(s.address + path).json()
    assert set(listed) == fields
    names = {m["id"] for m in listed["data"]}
    assert names == {m["name"] for m in listed["models"]}
    head = path.split("/")[1]
    assert names == ({"gpt-x", "jev-x", "or-x"} if head == "v1" else set(models[head]))
