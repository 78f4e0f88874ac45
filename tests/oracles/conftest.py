"""One simulator for each file of tests that asks one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dmb.simulate import Simulator
from tests.oracles.on_simulator import FAIR


@pytest.fixture(scope="module")
def running(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """It knows the models that the file names as MODELS, provider by provider."""
    with Simulator(FAIR, seed=7, models=request.module.MODELS) as simulator:
        yield simulator


@pytest.fixture
def simulator(running: Simulator) -> Simulator:
    """With nothing going wrong yet."""
    running.use(FAIR)
    return running
