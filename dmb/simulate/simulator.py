"""The simulator as an object: a server on a loopback port, in a thread of its own."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from dmb.contracts.price import PriceRow
from dmb.contracts.scenario import Scenario
from dmb.simulate.routes import Route
from dmb.simulate.scenarios import FAIR
from dmb.simulate.server import Connection
from dmb.simulate.service import Service, utc_now

T = TypeVar("T")


class Simulator:
    """Serves while it is entered; ``port`` 0 takes a free one.

    ``prices``: rows of data/prices.toml that the bill is made from. ``models``: provider -> the names that it knows;
    None takes any. ``routes``: whole paths beyond those of the known providers. ``key``: the only one that opens, in the place of the scenario's.
    ``now``: what prices and dates in replies go by. Raises ``OSError`` on entering when the port is taken.
    """

    def __init__(
        self,
        scenario: Scenario = FAIR,
        seed: int = 0,
        prices: Sequence[PriceRow] = (),
        models: Mapping[str, Collection[str]] | None = None,
        routes: Mapping[str, Route] | None = None,
        key: str | None = None,
        port: int = 0,
        now: Callable[[], dt.datetime] = utc_now,
    ) -> None:
        if key is not None:
            scenario = scenario.model_copy(update={"key": key})
        self._service = Service(scenario, seed, prices, models, routes, now)
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._open_ones: set[asyncio.Transport] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="simulator", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        except OSError:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        self._in_loop(self._hang_up)
        self._stop()

    @property
    def address(self) -> str:
        """Without a slash at its end; ``/<provider>`` below it stands in the place of that provider's address."""
        assert self._server is not None, "enter it first"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def counts(self) -> dict[str, Any]:
        """What was counted up to now, or up to its end."""
        return self._in_loop(self._service.counts.as_json)

    def about(self) -> dict[str, Any]:
        """Seed, scenario and providers."""
        return self._in_loop(self._service.about)

    def use(self, scenario: Scenario) -> None:
        """Another scenario from now on. Raises ``InputError`` for a fault that there is not."""
        self._in_loop(lambda: self._service.use(scenario))

    async def _listen(self) -> asyncio.Server:
        service = self._service
        return await self._loop.create_server(
            lambda: Connection(service.respond, service.counts.answered, service.left, self._open_ones),
            "127.0.0.1",
            self._port,
            backlog=512,
        )

    def _hang_up(self) -> None:
        assert self._server is not None
        self._server.close()
        for transport in list(self._open_ones):
            transport.abort()

    def _in_loop(self, do: Callable[[], T]) -> T:
        """Carried out between two requests, so that what it sees is whole; after the end at once."""
        if self._loop.is_closed():
            return do()

        async def once() -> T:
            return do()

        return asyncio.run_coroutine_threadsafe(once(), self._loop).result()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
