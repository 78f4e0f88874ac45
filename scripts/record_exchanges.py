"""Put one fixed question to every provider and record what it says, for tests/wire.

Usage: python scripts/record_exchanges.py                      what needs no key
       python scripts/record_exchanges.py --live CONTENDER …   what a real provider says

Without ``--live``, models that are served on this machine answer for themselves, where their packages are installed, and
the simulator stands for everybody else; what was recorded from a real server before is kept. With it, the contender's
provider is asked twice: with its key, which costs a fraction of a cent, and with one that nobody has. Each file is
`tests/wire/<provider>/<key>.json`; `expected` says what the wire made of each exchange, and is to be looked at before it
is committed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from dmb.canonical import text_digest  # noqa: E402
from dmb.contracts.contender import Contender, Provider  # noqa: E402
from dmb.contracts.recording import RecordedExchange, RecordedRequest, Recording  # noqa: E402
from dmb.contracts.request import Request  # noqa: E402
from dmb.contracts.scenario import FaultRule, Scenario  # noqa: E402
from dmb.contracts.slot import Slot  # noqa: E402
from dmb.engine.askers import WireAsker  # noqa: E402
from dmb.engine.judge import judge  # noqa: E402
from dmb.engine.serve import ServedModel  # noqa: E402
from dmb.errors import DmbError  # noqa: E402
from dmb.planning.keys import libraries_of  # noqa: E402
from dmb.planning.project import Project, load_project  # noqa: E402
from dmb.prompting import CONFIDENCE_DEFINITION  # noqa: E402
from dmb.simulate import Simulator  # noqa: E402
from dmb.simulate.world import world_of  # noqa: E402
from dmb.store.exchanges import ExchangeFolder  # noqa: E402
from dmb.transport import RECORD_VARIABLE  # noqa: E402
from dmb.transport.recordings import exchange_key  # noqa: E402
from dmb.wires import WIRES  # noqa: E402

FOLDER = ROOT / "tests/wire"

#: In our own words. What JSON escapes is in it, and what is not ASCII.
QUESTION = Request(
    state='The parcel came, but the "blue" lamp in it is broken — può succedere.',
    instructions="What does the customer want?",
    options=("A refund or a replacement", "To know where a parcel is", "To cancel an order", "Something else"),
    slots=(Slot(id="decision", kind="choice"),),
    confidence_definition=CONFIDENCE_DEFINITION,
)

#: What a model that is served here, and wants no key, refuses.
ONE_OPTION = QUESTION._replace(options=QUESTION.options[:1])

#: What is asked for -> the simulator's fault that brings it about. The nth exchange of a file is the nth of these.
CASES: dict[str, str | None] = {
    "answered": None,
    "bad key": "bad_key",
    "rate limit": "rate_limit",
    "overloaded": "overloaded",
    "refusal": "refusal",
    "truncated": "truncated",
    "malformed": "missing_answer",
}

#: Nobody's key.
NO_KEY = "dmb-test-of-a-wrong-key"


@dataclass(frozen=True)
class Way:
    """How one contender is asked."""

    contender: str
    entry: Contender
    provider: Provider

    @property
    def kind(self) -> tuple[str, str, str | None]:
        """(provider, wire, how the answer is demanded): of each kind there is a recording."""
        return self.entry.provider, self.entry.wire or "", self.entry.settings.get("structured")

    def request(self, question: Request) -> RecordedRequest:
        """What would be sent."""
        call = WIRES[self.entry.wire or ""].call(question, self.entry.model, self.entry.settings, self.provider.dialect)
        return RecordedRequest(provider=self.entry.provider, method=call.method, path=call.path, body=call.body)

    def asker(self, address: str, key: str | None, replay: Path | None = None) -> WireAsker:
        """To be closed."""
        e = self.entry
        wire = e.wire or ""
        return WireAsker(wire, e.model, e.settings, self.provider.dialect, e.provider, address, key, 1, 60.0, replay)


def ways(project: Project) -> dict[tuple[str, str, str | None], list[Way]]:
    """Kind -> every contender that is asked so, in the order of the table; those that were retired are left out."""
    found: dict[tuple[str, str, str | None], list[Way]] = {}
    for name, entry in project.contenders.items():
        if entry.wire is not None and entry.retired_on is None:
            way = Way(name, entry, project.providers[entry.provider])
            found.setdefault(way.kind, []).append(way)
    return found


def comes_to(asker: WireAsker, question: Request) -> dict[str, Any]:
    """What the wire and the protocol make of one attempt, in a form that can be stored."""
    a = asker.ask(question, asker.call(question), ("i", 0, 0), question.options)
    shown = [(f"o{n}", text_digest(text)) for n, text in enumerate(question.options)]
    v = judge(asker.name, a.status, a.headers, a.reply, a.failure, shown, question.slots)
    told: dict[str, Any] = {"outcome": v.outcome, "reason": v.reason, "served_model": v.served_model}
    told["failure"] = v.failure.kind if v.failure is not None else None
    told["usage"] = v.usage.model_dump(mode="json", exclude_none=True) if v.usage is not None else None
    told |= {slot: out.model_dump(mode="json", exclude_none=True) for slot, out in v.outputs.items()}
    return {name: value for name, value in told.items() if value is not None}


def recorded(way: Way, case: str, question: Request, address: str, key: str | None) -> RecordedExchange:
    """Ask, and return what was written down of it, with what that comes to when it is read back."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[RECORD_VARIABLE] = folder
        try:
            for replay in (None, Path(folder)):
                asker = way.asker(address, key, replay)
                told = comes_to(asker, question)
                asker.close()
        finally:
            del os.environ[RECORD_VARIABLE]
        request = way.request(question)
        recording = ExchangeFolder(Path(folder)).load(request.provider, exchange_key(request))
    assert recording is not None
    return recording.exchanges[0].model_copy(update={"expected": {"case": case, **told}})


