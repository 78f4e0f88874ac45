"""What a simulator serves: of one release its contenders' models and paths, without one anybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dmb.contracts.contender import Contender, Provider
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.simulate.routes import Route, find_route
from dmb.simulate.speakers import LOCAL, SPEAKERS
from dmb.wires import WIRES

#: The smallest question, to see which path a contender's entry leads to.
_PROBE = Request(
    state="state",
    instructions="instructions",
    options=("a", "b"),
    slots=(Slot(id="decision", kind="choice"),),
    confidence_definition="confidence",
)


@dataclass(frozen=True, slots=True)
class World:
    """``models``: provider -> names it knows. ``routes``: paths of entries that the simulator would not know by itself.

    ``served``: contender -> its provider and model, as they are printed.
    """

    models: Mapping[str, frozenset[str]]
    routes: Mapping[str, Route] = field(default_factory=dict)
    served: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def world_of(contenders: Mapping[str, Contender], providers: Mapping[str, Provider]) -> World:
    """Of those contenders that are asked over a network: neither baselines nor models that DMB serves by itself."""
    models: dict[str, set[str]] = {}
    routes: dict[str, Route] = {}
    served: dict[str, tuple[str, str]] = {}
    for name, entry in contenders.items():
        if entry.wire is None or entry.serve is not None:
            continue
        dialect = providers[entry.provider].dialect
        path = f"/{entry.provider}{_path(entry, dialect)}"
        found = find_route(path)
        if found is None or (found.provider, found.wire) != (entry.provider, entry.wire):
            speaker = SPEAKERS.get(entry.provider, LOCAL)
            named = entry.model if entry.wire == "generate_content" or dialect.get("shape") == "cloudflare" else None
            shape = str(dialect.get("shape", "openai")) if entry.wire == "decisions" else ""
            routes[path] = Route(entry.provider, speaker, entry.wire, shape, named)
        models.setdefault(entry.provider, set()).add(entry.model)
        served[name] = (entry.provider, entry.model)
    return World({p: frozenset(ms) for p, ms in models.items()}, routes, served)


def _path(entry: Contender, dialect: Mapping[str, Any]) -> str:
    # how an answer is demanded may still be to negotiate, and leads nowhere else
    settings = {name: value for name, value in entry.settings.items() if name != "structured"}
    return WIRES[entry.wire or ""].call(_PROBE, entry.model, settings, dialect).path
