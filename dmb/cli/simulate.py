"""``dmb simulate``: providers on loopback that speak every wire, with scripted faults, to rehearse a paid run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dmb.contracts.scenario import Scenario
    from dmb.planning.project import Project
    from dmb.simulate.simulator import Simulator
    from dmb.simulate.world import World

SCENARIOS = "data/scenarios"

#: How often a file of counts is brought up to date.
_EVERY_S = 0.5


def simulate(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 8900,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other answers.")] = 0,
    scenario: Annotated[
        str | None, typer.Option(help="What goes wrong: a name of data/scenarios, or a file. Default: nothing.")
    ] = None,
    release: Annotated[
        str | None, typer.Option(help="Serve the contenders of this release of config.yaml, and no other model.")
    ] = None,
    counts: Annotated[Path | None, typer.Option(help="Keep what was counted and billed in this file, as JSON.")] = None,
) -> None:
    """Serve until it is interrupted. Nothing leaves this machine, and no key is looked at but for being there.

    Exit code: 0 interrupted, 2 usage, such as a port that is taken.
    """
    from dmb.planning.project import load_project
    from dmb.simulate.simulator import Simulator
    from dmb.simulate.world import world_of

    project = load_project()
    world = None
    if release is not None:
        release = _release(project, release)
        chosen = project.config.releases[release].contenders
        ids = [project.contender_id(c, "config.yaml", f"releases.{release}.contenders") for c in chosen]
        world = world_of({i: project.contenders[i] for i in ids}, project.providers)
    simulator = Simulator(
        scenario=_scenario(scenario, project),
        seed=seed,
        prices=project.prices.price,
        models=None if world is None else world.models,
        routes=None if world is None else world.routes,
        port=port,
    )
    _serve(simulator, port, counts, release, world)


def _release(project: Project, name: str) -> str:
    """A release of config.yaml, by its name or by that of its rehearsal."""
    from dmb.errors import UsageError
    from dmb.inputs import nearest

    known = project.config.releases
    found = name if name in known else name.removesuffix("-simulated")
    if found not in known:
        raise UsageError(f"--release: {name!r} is no release of config.yaml; {nearest(name, known)}")
    return found


def _scenario(named: str | None, project: Project) -> Scenario:
    from dmb.errors import InputError, UsageError
    from dmb.inputs import nearest
    from dmb.simulate.scenarios import FAIR, read_scenario

    if named is None:
        return FAIR
    path = Path(named)
    if path.suffix != ".toml":
        ready = {p.stem: p for p in Path(SCENARIOS).glob("*.toml")}
        if named not in ready:
            raise UsageError(f"--scenario: no {named!r} in {SCENARIOS}; {nearest(named, ready) or 'name a file'}")
        path = ready[named]
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as e:
        raise InputError(path, "", e.strerror or "cannot be read", "name a file that is there") from None
    except UnicodeDecodeError as e:
        raise InputError(path, "", f"is no UTF-8 text (byte {e.start})", "save it as UTF-8") from None
    return read_scenario(text, str(path), project.providers)


def _serve(simulator: Simulator, port: int, counts: Path | None, release: str | None, world: World | None) -> None:
    """Until it is interrupted; the last counts are written when nobody can ask any more."""
    import os

    from dmb.errors import UsageError

    try:
        simulator.__enter__()
    except OSError as e:
        why = os.strerror(e.errno).lower() if e.errno else str(e)
        raise UsageError(f"--port: {port}: {why}; take another, or 0 for a free one") from None
    try:
        with _interrupted() as over:
            _write(counts, simulator)
            _greet(simulator, release, world)
            while not over.wait(_EVERY_S):
                _write(counts, simulator)
    finally:
        simulator.__exit__(None, None, None)
    _write(counts, simulator)


@contextmanager
def _interrupted() -> Iterator[threading.Event]:
    """Set by Ctrl-C and by a request to end; both are the way to end this command."""
    import signal

    over = threading.Event()
    before = {n: signal.signal(n, lambda *_: over.set()) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield over
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _write(counts: Path | None, simulator: Simulator) -> None:
    from dmb.errors import UsageError
    from dmb.store.files import pretty_json, write_whole

    if counts is None:
        return
    try:
        write_whole(counts, pretty_json(simulator.counts()))
    except OSError as e:
        raise UsageError(f"--counts: {counts}: {e.strerror}; name a file that can be written") from None


def _greet(simulator: Simulator, release: str | None, world: World | None) -> None:
    about = simulator.about()
    told = f"seed {about['seed']}, scenario {about['scenario']['name']}"
    print(f"dmb: simulating {len(about['providers'])} providers on {simulator.address} ({told}); end it with Ctrl-C")
    if release is not None and world is not None:
        print(f"\nexport DMB_SIMULATOR={simulator.address}")
        print(f"uv run snakemake results/{release}-simulated.md")
        print(f"uv run dmb run --id rehearsal --release {release}-simulated\n")
        width = max(map(len, world.served), default=0)
        print(f"dmb: serving {len(world.served)} contenders of {release}:")
        for name, (provider, model) in world.served.items():
            print(f"  {name:<{width}}  {provider} {model}")
    print(end="", flush=True)
