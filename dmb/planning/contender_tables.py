"""The tables of contenders and providers, checked together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dmb.baselines import BASELINES
from dmb.canonical import canonical_json
from dmb.contracts.contender import Contender, Provider
from dmb.contracts.request import Request
from dmb.contracts.slot import Slot
from dmb.errors import InputError
from dmb.inputs import nearest
from dmb.planning.addresses import fault_of, is_private
from dmb.planning.tables import CONTENDERS, PROVIDERS
from dmb.wires import WIRES
from dmb.wires.exchange import Wire

#: A question of the smallest kind.
_PROBE = Request(
    state="state",
    instructions="instructions",
    options=("a", "b"),
    slots=(Slot(id="decision", kind="choice"),),
    confidence_definition="confidence",
)

#: A key written in the place of its variable's name has small letters in it, or hyphens.
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")

#: Fields of a provider in which somebody may have written a key: no message repeats what stands there.
MAY_HOLD_A_KEY = frozenset({"address", "credential"})

_NO_KEYS_HERE = "a key belongs into an environment variable, and the variable's name into `credential`"

#: The setting that bounds what a model may write, reasoning included.
_CAP = "max_output_tokens"


def check_sayable(value: Any, file: str, field: str) -> None:
    """Free tables go into keys and logs, so they hold what JSON can say: no dates, no NaN, no infinity."""
    try:
        canonical_json(value)
    except (TypeError, ValueError):
        raise InputError(
            file, field, "holds a date, NaN or an infinity", "use text, finite numbers, true and false"
        ) from None


def check_providers(providers: Mapping[str, Provider]) -> None:
    """Addresses and credentials hold no key, dialects can be said, and lanes lead to an entry that has one. Raises ``InputError``."""
    for name, provider in providers.items():
        check_sayable(provider.dialect, PROVIDERS, f"{name}.dialect")
        if provider.address is not None and (fault := fault_of(provider.address)) is not None:
            raise InputError(PROVIDERS, f"{name}.address", fault, _NO_KEYS_HERE)
        if not all(_VARIABLE.fullmatch(variable) for variable in provider.credential):
            raise InputError(PROVIDERS, f"{name}.credential", "is no name of a variable, in capitals", _NO_KEYS_HERE)
        if provider.credential and not is_private(provider.address):
            raise InputError(
                PROVIDERS,
                f"{name}.address",
                "would carry a key in clear text",
                "use https, or http to this machine only",
            )
        if provider.lane is None:
            continue
        if provider.lane not in providers or provider.lane == name:
            others = [other for other in providers if other != name]
            raise InputError(
                PROVIDERS, f"{name}.lane", f"no other provider {provider.lane!r}", nearest(provider.lane, others)
            )
        if (further := providers[provider.lane].lane) is not None:
            raise InputError(
                PROVIDERS, f"{name}.lane", f"{provider.lane!r} shares the lane of {further!r}", f"name {further!r}"
            )
        for field in ("concurrency", "limits"):
            if field in provider.model_fields_set:
                raise InputError(
                    PROVIDERS,
                    f"{name}.{field}",
                    f"belongs to the lane, which is {provider.lane!r}",
                    f"set it at [{provider.lane}]",
                )


def check_contenders(contenders: Mapping[str, Contender], providers: Mapping[str, Provider]) -> None:
    """Every entry names things that are there, in words that what it asks with knows. Raises ``InputError``."""
    for name, entry in contenders.items():
        check_sayable(entry.settings, CONTENDERS, f"{name}.settings")
        if entry.replaced_by is not None and entry.replaced_by not in contenders:
            raise InputError(
                CONTENDERS,
                f"{name}.replaced_by",
                f"unknown contender {entry.replaced_by!r}",
                nearest(entry.replaced_by, contenders),
            )
        if entry.provider not in providers:
            raise InputError(
                CONTENDERS,
                f"{name}.provider",
                f"unknown provider {entry.provider!r}",
                nearest(entry.provider, providers),
            )
        if (entry.baseline is None) == (entry.wire is None):
            raise InputError(CONTENDERS, name, "needs either a baseline or a wire", "give one of the two")
        if entry.baseline is not None and entry.baseline not in BASELINES:
            raise InputError(
                CONTENDERS,
                f"{name}.baseline",
                f"unknown baseline {entry.baseline!r}",
                nearest(entry.baseline, BASELINES),
            )
        if entry.baseline is not None:
            _check_baseline_settings(name, entry)
        if entry.wire is not None:
            if entry.wire not in WIRES:
                raise InputError(CONTENDERS, f"{name}.wire", f"unknown wire {entry.wire!r}", nearest(entry.wire, WIRES))
            _check_wire_words(providers[entry.provider], name, WIRES[entry.wire], entry)
            _check_output_cap(providers[entry.provider], name, WIRES[entry.wire], entry)


def _check_baseline_settings(name: str, entry: Contender) -> None:
    known = BASELINES[entry.baseline or ""].settings
    for setting, value in entry.settings.items():
        field = f"{name}.settings.{setting}"
        if setting not in known:
            raise InputError(
                CONTENDERS, field, f"unknown setting of {entry.baseline}", nearest(setting, known) or "it has none"
            )
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(CONTENDERS, field, f"is {value!r}", "give a number")


def _check_wire_words(provider: Provider, name: str, wire: Wire, entry: Contender) -> None:
    """Settings of the entry and dialect of its provider are words that the wire knows, with values that it can say."""
    for setting in entry.settings:
        if setting not in wire.settings:
            mend = nearest(setting, wire.settings) or "it has none"
            raise InputError(CONTENDERS, f"{name}.settings.{setting}", f"unknown setting of {entry.wire}", mend)
    for word in provider.dialect:
        if word not in wire.dialect:
            mend = nearest(word, wire.dialect) or "it has none"
            raise InputError(PROVIDERS, f"{entry.provider}.dialect.{word}", f"unknown word of {entry.wire}", mend)
    try:
        # whether the words' values can be said is the wire's to know: shape one question, and send it nowhere
        wire.call(_PROBE, entry.model, sayable_settings(wire, entry), provider.dialect)
        wire.authorise("key", provider.dialect)
    except ValueError as e:
        raise InputError(CONTENDERS, f"{name}.settings", str(e), "correct it, or the dialect of its provider") from None


def sayable_settings(wire: Wire, entry: Contender) -> dict[str, Any]:
    """The entry's settings, with the first way of structuring that would be tried in the place of "auto"."""
    if entry.settings.get("structured") == "auto" and wire.structures:
        return entry.settings | {"structured": wire.structures[0]}
    return entry.settings


def _check_output_cap(provider: Provider, name: str, wire: Wire, entry: Contender) -> None:
    """A billed model that writes has a cap: the most that an attempt can cost is reserved before it is sent."""
    field = f"{name}.settings.{_CAP}"
    if _CAP not in entry.settings:
        if _CAP in wire.settings and provider.billed:
            raise InputError(
                CONTENDERS, field, "is missing, and what an attempt may cost is reserved by it", f"add {_CAP!r}"
            )
        return
    cap = entry.settings[_CAP]
    if isinstance(cap, bool) or not isinstance(cap, int) or cap < 1:
        raise InputError(CONTENDERS, field, f"is {cap!r}", "give a whole number of tokens above 0")
