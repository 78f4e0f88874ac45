"""One request in, one response out: routing, refusing, answering, counting. No socket."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from dmb.canonical import canonical_json, digest
from dmb.contracts.price import PriceRow
from dmb.contracts.scenario import Scenario
from dmb.errors import InputError
from dmb.simulate.asked import Asked, Refused
from dmb.simulate.bodies_in import json_object, request_digest
from dmb.simulate.compose import compose
from dmb.simulate.counts import Counts
from dmb.simulate.credentials import check_key, credential
from dmb.simulate.draft import Draft
from dmb.simulate.draws import Draw
from dmb.simulate.faults import apply_fault
from dmb.simulate.http1 import HttpRequest
from dmb.simulate.render import Response, refusal, render
from dmb.simulate.routes import Route, find_route, speaker_of
from dmb.simulate.scenarios import check_scenario, matching_rule, read_scenario
from dmb.simulate.speakers import LOCAL, SPEAKERS
from dmb.simulate.speech import SPEECH

_CONTROL = "/_simulate/"

#: Listed where no release says which models there are.
_MODELS = ("jev-latest", "jev-preview", "jev-1.13.0", "jev-1.14.0")


def utc_now() -> dt.datetime:
    """Now, aware."""
    return dt.datetime.now(dt.UTC)


class Service:
    """``models``: provider -> the names it knows; None takes any. ``routes``: whole paths beyond the known ones.

    ``now``: what prices and dates in replies go by.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        prices: Sequence[PriceRow],
        models: Mapping[str, Collection[str]] | None = None,
        routes: Mapping[str, Route] | None = None,
        now: Callable[[], dt.datetime] = utc_now,
    ) -> None:
        self.seed = seed
        self.counts = Counts(prices, now)
        self._now = now
        self._models = models
        self._routes = routes or {}
        self.use(scenario)

    def use(self, scenario: Scenario) -> None:
        """Another scenario from now on. Raises ``InputError`` for a fault that there is not."""
        check_scenario(scenario, scenario.name)
        self._scenario = scenario
        self._scenario_digest = digest(scenario.model_dump(mode="json", exclude_none=True))

    def about(self) -> dict[str, Any]:
        """What this server is."""
        return {
            "simulated": True,
            "seed": self.seed,
            "scenario": {"name": self._scenario.name, "digest": self._scenario_digest},
            "providers": sorted(SPEAKERS if self._models is None else self._models),
        }

    def respond(self, http: HttpRequest) -> Response:
        """The answer to any request."""
        if http.path.startswith(_CONTROL):
            return self._control(http)
        route = self._routes.get(http.path) or find_route(http.path)
        if route is None:
            return refusal(speaker_of(http.path), Refused("no_route", f"no such path: {http.path[:200]}"), "none")
        if route.wire == "models":
            return self._list_models(http, route)
        if http.method != "POST":
            return refusal(route.speaker, Refused("method", "use POST"), "none")
        self.counts.entered(route.provider)
        response = self._ask(http, route)
        response.provider = route.provider
        return response

    def left(self, response: Response) -> None:
        """A response has gone out, or its client has gone."""
        if response.provider is not None:
            self.counts.left(response.provider)

    def _ask(self, http: HttpRequest, route: Route) -> Response:
        asked: Asked | None = None
        try:
            asked = self._asked(http, route)
            check_key(route.speaker, http.headers, self._scenario.key)
            understood = SPEECH[route.wire].understand(asked)
            self._check_model(asked)
            longest = self._scenario.context_tokens.get(asked.provider, asked.speaker.context_tokens)
            draft = compose(asked, understood, longest)
        except Refused as e:
            return self._refuse(e, http, route, asked)
        draft.delivery.delay_ms = self._scenario.delay_ms + self._scenario.jitter_ms * asked.draw.fraction("jitter")
        if (found := matching_rule(self._scenario, asked)) is not None:
            apply_fault(found[1], draft)
            self.counts.applied(found[1].do)
        self._bill(draft)
        response = render(draft)
        broken = response.delivery.ending
        self.counts.ended(asked.provider, asked.model, str(response.status) if broken == "whole" else broken)
        return response

    def _asked(self, http: HttpRequest, route: Route) -> Asked:
        try:
            body = json_object(http)
            model = route.model if route.model is not None else body.get("model")
            if not isinstance(model, str) or not model:
                raise Refused("bad_request", "model: is required", "model", "missing")
            model = self._name(route.provider, model)
            name = request_digest(body, model)
        except Refused:
            # nobody can tell what is asked here: all such requests to a path are one. Who has no key learns only that
            self.counts.arrived(route.provider, digest(http.path))
            check_key(route.speaker, http.headers, self._scenario.key)
            raise
        number, attempt = self.counts.arrived(route.provider, name)
        return Asked(
            provider=route.provider,
            speaker=route.speaker,
            wire=route.wire,
            shape=route.shape,
            model=model,
            body=body,
            headers=http.headers,
            draw=Draw(self.seed, name),
            number=number,
            attempt=attempt,
            key=credential(route.speaker, http.headers),
            at=self._now(),
        )

    def _name(self, provider: str, model: str) -> str:
        """Cloudflare's paths name a model in full; prices and contenders may use its last word."""
        if not model.startswith("@cf/"):
            return model
        known = (self._models or {}).get(provider, ())
        return model if model in known or self.counts.has_price(provider, model) else model.rpartition("/")[2]

    def _check_model(self, asked: Asked) -> None:
        if self._models is not None and asked.model not in self._models.get(asked.provider, ()):
            raise Refused("unknown_model", f"model {asked.model[:100]} does not exist", "model")

    def _refuse(self, e: Refused, http: HttpRequest, route: Route, asked: Asked | None) -> Response:
        draw = asked.draw if asked else Draw(self.seed, digest(http.path))
        response = refusal(route.speaker, e, draw.word("request id"))
        response.delivery.delay_ms = self._scenario.delay_ms
        self.counts.ended(route.provider, asked.model if asked else "", str(response.status))
        return response

    def _bill(self, draft: Draft) -> None:
        """A model that worked is billed, whatever becomes of the reply. A server of one's own without a price bills nobody."""
        if not draft.worked:
            return
        asked = draft.asked
        usd = self.counts.price(asked, draft.tokens)
        draft.charge_usd = None if usd is None else usd * draft.charge_factor
        if usd is not None or asked.speaker is not LOCAL:
            self.counts.bill(asked.provider, asked.model, draft.charge_usd)

    def _list_models(self, http: HttpRequest, route: Route) -> Response:
        try:
            check_key(route.speaker, http.headers, self._scenario.key)
        except Refused as e:
            return refusal(route.speaker, e, "none")
        names = (
            _MODELS
            if self._models is None
            else sorted({m for p, ms in self._models.items() if route.provider in ("", p) for m in ms})
        )
        # both in one: each client reads the half that it knows
        listed = {
            "object": "list",
            "data": [{"id": n, "object": "model", "created": 0, "owned_by": "simulated"} for n in names],
            "models": [{"name": n, "description": "simulated", "release_date": "2026-11-30"} for n in names],
        }
        return _json(200, listed)

    def _control(self, http: HttpRequest) -> Response:
        what = (http.method, http.path.removeprefix(_CONTROL).partition("?")[0])
        if what == ("GET", "about"):
            return _json(200, self.about())
        if what == ("GET", "counts"):
            return _json(200, self.counts.as_json())
        if what == ("PUT", "scenario"):
            return self._replace_scenario(http.body)
        return _json(404, {"error": "there are GET about, GET counts and PUT scenario here"})

    def _replace_scenario(self, text: bytes) -> Response:
        try:
            self.use(read_scenario(text.decode("utf-8"), "scenario", self._models or ()))
        except UnicodeDecodeError:
            return _json(400, {"error": "scenario: is no UTF-8 text"})
        except InputError as e:
            return _json(400, {"error": str(e)})
        return _json(200, self.about())


def _json(status: int, value: Any) -> Response:
    return Response(status, "application/json", canonical_json(value).encode("utf-8"))
