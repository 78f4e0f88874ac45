"""The built tiny project, and a verification of it that draws each release once."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from dmb.cli.app import run_app
from dmb.publish.release import Release
from dmb.publish.write import rendered
from dmb.store.evidence_root import EvidenceRoot
from dmb.verify.check import verify_release
from dmb.verify.findings import Verification
from tests.dag.conftest import built, tiny
from tests.dag.tiny import Tiny

__all__ = ["built", "tiny"]

#: Drawing takes a second, and most damage changes nothing of what is drawn.
_drawn: dict[str, dict[str, bytes]] = {}


def render(release: Release) -> dict[str, bytes]:
    """What the release is rendered to, remembered by all that goes into it."""
    fields = {name: value for name, value in vars(release).items() if name in release.__dataclass_fields__}
    return _drawn.setdefault(repr(fields), rendered(release)) if repr(fields) not in _drawn else _drawn[repr(fields)]


@pytest.fixture(scope="session")
def verified() -> Callable[[Tiny], Verification]:
    """Verifies the release of a tiny project."""
    return lambda t: verify_release("tiny", t.root / "results", EvidenceRoot(t.root), render=render)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Carries out a command of dmb in a tiny project, within this process: (exit code, stdout, stderr)."""

    def carry_out(t: Tiny, *words: str) -> tuple[int, str, str]:
        monkeypatch.chdir(t.root)
        monkeypatch.setattr(sys, "argv", ["dmb", *words])
        with pytest.raises(SystemExit) as ended:
            run_app()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return carry_out
