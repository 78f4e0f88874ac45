"""HTTP/1.1 as far as a loopback server needs it: whole requests out of bytes, and a response's head. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

#: Lines and headers together.
MAX_HEAD = 64 * 1024


class BadHttp(Exception):
    """Bytes that are no request; the connection gets this status and is closed."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """``headers`` have lower-case names; of a name that stands twice the last counts."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keep_alive: bool


class Reader:
    """Bytes as they come -> requests. ``most``: bytes of a body at most; ``waits_for_leave`` says 100-continue is due."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = bytearray()
        self._head: tuple[str, str, dict[str, str], bool] | None = None
        self._length: int | None = 0
        self._chunks: list[bytes] = []
        self._taken = 0
        self.waits_for_leave = False

    def feed(self, data: bytes) -> None:
        """More bytes of the connection."""
        self._bytes += data

    @property
    def held(self) -> int:
        """Bytes that are not read yet."""
        return len(self._bytes)

    def next(self) -> HttpRequest | None:
        """The next whole request; None while it is not whole. Raises ``BadHttp``."""
        if self._head is None and not self._read_head():
            return None
        body = self._chunked() if self._length is None else self._counted(self._length)
        if body is None:
            return None
        assert self._head is not None
        method, path, headers, keep = self._head
        self._head = None
        return HttpRequest(method, path, headers, body, keep)

    def _read_head(self) -> bool:
        end = self._bytes.find(b"\r\n\r\n")
        if end < 0:
            if len(self._bytes) > MAX_HEAD:
                raise BadHttp(431, "the headers are too long")
            return False
        lines = bytes(self._bytes[:end]).decode("latin-1").split("\r\n")
        del self._bytes[: end + 4]
        parts = lines[0].split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
            raise BadHttp(400, "no HTTP/1.1 request")
        headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon:
                raise BadHttp(400, "a header without a colon")
            headers[name.strip().lower()] = value.strip()
        keep = headers.get("connection", "").lower() != "close" and parts[2] != "HTTP/1.0"
        self._head = (parts[0], parts[1], headers, keep)
        self._length = _length(headers)
        if (self._length or 0) > self._most:
            raise BadHttp(413, f"a body of at most {self._most} bytes is read")
        self.waits_for_leave = headers.get("expect", "").lower() == "100-continue"
        return True

    def _counted(self, length: int) -> bytes | None:
        if len(self._bytes) < length:
            return None
        body = bytes(self._bytes[:length])
        del self._bytes[:length]
        return body

    def _chunked(self) -> bytes | None:
        """Chunk by chunk; the whole once the last is there."""
        while (end := self._bytes.find(b"\r\n")) >= 0:
            size = _chunk_size(bytes(self._bytes[:end]))
            if self._taken + size > self._most:
                raise BadHttp(413, f"a body of at most {self._most} bytes is read")
            start = end + 2
            if len(self._bytes) < start + size + 2:
                return None
            chunk = bytes(self._bytes[start : start + size])
            del self._bytes[: start + size + 2]
            if not chunk:
                body = b"".join(self._chunks)
                self._chunks, self._taken = [], 0
                return body
            self._chunks.append(chunk)
            self._taken += size
        if len(self._bytes) > MAX_HEAD:
            raise BadHttp(400, "a chunk without its size")
        return None


def _chunk_size(line: bytes) -> int:
    text = line.partition(b";")[0].strip()
    if not re.fullmatch(rb"[0-9a-fA-F]{1,8}", text):
        raise BadHttp(400, "a chunk without its size")
    return int(text, 16)


def _length(headers: Mapping[str, str]) -> int | None:
    """Bytes of the body; None where it comes in chunks."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return None
    text = headers.get("content-length", "0")
    if not (text.isascii() and text.isdigit()):
        raise BadHttp(400, "the content length is no number")
    return int(text)


def head(status: int, headers: list[tuple[str, str]], length: int) -> bytes:
    """Status line and headers of a response whose body has that length."""
    try:
        reason = HTTPStatus(status).phrase
    except ValueError:
        reason = "Simulated"
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{n}: {v}" for n, v in headers), f"content-length: {length}", "", ""]
    return "\r\n".join(lines).encode("latin-1")
