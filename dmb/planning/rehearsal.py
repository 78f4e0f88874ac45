"""A release's simulated twin: the same cells, with a simulator or recordings in the place of every remote provider.

``<release>-simulated`` is never written in config.yaml. Its cells have keys of their own and its ledger is its own, so a
rehearsal can neither pass for evidence nor draw on the real budget.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmb.contracts.config import Release
from dmb.contracts.contender import Contender, Provider
from dmb.errors import UsageError
from dmb.planning.addresses import fault_of
from dmb.store.exchanges import ExchangeFolder
from dmb.transport import RECORD_VARIABLE, REPLAY_VARIABLE

SUFFIX = "-simulated"

#: Where the simulator listens: what `dmb simulate` prints.
SIMULATOR_VARIABLE = "DMB_SIMULATOR"

#: A host of this machine and a port, and nothing behind them that a message would repeat.
_LOCAL = re.compile(r"http://(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Simulator:
    """``key``: what stands in the key of a simulated cell. ``address`` is None where recordings are replayed."""

    address: str | None
    key: dict[str, Any]

    def stands_for(self, entry: Contender, provider: Provider) -> bool:
        """Whether this contender would be asked somewhere else than on this machine."""
        return entry.wire is not None and entry.serve is None and provider.address is not None

    @property
    def replays(self) -> bool:
        """Whether recordings answer, and nobody is asked."""
        return self.address is None

    def provider(self, name: str, provider: Provider) -> Provider:
        """The entry with the simulator's address, which serves each provider below its name; a replay has none."""
        address = None if self.address is None else f"{self.address}/{name}"
        return provider.model_copy(update={"address": address, "credential": ()})


def base_of(name: str, releases: Mapping[str, Release]) -> str | None:
    """The release that ``name`` is the simulated twin of; None for any other name."""
    base = name.removesuffix(SUFFIX)
    return base if base != name and base in releases else None


def twin_of(release: Release) -> Release:
    """The release as its twin is published."""
    return release.model_copy(update={"title": f"{release.title} (simulated)"})


def find_simulator(name: str, environment: Mapping[str, str]) -> Simulator:
    """Ask the simulator who it is, or look at the recordings that stand for it.

    Raises ``UsageError`` where none is named or none answers, ``MissingEvidence`` for recordings that are not there.
    """
    if folder := environment.get(REPLAY_VARIABLE):
        if environment.get(RECORD_VARIABLE):
            raise UsageError(
                f"{RECORD_VARIABLE} and {REPLAY_VARIABLE} are both set: what is replayed is recorded; unset one"
            )
        # other recordings give other answers, so they make other cells
        return Simulator(None, {"replay": ExchangeFolder(Path(folder)).digest()})
    address = environment.get(SIMULATOR_VARIABLE, "").rstrip("/")
    start = f"start `dmb simulate --release {name.removesuffix(SUFFIX)}` and set {SIMULATOR_VARIABLE} to the address that it prints"
    if not address:
        raise UsageError(f"release {name!r} is asked of a simulator: {start}")
    if fault_of(address) is not None or not _LOCAL.fullmatch(address):
        raise UsageError(f"{SIMULATOR_VARIABLE}: is no plain http address of this machine; {start}")
    import httpx

    try:
        about = httpx.get(f"{address}/_simulate/about", timeout=5.0, trust_env=False).json()
        return Simulator(address, {"seed": int(about["seed"])})
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
        raise UsageError(f"{SIMULATOR_VARIABLE}: no simulator answers at {address}; {start}") from None
