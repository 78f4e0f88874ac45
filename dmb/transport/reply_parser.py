"""Bytes of a reply as they come -> status, headers and body. The parsing itself is llhttp's, which Node.js uses."""

from __future__ import annotations

import zlib

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

#: An answer to a decision is a few kilobytes; what is larger than this is not read to its end.
LARGEST_REPLY_BYTES = 32 * 1024 * 1024

#: A head that is larger than this is none.
LARGEST_HEAD_BYTES = 256 * 1024
_HEAD_TOO_LARGE = f"the head of the reply is larger than {LARGEST_HEAD_BYTES} bytes"

#: So often a server may say that it is still at work.
MOST_INTERIM_REPLIES = 100

#: Encodings that can be undone, with zlib's own number for each.
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class NotReadable(Exception):
    """The reply is cut off, no HTTP, larger than anybody needs, or packed in a way that cannot be undone."""


class ReplyParser:
    """One reply. What a server says before it (100, 102, 103 …) is read past.

    ``status`` is None until the head is whole; header names are in lower case, and of a name that stands twice the last
    value counts. ``reusable``: whether the connection is fit for another request.
    """

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        # servers that end their lines with a line feed alone have always been understood
        self._parser.set_dangerous_leniencies(lenient_optional_cr_before_lf=True)
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.done = self.reusable = False
        self._parts: list[bytes] = []
        self._n_body_bytes = self._n_head_bytes = self._n_header_bytes = self._n_interim = 0

    # -- called by the library, also for what stands behind the reply

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header, or one that follows a body in chunks."""
        self._n_header_bytes += len(name) + len(value) + 4  # with colon, space and line end
        if not self.done:
            self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """The head is whole."""
        if not self.done:
            self.status = self._parser.get_status_code()

    def on_body(self, data: bytes) -> None:
        """A piece of the body."""
        if not self.done:
            self._parts.append(data)
            self._n_body_bytes += len(data)

    def on_message_begin(self) -> None:
        """A reply begins. Behind another it is bytes that nobody asked for: the next must not be taken from them."""
        self.reusable = False

    def on_message_complete(self) -> None:
        """The reply is whole, or what was said before it."""
        if self.done:
            return
        if self.status is not None and 100 <= self.status < 200:
            self._n_interim += 1
            self.status, self.headers = None, {}
            return
        self.done, self.reusable = True, self._parser.should_keep_alive()

    # -- called by the connection

    def feed(self, data: bytes) -> None:
        """Bytes from the socket; none at its end. Raises ``NotReadable``."""
        if not data:
            self._end()
            return
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            raise NotReadable(f"status {self.status}: the server wants to speak something else") from None
        except HttpParserError as e:
            self.reusable = False
            if not self.done:
                raise NotReadable(f"the reply is no HTTP: {e}") from None
        # whichever way it was cut into pieces
        if self._n_header_bytes > LARGEST_HEAD_BYTES:
            raise NotReadable(_HEAD_TOO_LARGE)
        if self.done:
            return
        if self._n_interim > MOST_INTERIM_REPLIES:
            raise NotReadable(f"more than {MOST_INTERIM_REPLIES} interim replies")
        if self.status is None:
            self._n_head_bytes += len(data)
            if self._n_head_bytes > LARGEST_HEAD_BYTES:
                raise NotReadable(_HEAD_TOO_LARGE)
        elif max(self._n_body_bytes, _length(self.headers)) > LARGEST_REPLY_BYTES:
            raise NotReadable(f"the reply is larger than {LARGEST_REPLY_BYTES} bytes")

    def _end(self) -> None:
        """The connection has ended: that is how a body without a length ends, and how any other is cut off."""
        if self.status is None:
            raise NotReadable("the connection was closed before a whole head had come")
        if "content-length" in self.headers or "chunked" in self.headers.get("transfer-encoding", "").lower():
            raise NotReadable(f"the connection was closed after {self._n_body_bytes} bytes of the body")
        self.done, self.reusable = True, False

    def body(self) -> bytes:
        """The whole body, unpacked: nobody was asked to compress, and some do it all the same. Raises ``NotReadable``:
        what cannot be read could not be scrubbed either."""
        if self._n_body_bytes > LARGEST_REPLY_BYTES:
            raise NotReadable(f"the reply is larger than {LARGEST_REPLY_BYTES} bytes")
        return _unpacked(b"".join(self._parts), self.headers.pop("content-encoding", ""))


def _length(headers: dict[str, str]) -> int:
    written = headers.get("content-length", "")
    return int(written) if written.isdecimal() else 0


def _unpacked(body: bytes, encoding: str) -> bytes:
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return body
    if name not in _WINDOWS:
        raise NotReadable(f"the reply is packed as {encoding!r}, which nobody asked for")
    packed = zlib.decompressobj(_WINDOWS[name])
    try:
        data = packed.decompress(body, LARGEST_REPLY_BYTES + 1)
    except zlib.error:
        raise NotReadable(f"the reply is no {name}") from None
    if len(data) > LARGEST_REPLY_BYTES:
        raise NotReadable(f"the reply is larger than {LARGEST_REPLY_BYTES} bytes")
    if not packed.eof:
        raise NotReadable(f"the reply is no whole {name}")
    return data
