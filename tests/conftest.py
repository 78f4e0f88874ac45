"""What every test stands on: no network but loopback, no credential, no mirror, and a copy of the project to work in."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import shutil
import socket
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.suites.real_data import DIRECTORY, WHERE

PROJECT = Path(__file__).resolve().parents[1]

#: Credentials that a provider names, and where datasets may lie: a test that needs one sets it.
_VARIABLES = (
    "DMB_MIRROR",
    "DMB_RECORD",
    "DMB_REPLAY",
    "DMB_RUN",
    "DMB_SIMULATOR",
    *(
        name
        for provider in tomllib.loads((PROJECT / "data/providers.toml").read_text(encoding="utf-8")).values()
        for name in provider.get("credential", ())
    ),
)

# hundreds of processes are started here, and each would compile DMB anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# seeded, so that a red test is red for everybody, and never by the clock
hypothesis.settings.register_profile("dmb", max_examples=50, derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("dmb")

#: What a checkout is built from. `data/raw` and `data/items` are made from it.
_INPUTS = ("Snakefile", "config.yaml", "rules", "profiles", "data", "dmb")


def pytest_addoption(parser: pytest.Parser) -> None:
    with contextlib.suppress(ValueError):
        parser.addoption("--fix", action="store_true", help="rewrite the golden pages from what the code makes now")


#: What takes longest, longest first. Workers take files in this order, so that none is left with a long one at the end.
_FIRST = (
    "tests/cluster/test_slurm.py",
    "tests/dag/",
    "tests/kills/",
    "tests/oracles/test_local_llm.py",
    "tests/cli/",
    "tests/docs/",
    "tests/publish/",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        return next((n for n, start in enumerate(_FIRST) if item.nodeid.startswith(start)), len(_FIRST))

    items.sort(key=place)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests have measured: the text that each has recorded as the property "figures"."""
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        if getattr(report, "when", None) == "call":
            for name, text in report.user_properties:
                if name == "figures":
                    terminalreporter.write_line(f"{report.nodeid.rpartition('::')[2]}: {text}")


def is_loopback(host: object) -> bool:
    """Whether a host is this machine by its very form; a name that would have to be looked up is not."""
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session", autouse=True)
def only_loopback() -> Iterator[None]:
    """Connections and name look-ups that leave the machine raise with the address."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        look_up = socket.getaddrinfo

        def getaddrinfo(host, *args, **kwargs):
            if not is_loopback(host):
                raise AssertionError(f"tests look up no name but localhost: {host!r}")
            return look_up(host, *args, **kwargs)

        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield


def _guarded(method):
    def guarded(self: socket.socket, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(address[0]):
            # no OSError: the code under test must not take it for a failed connection
            raise AssertionError(f"tests connect to nothing but loopback: {address!r}")
        return method(self, address)

    return guarded


@pytest.fixture(scope="session", autouse=True)
def no_credentials() -> Iterator[None]:
    """Whoever runs the tests may have keys and a mirror; the tests do not."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _VARIABLES:
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True)
def same_environment() -> Iterator[None]:
    """A test that leaves one of our variables behind fails itself, not whichever comes after it in the same worker."""
    before = _ours()
    yield
    changed = {name for name, _ in before.items() ^ _ours().items()}
    for name in changed:
        os.environ.pop(name, None)
    os.environ.update({name: before[name] for name in changed & before.keys()})
    assert not changed, f"left behind in the environment: {', '.join(sorted(changed))}"


def _ours() -> dict[str, str]:
    """What DMB reads; libraries may set their own when they are first loaded."""
    return {k: v for k, v in os.environ.items() if k in _VARIABLES or k.startswith(("DMB_", "SNAKEMAKE_"))}


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real datasets."""
    if DIRECTORY is None:
        pytest.skip(f"no real datasets: {WHERE}")
    return DIRECTORY


@pytest.fixture
def project_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch checkout, code included, with nothing built; the test runs in it."""
    home = tmp_path / "project"
    home.mkdir()
    for name in _INPUTS:
        source = PROJECT / name
        if source.is_dir():
            # compiled files come along: they are valid for equal modification times
            shutil.copytree(source, home / name, ignore=_built)
        else:
            shutil.copy2(source, home / name)
    monkeypatch.chdir(home)
    return home


def _built(folder: str, names: list[str]) -> set[str]:
    return {"raw", "items"} & set(names) if Path(folder) == PROJECT / "data" else set()