def is_simulated(x: RecordedExchange) -> bool:
    """Whether the simulator said it."""
    return x.headers.get("x-simulated") == "true"


def write(folder: Path, request: RecordedRequest, new: dict[str, RecordedExchange]) -> None:
    """Put exchanges among those of a request, each in the place of the one of its case."""
    recordings, key = ExchangeFolder(folder), exchange_key(request)
    before = recordings.load(request.provider, key)
    cases = {str((x.expected or {}).get("case")): x for x in (before.exchanges if before else ())} | new
    order = [*CASES, *sorted(set(cases) - set(CASES))]
    exchanges = tuple(cases[c] for c in order if c in cases)
    recordings.save(Recording(key=key, request=request, exchanges=exchanges))


def served_here(way: Way) -> Iterator[tuple[Request, str, RecordedExchange]]:
    """(question, case, exchange) of a real model that this machine serves. Nothing where a package is missing."""
    entry = way.entry
    if missing := [n for n, version in libraries_of(entry).items() if version is None]:
        print(f"{way.contender}: not recorded anew, {', '.join(missing)} is not installed")
        return
    assert entry.serve is not None
    with tempfile.TemporaryDirectory() as folder:
        served = ServedModel(entry.serve, entry.health, entry.env, Path(folder) / "log")
        try:
            yield QUESTION, "answered", recorded(way, "answered", QUESTION, served.address, None)
            if entry.wire == "systemone":
                yield ONE_OPTION, "one option", recorded(way, "one option", ONE_OPTION, served.address, None)
        finally:
            served.close()


def record_simulated(project: Project, folder: Path, kinds: list[tuple[str, str, str | None]]) -> None:
    """From the simulator, whatever no real server has said; from models that are served here, what they say."""
    routes = world_of(project.contenders, project.providers).routes
    with Simulator(seed=20261130, prices=project.prices.price, routes=routes) as simulator:
        for kind, several in ways(project).items():
            if kind not in kinds:
                continue
            way = several[0]
            if way.entry.serve is not None:
                for question, case, x in served_here(way):
                    write(folder, way.request(question), {case: x})
            if kind[0] == "sparrow":
                continue  # it takes no key and declines nothing
            request = way.request(QUESTION)
            before = ExchangeFolder(folder).load(request.provider, exchange_key(request))
            real = {(x.expected or {}).get("case") for x in (before.exchanges if before else ()) if not is_simulated(x)}
            new = {}
            for case, fault in CASES.items():
                if case not in real:
                    rules = (FaultRule(do=fault),) if fault else ()
                    simulator.use(Scenario(name=case, fault=rules))
                    x = recorded(way, case, QUESTION, f"{simulator.address}/{way.entry.provider}", NO_KEY)
                    # jev and Clef have no way to decline: they answer
                    if case != "refusal" or (x.expected or {})["outcome"] != "valid":
                        new[case] = x
            write(folder, request, new)


def record_live(project: Project, folder: Path, contender: str) -> None:
    """What a real provider says, with its key and with another. Raises ``DmbError``."""
    way = next((w for several in ways(project).values() for w in several if w.contender == contender), None)
    if way is None or way.provider.address is None:
        raise DmbError(f"{contender}: is no contender with a provider to be asked")
    key = next((v for name in way.provider.credential if (v := os.environ.get(name, "").strip())), None)
    if key is None and way.provider.credential:
        raise DmbError(f"{contender}: set {' or '.join(way.provider.credential)}")
    address = way.provider.address
    new = {"answered": recorded(way, "answered", QUESTION, address, key)}
    if key is not None:
        new["bad key"] = recorded(way, "bad key", QUESTION, address, NO_KEY)
    write(folder, way.request(QUESTION), new)
    for case, x in new.items():
        print(f"{contender}: {case}: {x.expected}")


def wanted(project: Project) -> set[Path]:
    """Files that some contender's question would be answered from."""
    found = set()
    for several in ways(project).values():
        for way in several:
            for question in (QUESTION, ONE_OPTION):
                request = way.request(question)
                found.add(ExchangeFolder(FOLDER).path(request.provider, exchange_key(request)))
    return found


def main() -> None:
    """Record, and drop what nobody asks any more."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--live", nargs="+", metavar="CONTENDER", help="ask these providers for real; needs their keys")
    given = parser.parse_args()
    os.chdir(ROOT)
    project = load_project()
    try:
        if given.live:
            for contender in given.live:
                record_live(project, FOLDER, contender)
            return
        for path in sorted(set(FOLDER.glob("*/*.json")) - wanted(project)):
            print(f"{path.relative_to(ROOT)}: nobody asks this any more; deleted")
            path.unlink()
        record_simulated(project, FOLDER, list(ways(project)))
    except DmbError as e:
        raise SystemExit(str(e)) from None
    files = sorted(FOLDER.glob("*/*.json"))
    print(f"{len(files)} files, {sum(p.stat().st_size for p in files):,} bytes")


if __name__ == "__main__":
    main()
