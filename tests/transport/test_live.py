"""Replies that are packed, and secrets in what the network makes of a request. The rest is in tests/engine/test_askers.py."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import zlib

import pytest

from dmb.transport.exchange import Exchange
from dmb.transport.live import LONGEST_ERROR, LiveTransport
from dmb.transport.reply_parser import LARGEST_REPLY_BYTES
from dmb.transport.scrub import BLOT

SECRET = "sk-planted/0123+456789"
PACKED = gzip.compress(b"{}" * 1000, mtime=0)


def exchanged(*parts: bytes) -> Exchange:
    """What comes of a request to a server that sends these bytes and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            # whoever has the whole reply may hang up on what follows
            with connection, contextlib.suppress(ConnectionResetError, BrokenPipeError):
                connection.recv(65536)
                for part in parts:
                    connection.sendall(part)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        transport = LiveTransport(f"http://127.0.0.1:{server.getsockname()[1]}/v9", 20.0, (SECRET,))
        try:
            return transport.send("POST", "/x", "{}", {"authorization": f"Bearer {SECRET}"})
        finally:
            transport.close()
            thread.join(5)


def packed(encoding: str, body: bytes) -> Exchange:
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\ncontent-length: {len(body)}\r\n\r\n"
    return exchanged(head.encode(), body)


@pytest.mark.parametrize(
    "encoding, body",
    [
        ("gzip", gzip.compress(b"{}", mtime=0)),
        ("x-gzip", gzip.compress(b"{}", mtime=0)),
        ("GZIP", gzip.compress(b"{}", mtime=0)),
        ("deflate", zlib.compress(b"{}")),
        ("identity", b"{}"),
    ],
    ids=["gzip", "x-gzip", "capitals", "deflate", "identity"],
)
def test_what_is_packed_is_unpacked_and_then_scrubbed(encoding, body):
    x = packed(encoding, body)
    assert (x.status, x.body, x.error) == (200, b"{}", None)
    pack = {"deflate": zlib.compress, "identity": bytes}.get(encoding, gzip.compress)
    x = packed(encoding, pack(f'{{"error": "{SECRET}"}}'.encode()))
    assert (x.body, x.n_scrubbed) == (f'{{"error": "{BLOT}"}}'.encode(), 1)


@pytest.mark.parametrize(
    "encoding, body, words",
    [
        ("br", b"x", "packed as 'br'"),
        ("gzip, gzip", gzip.compress(PACKED, mtime=0), "packed as 'gzip, gzip'"),
        ("gzip", b"xx", "is no gzip"),
        ("gzip", PACKED[:-9], "is no whole gzip"),
        ("gzip", b"", "is no whole gzip"),
        ("deflate", b"{}", "is no deflate"),
    ],
    ids=["br", "twice", "no gzip", "cut off", "empty", "no deflate"],
)
def test_what_cannot_be_unpacked_is_not_kept(encoding, body, words):
    """It would stand in the log as it came, with whatever is in it."""
    x = packed(encoding, body)
    assert (x.status, x.body, x.timed_out) == (None, b"", False) and words in x.error


