import json
import math
import subprocess
import sys
from dataclasses import asdict
from decimal import Decimal

import numpy as np
import pytest

import dmb.metrics as metrics
from dmb.metrics import Measure, unknown


def test_unknown_has_no_value_and_a_reason():
    assert unknown("no rows", 3) == Measure(value=None, n=3, note="no rows")


def test_a_missing_value_without_a_reason_is_refused():
    with pytest.raises(ValueError, match="says why"):
        Measure(value=None)


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_numbers_are_finite(number):
    with pytest.raises(ValueError, match="finite"):
        Measure(value=0.5, high=number)


def test_public_list_is_complete():
    assert metrics.__all__ == sorted(metrics.__all__, key=lambda name: (name[0].islower(), name))
    assert all(hasattr(metrics, name) for name in metrics.__all__)


def test_nothing_slow_is_imported():
    program = (
        "import sys, dmb.metrics; print([m for m in sys.modules if m in ('scipy', 'pandas', 'sklearn', 'pydantic')])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_measures_hold_plain_python_numbers():
    """numpy scalars would not go into JSON, or would print otherwise than floats do."""
    rng = np.random.default_rng(5)
    confidence, correct = rng.random(40), rng.random(40) < 0.7
    gold = np.array(["a", "b"] * 20)
    predicted = np.where(correct, gold, "a")
    groups = np.arange(40) // 2
    measures = [
        metrics.rate(correct),
        metrics.rate(correct, groups),
        metrics.ece(confidence, correct),
        metrics.brier(confidence, correct),
        metrics.macro_f1(gold.tolist(), predicted.tolist(), ["a", "b"]),
        metrics.percentile(confidence, 0.5),
        metrics.flip_rate(list(zip(gold.tolist(), predicted.tolist(), strict=True)), groups),
        metrics.ece_drift(confidence, correct, confidence**2, correct, groups),
        metrics.cost_per_1000([Decimal(i) for i in range(40)], groups),
        metrics.dominant(predicted.tolist())[1],
    ]
    for measure in measures:
        kinds = {type(value) for value in asdict(measure).values()}
        assert kinds <= {float, int, str, type(None)}, measure
        assert json.loads(json.dumps(asdict(measure))) == asdict(measure)
    bins = metrics.reliability(confidence, correct)
    assert {type(value) for b in bins for value in asdict(b).values()} == {float, int}
