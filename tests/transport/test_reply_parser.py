"""A reply comes to the same however the network has cut it into pieces."""

from __future__ import annotations

import pytest

from dmb.transport.reply_parser import LARGEST_HEAD_BYTES, NotReadable, ReplyParser

HEAD = b"HTTP/1.1 200 OK\r\n"
REPLIES = {
    "with a length": HEAD + b"content-length: 2\r\nx: " + b"y" * 3000 + b"\r\n\r\n{}",
    "in chunks": HEAD + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nlast: one\r\n\r\n",
    "of many headers": HEAD + b"a: b\r\n" * 50_000 + b"content-length: 2\r\n\r\n{}",
    "of a long header": HEAD + b"a: " + b"b" * LARGEST_HEAD_BYTES + b"\r\ncontent-length: 2\r\n\r\n{}",
    "of just too many": HEAD + b"a: b\r\n" * (LARGEST_HEAD_BYTES // 6 + 1) + b"content-length: 2\r\n\r\n{}",
}


def comes_to(reply: bytes, piece: int) -> tuple[int | None, bytes] | str:
    parser = ReplyParser()
    try:
        for at in range(0, len(reply), piece):
            parser.feed(reply[at : at + piece])
    except NotReadable as e:
        return str(e)
    return parser.status, parser.body()


@pytest.mark.parametrize(("name", "wanted"), [("with a length", (200, b"{}")), ("in chunks", (200, b"{}"))])
@pytest.mark.parametrize("piece", [1, 7, 1000, 65536])
def test_a_reply_is_read_in_pieces_of_any_size(name, wanted, piece):
    assert comes_to(REPLIES[name], piece) == wanted


@pytest.mark.parametrize("name", ["of many headers", "of a long header", "of just too many"])
@pytest.mark.parametrize("piece", [999, 65536, LARGEST_HEAD_BYTES, 1_000_000])
def test_a_head_that_is_too_large_is_refused_in_pieces_of_any_size(name, piece):
    assert "the head of the reply is larger than" in comes_to(REPLIES[name], piece)
