"""jevcompat's conformance suite, run against the simulator: a System One server that keeps all the rules."""

from __future__ import annotations

from typing import Any

import pytest

from dmb.simulate import Simulator
from tests.oracles.asking import KEY
from tests.oracles.on_simulator import FAIR, fault

runner = pytest.importorskip("jevcompat.runner", reason="oracle for a System One server: jevcompat is not installed")

MODELS = {"typesafe": ["jev-latest", "jev-1.14.0"], "my-server": ["jev-latest"]}


def results(report: Any, status: str) -> set[str]:
    return {r.id for r in report.results if r.status == status}


@pytest.mark.parametrize("below", ["", "/typesafe"])
def test_the_simulator_keeps_every_rule(below: str) -> None:
    with Simulator(FAIR, seed=7, models=MODELS) as simulator:
        report = runner.run(f"{simulator.address}{below}", key=KEY, model="jev-latest")
    assert report.verdict == "conformant"
    assert results(report, "fail") == set(), [f for r in report.results for f in r.findings]
    # a server either wants a key or does not
    assert results(report, "skip") == {"auth.ignored-when-off"}
    assert (report.count("MUST", "pass"), report.count("SHOULD", "pass")) == (32, 15)


def test_so_does_a_simulated_server_of_ones_own_which_wants_no_key() -> None:
    with Simulator(seed=7, models=MODELS) as simulator:
        report = runner.run(f"{simulator.address}/my-server", model="jev-latest")
    assert (report.verdict, report.count("MUST", "pass")) == ("conformant", 32)
    assert results(report, "skip") == {"auth.bearer", "auth.missing", "auth.invalid"}
    # its errors are said in a way of its own, as those of small servers are
    assert results(report, "fail") == {"errors.validation-shape", "errors.shape"}


@pytest.mark.parametrize(
    "do, rule",
    [
        ("confidence_85", "confidence.range"),
        ("usage_float", "response.usage"),
        ("extra_answer", "response.answer-ids"),
        ("probabilities_off", "choice.distribution"),
        ("unknown_choice", "choice.argmax"),
    ],
)
def test_a_fault_is_seen_for_what_it_is(do: str, rule: str) -> None:
    """The oracle itself, and the fault."""
    with Simulator(fault(do), seed=7, models=MODELS) as simulator:
        report = runner.run(simulator.address, key=KEY, model="jev-latest")
    assert report.verdict == "not conformant" and rule in results(report, "fail")
