"""One request in, one response out: routing, refusing, answering, counting. No socket."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dmb.canonical import canonical_json, digest
from dmb.contracts.price import PriceRow
from dmb.contracts.scenario import Scenario
from dmb.simulate.asked import Asked, Refused
from dmb.simulate.compose import compose
from dmb.simulate.counts import Counts
from dmb.simulate.credentials import check_key, credential
from dmb.simulate.draws import Draw
from dmb.simulate.faults import apply_fault
from dmb.simulate.http1 import HttpRequest
from dmb.simulate.render import Response, refusal, render
from dmb.simulate.routes import Route, find_route, speaker_of
from dmb.simulate.scenarios import matching_rule, read_scenario
from dmb.simulate.speakers import SPEAKERS
from dmb.simulate.speech import SPEECH
from dmb.simulate.speech.systemone import ordered

_CONTROL = "/_simulate/"


class Service:
    """``models``: what each provider knows; None where it takes any name."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        prices: Sequence[PriceRow],
        models: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.scenario = scenario
        self.seed = seed
        self.models = models
        self.counts = Counts(prices, lambda: dt.datetime.now(dt.UTC))

    def about(self) -> dict[str, Any]:
        """What this server is."""
        return {
            "simulated": True,
            "seed": self.seed,
            "scenario": {
                "name": self.scenario.name,
                "digest": digest(self.scenario.model_dump(mode="json", exclude_none=True)),
            },
            "providers": sorted(self.models if self.models is not None else SPEAKERS),
        }

    def respond(self, http: HttpRequest) -> Response:
        """The answer to any request."""
        if http.path.startswith(_CONTROL):
            return self._control(http)
        route = find_route(http.path)
        if route is None:
            return refusal(speaker_of(http.path), Refused("no_route", f"no such path: {http.path[:200]}"), "none")
        if route.wire == "models":
            return self._models(http, route)
        if http.method != "POST":
            return refusal(route.speaker, Refused("method", "use POST"), "none")
        return self._ask(http, route)

    def _ask(self, http: HttpRequest, route: Route) -> Response:
        asked: Asked | None = None
        try:
            check_key(route.speaker, http.headers, self.scenario.key)
            asked = self._asked(http, route)
            understood = SPEECH[route.wire].understand(asked)
            self._check_model(asked)
            draft = compose(asked, understood, self.scenario.context_for(asked.provider, asked.speaker.context_tokens))
        except Refused as e:
            return self._refuse(e, http, route, asked)
        draft.delivery.delay_ms = self.scenario.delay_ms + self.scenario.jitter_ms * asked.draw.fraction("jitter")
        table = self.counts.price(asked.provider, asked.model, draft.tokens)
        draft.charge_usd = table
        if (rule := matching_rule(self.scenario, asked)) is not None:
            apply_fault(rule, draft)
            table = self.counts.price(asked.provider, asked.model, draft.tokens)
            draft.charge_usd = None if table is None else table * draft.charge_factor
        response = render(draft)
        if draft.worked:
            self.counts.bill(asked.provider, asked.model, draft.charge_usd)
        ending = response.delivery.ending
        self.counts.ended(asked.provider, asked.model, str(response.status) if ending == "whole" else ending)
        return response

    def _refuse(self, e: Refused, http: HttpRequest, route: Route, asked: Asked | None) -> Response:
        if asked is None:
            # nobody can tell what was asked: all such requests to a path are one
            draw = Draw(self.seed, digest(http.path))
            self.counts.arrived(route.provider, digest(http.path))
        else:
            draw = asked.draw
        response = refusal(route.speaker, e, draw.word("request id"))
        response.delivery.delay_ms = float(self.scenario.delay_ms)
        self.counts.ended(route.provider, asked.model if asked else "", str(response.status))
        return response

    def _asked(self, http: HttpRequest, route: Route) -> Asked:
        body = _json_object(http)
        model = route.model if route.model is not None else body.get("model")
        if not isinstance(model, str) or not model:
            raise Refused("bad_request", "model: is required", "model", "missing")
        body_digest = _digest(body, model)
        number, attempt = self.counts.arrived(route.provider, body_digest)
        return Asked(
            provider=route.provider,
            speaker=route.speaker,
            wire=route.wire,
            shape=route.shape,
            model=model,
            body=body,
            headers=http.headers,
            digest=body_digest,
            draw=Draw(self.seed, body_digest),
            number=number,
            attempt=attempt,
            key=credential(route.speaker, http.headers),
        )

    def _check_model(self, asked: Asked) -> None:
        known = None if self.models is None else self.models.get(asked.provider, ())
        if known is not None and asked.model not in known:
            raise Refused("unknown_model", f"model {asked.model[:100]} does not exist", "model")

    def _models(self, http: HttpRequest, route: Route) -> Response:
        try:
            check_key(route.speaker, http.headers, self.scenario.key)
        except Refused as e:
            return refusal(route.speaker, e, "none")
        if self.models is None:
            names = ["jev-latest", "jev-preview", "jev-1.13.0", "jev-1.14.0"]
        else:
            names = sorted(
                {m for p, ms in self.models.items() if not route.provider or p == route.provider for m in ms}
            )
        listed = {
            "object": "list",
            "data": [{"id": n, "object": "model", "created": 0, "owned_by": "simulated"} for n in names],
            "models": [{"name": n, "description": "simulated", "release_date": "2026-11-30"} for n in names],
        }
        return _json(200, listed)

    def _control(self, http: HttpRequest) -> Response:
        what = http.path.removeprefix(_CONTROL).partition("?")[0]
        if what == "about" and http.method == "GET":
            return _json(200, self.about())
        if what == "counts" and http.method == "GET":
            return _json(200, self.counts.as_json())
        if what == "scenario" and http.method == "PUT":
            return self._replace_scenario(http)
        return _json(404, {"error": f"{http.method} {http.path[:100]}: GET about, GET counts or PUT scenario"})

    def _replace_scenario(self, http: HttpRequest) -> Response:
        try:
            self.scenario = read_scenario(http.body.decode("utf-8"), "scenario")
        except (UnicodeDecodeError, ValueError) as e:
            return _json(400, {"error": str(e)})
        return _json(200, self.about())


def _json(status: int, value: Any) -> Response:
    return Response(status, "application/json", canonical_json(value).encode("utf-8"))


def _json_object(http: HttpRequest) -> dict[str, Any]:
    kind = http.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused("media_type", f"the content type is {kind or 'missing'}, not application/json")
    if http.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused("media_type", "encoded bodies are not simulated")
    try:
        value = json.loads(http.body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused("bad_request", "the body is no JSON", "", "json_invalid") from None
    if not isinstance(value, dict):
        raise Refused("bad_request", "the body must be an object", "", "wrong_type")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _digest(body: dict[str, Any], model: str) -> str:
    """Of the body's canonical JSON, with the model where the path names it, and with the order of options kept."""
    questions = body.get("questions")
    told = {**body, "model": model}
    if isinstance(questions, dict):
        told["questions"] = {
            name: {**q, "criteria": ordered(q.get("criteria"))} if isinstance(q, dict) else q
            for name, q in questions.items()
        }
    try:
        return digest(told)
    except UnicodeEncodeError:
        raise Refused("bad_request", "half of a surrogate pair is no text", "", "json_invalid") from None