def test_a_small_reply_that_unpacks_to_a_huge_one_is_given_up():
    pack = zlib.compressobj(9, wbits=31)
    bomb = b"".join(pack.compress(bytes(1 << 20)) for _ in range(LARGEST_REPLY_BYTES // (1 << 20) + 8)) + pack.flush()
    assert len(bomb) < 100_000
    x = packed("gzip", bomb)
    assert (x.status, x.body) == (None, b"") and "larger than" in x.error


@pytest.mark.parametrize(
    "reply",
    [
        f"HTTP/1.1 {SECRET} OK\r\n\r\n",
        f"{SECRET}\r\n\r\n",
        f"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{SECRET}\r\n",
        f"HTTP/1.1 200 OK\r\ncontent-encoding: {SECRET}\r\ncontent-length: 1\r\n\r\nx",
        f"HTTP/1.1 200 OK\r\nx-{SECRET}: 1\r\n" + f"a: {SECRET}\r\n" * 120 + "\r\n",
    ],
    ids=["status", "no HTTP", "chunk", "encoding", "headers"],
)
def test_an_error_does_not_repeat_the_key(reply):
    x = exchanged(reply.encode())
    assert x.error is not None and x.status is None
    assert SECRET not in repr(x) and len(x.error) <= LONGEST_ERROR


def test_a_long_error_is_cut_after_it_is_scrubbed():
    # the limit falls into the key
    x = packed("z" * (LONGEST_ERROR - 50) + SECRET + "z" * 500, b"x")
    assert len(x.error) == LONGEST_ERROR and "sk-" not in x.error and x.n_scrubbed == 1


def test_headers_are_scrubbed_and_counted():
    head = f"HTTP/1.1 307 Moved {SECRET}\r\nlocation: https://elsewhere/?key=sk-planted%2F0123%2B456789\r\nx-you-sent: Bearer {SECRET}\r\n"
    x = exchanged(head.encode(), b"content-length: 0\r\n\r\n")
    assert x.headers["location"] == f"https://elsewhere/?key={BLOT}"
    assert x.headers["x-you-sent"] == f"Bearer {BLOT}" and x.n_scrubbed == 2
    assert SECRET not in repr(x)


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "reply",
    [
        HEAD + b"content-length: 2\r\n\r\n{}",
        HEAD + b"transfer-encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\nx-after: 1\r\n\r\n",
        HEAD + b"\r\n{}",
        b"HTTP/1.0 200 OK\r\n\r\n{}",
        b"HTTP/1.1 200 OK\ncontent-length: 2\n\n{}",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n" + HEAD + b"content-length: 2\r\n\r\n{}",
        HEAD + b"content-length: 2\r\n\r\n{}and more that nobody asked for",
    ],
    ids=["length", "chunks", "until the end", "HTTP/1.0", "line feeds", "interim", "bytes after it"],
)
@pytest.mark.parametrize("by_drops", [False, True], ids=["whole", "by drops"])
def test_a_body_ends_where_its_head_says(reply, by_drops):
    x = exchanged(*(bytes([b]) for b in reply)) if by_drops else exchanged(reply)
    assert (x.status, x.body, x.error) == (200, b"{}", None)
    assert "link" not in x.headers


@pytest.mark.parametrize(
    "reply, words",
    [
        (b"", "before a whole head"),
        (HEAD + b"content-le", "before a whole head"),
        (HEAD + b"content-length: 9\r\n\r\n{}", "after 2 bytes"),
        (HEAD + b"transfer-encoding: chunked\r\n\r\n9\r\n{}", "after 2 bytes"),
        (HEAD + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n", "after 2 bytes"),
        (HEAD + b"content-length: x\r\n\r\n{}", "is no HTTP"),
        (HEAD + b"content-length: 1\r\ncontent-length: 2\r\n\r\n{}", "is no HTTP"),
        (HEAD + b"content-length: 99999999999\r\n\r\n", "larger than"),
        (HEAD + b"a: b\r\n" * 50_000 + b"\r\n", "larger than"),
        (b"HTTP/1.1 102 Wait\r\n\r\n" * 200, "interim"),
        (b"HTTP/1.1 101 Switch\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "something else"),
    ],
)
def test_what_is_no_whole_reply_is_told(reply, words):
    x = exchanged(reply)
    assert (x.status, x.body, x.request_ms) == (None, b"", None) and words in x.error


def test_bytes_after_a_reply_are_not_taken_for_the_next_one():
    """A connection that holds more than was asked for is given up, whether the rest came with the reply or after it."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for n in range(2):
                connection, _ = server.accept()
                connection.recv(65536)
                body = b"{%d}" % n
                connection.sendall(
                    HEAD + b"content-length: 3\r\n\r\n" + body + HEAD + b"content-length: 5\r\n\r\nwrong"
                )
                held.append(connection)

        held: list[socket.socket] = []
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        transport = LiveTransport(f"http://127.0.0.1:{server.getsockname()[1]}", 20.0)
        replies = [transport.send("POST", "/x", "{}", {}) for _ in range(2)]
        transport.close()
        thread.join(5)
        for connection in held:
            connection.close()
    assert [x.body for x in replies] == [b"{0}", b"{1}"] and all(x.new_connection for x in replies)


@pytest.mark.parametrize(
    "path, headers",
    [("/x y", {}), ("/x\r\nhost: evil", {}), ("/x", {"authorization": f"Bearer {SECRET}\n"}), ("/x", {"a": "\u20ac"})],
    ids=["space", "line break", "key with a line break", "no latin-1"],
)
def test_a_head_that_would_be_read_otherwise_is_not_sent(path, headers):
    transport = LiveTransport("http://127.0.0.1:9", 20.0, (SECRET,))
    x = transport.send("POST", path, "{}", headers)
    assert x.error.startswith(("ValueError", "UnicodeEncodeError")) and not x.sent and SECRET not in repr(x)
