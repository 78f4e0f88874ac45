"""Decision servers that others wrote, started as they are and asked over HTTP by the engine."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from dmb.contracts.attempt import OUTCOMES
from tests.oracles.asking import project
from tests.oracles.cells import asked, built

BIN = Path(sys.executable).parent
STATES = ("charged twice", "it is broken — è", "hello\u2028there")

#: Counts how many words the text and an option have in common; takes 2 to 26 options.
DEV_DOUBLE = {
    "provider": "p",
    "wire": "systemone",
    "model": "mock-overlap",
    "serve": "dev-double serve --engine mock --host 127.0.0.1 --port {port}",
    "packages": ["dev-double"],
    "display": {"label": "dev-double"},
}


def have(program: str) -> pytest.MarkDecorator:
    found = shutil.which(program, path=str(BIN)) is not None
    return pytest.mark.skipif(not found, reason=f"oracle for a System One client: {program} is not installed")


def options(n: int) -> list[str]:
    return [
        "Billing: a customer was charged twice",
        "A bug — something is broken",
        *(f"option {i}" for i in range(2, n)),
    ]


@have("dev-double")
def test_dev_double_answers_up_to_26_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    receipt, attempts, decisions = asked(
        monkeypatch, built(STATES, options(26)), DEV_DOUBLE, {"concurrency": 1, "billed": False}, tmp_path
    )
    assert (receipt.status, receipt.n_attempts) == ("complete", len(STATES))
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"valid": len(STATES)}
    assert [d["outputs"]["decision"]["value"] for d in decisions][:2] == ["o0", "o1"]
    assert {d["outputs"]["decision"]["confidence_kind"] for d in decisions} == {"native-probability"}
    assert {d["served_model"] for d in decisions} == {"mock-overlap"}
    assert {a.status for a in attempts} == {200}


@have("dev-double")
@pytest.mark.parametrize("n", [27, 77])
def test_more_options_than_dev_double_takes_are_unsupported_and_asked_once(
    n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt, attempts, decisions = asked(
        monkeypatch, built(STATES, options(n)), DEV_DOUBLE, {"concurrency": 1, "billed": False}, tmp_path
    )
    assert (receipt.status, receipt.n_attempts) == ("complete", len(STATES))
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"unsupported": len(STATES)}
    assert {(a.status, a.failure.kind) for a in attempts} == {(400, "unsupported")}
    assert all(f"2 to 26 entries, got {n}" in a.failure.detail for a in attempts)
    assert {d["outcome"] for d in decisions} == {"unsupported"}


@have("sparrow-decider")
@pytest.mark.parametrize("n", [2, 77, 256])
def test_sparrow_answers_any_number_of_options(n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = project().contenders["sparrow-nano"].model_dump(mode="json", exclude_defaults=True)
    provider = project().providers["sparrow"].model_dump(mode="json", exclude_defaults=True)
    receipt, attempts, decisions = asked(monkeypatch, built(STATES, options(n)), entry, provider, tmp_path)
    assert receipt.outcomes == dict.fromkeys(OUTCOMES, 0) | {"valid": len(STATES)}
    assert {d["outputs"]["decision"]["confidence_kind"] for d in decisions} == {"native-probability"}
    # it counts no tokens, which is not the same as none
    assert all(d["usage"] == [None] for d in decisions)
    assert {a.status for a in attempts} == {200}
