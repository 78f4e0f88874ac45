"""The socket: connections in, requests to the service, responses out as they are to leave. One thread, one loop."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable

from dmb.simulate.http1 import BadHttp, HttpRequest, Reader, head
from dmb.simulate.render import Response
from dmb.simulate.speakers import MAX_BODY

#: While a reply is due, so much is taken in of what follows; then the client has to wait.
_HELD = 256 * 1024

#: Between the last bytes and a reset, so that the bytes arrive.
_BEFORE_RESET_S = 0.01


class Connection(asyncio.Protocol):
    """One client. ``respond``, ``answered`` and ``left`` are the service's; ``open_ones`` holds it while it is connected."""

    def __init__(
        self,
        respond: Callable[[HttpRequest], Response],
        answered: Callable[[], None],
        left: Callable[[Response], None],
        open_ones: set[asyncio.Transport],
    ) -> None:
        self._respond = respond
        self._answered, self._left = answered, left
        self._open_ones = open_ones
        self._reader = Reader(2 * MAX_BODY)
        self._busy = False
        self._at_work: Response | None = None
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client came."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._open_ones.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """It went."""
        if self._transport is not None:
            self._open_ones.discard(self._transport)
        self._transport = None
        self._leave()

    def data_received(self, data: bytes) -> None:
        """Bytes of a request, or of several."""
        self._reader.feed(data)
        if self._busy:
            if self._reader.held > _HELD and self._transport is not None:
                self._transport.pause_reading()
            return
        self._next()

    def _next(self) -> None:
        try:
            request = self._reader.next()
        except BadHttp as e:
            text = str(e).encode()
            self._write(head(e.status, [("content-type", "text/plain"), ("connection", "close")], len(text)) + text)
            self._close()
            return
        if request is None:
            if self._reader.waits_for_leave:
                self._reader.waits_for_leave = False
                self._write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return
        self._busy = True
        response = self._at_work = self._respond(request)
        if response.delivery.delay_ms:
            self._loop.call_later(response.delivery.delay_ms / 1000, self._send, request, response)
        else:
            self._send(request, response)

    def _send(self, request: HttpRequest, response: Response) -> None:
        if self._transport is None:
            return
        how, body = response.delivery, response.body
        if how.cut_at is None and how.ending != "whole":
            self._break(how.ending)
            return
        headers = [("content-type", response.content_type), *response.headers, ("x-simulated", "true")]
        if not request.keep_alive:
            headers.append(("connection", "close"))
        start = head(response.status, headers, len(body))
        if how.cut_at is not None:
            self._write(start + body[: how.cut_at])
            self._loop.call_later(_BEFORE_RESET_S, self._break, how.ending)
        elif how.drip_bytes:
            self._write(start)
            self._drip(request, response, 0)
        else:
            self._write(start + body)
            self._done(request, response)

    def _drip(self, request: HttpRequest, response: Response, at: int) -> None:
        if self._transport is None:
            return
        how = response.delivery
        self._write(response.body[at : at + how.drip_bytes])
        if at + how.drip_bytes >= len(response.body):
            self._done(request, response)
        else:
            self._loop.call_later(how.drip_ms / 1000, self._drip, request, response, at + how.drip_bytes)

    def _done(self, request: HttpRequest, response: Response) -> None:
        if response.worked and self._transport is not None and not self._transport.is_closing():
            self._answered()
        self._leave()
        if not request.keep_alive:
            self._close()
            return
        self._busy = False
        if self._transport is not None:
            self._transport.resume_reading()
            if self._reader.held:
                # not at once: many requests in one go would nest
                self._loop.call_soon(self._next_if_idle)

    def _leave(self) -> None:
        if self._at_work is not None:
            self._left(self._at_work)
            self._at_work = None

    def _next_if_idle(self) -> None:
        if not self._busy and self._transport is not None:
            self._next()

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    def _close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def _break(self, ending: str) -> None:
        """Close, or end with a reset, which lingering for no time makes of it."""
        if self._transport is None:
            return
        if ending == "reset":
            raw: socket.socket = self._transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()
        else:
            self._transport.close()
