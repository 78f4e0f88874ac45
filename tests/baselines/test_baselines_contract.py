"""What every registered baseline keeps, with whatever is installed here."""

from __future__ import annotations

import random
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from dmb.baselines import BASELINES
from dmb.baselines.question import Answer, Knowledge, Question

OPTIONS = [
    ("lost", "Lost or stolen card"),
    ("fee", "Cash withdrawal fee"),
    ("pin", "Forgotten or blocked pin"),
    ("rate", "Exchange rate"),
    ("limit", "Card limit"),
    ("twin", "Card limit"),
]
TRAIN = [(f"{text} {extra}", option_id) for option_id, text in OPTIONS for extra in ("please", "help me", "today")]
PRIOR = {"fee": 0.3, "lost": 0.3, "pin": 0.2, "rate": 0.2}
STATES = ["My card was stolen", "what is the limit", "", "zzz qqq", "PIN blocked; and a fee at the cash machine!", "卡"]
KNOWLEDGE = {
    "with all": Knowledge({"seed": 7}, prior=PRIOR, keywords={"pin": ["blocked", "code"]}, train=TRAIN),
    "with nothing": Knowledge({}),
}


def opened(name: str, knowledge: Knowledge):
    for library in BASELINES[name].libraries:
        try:
            metadata.version(library)
        except metadata.PackageNotFoundError:
            pytest.skip(f"{name} needs {library}, which is not installed")
    return BASELINES[name].open(knowledge)


@pytest.mark.parametrize("knowledge", KNOWLEDGE.values(), ids=KNOWLEDGE)
@pytest.mark.parametrize("name", BASELINES)
def test_answers_are_in_range_repeatable_and_blind_to_order(name, knowledge):
    answer, again = opened(name, knowledge), opened(name, knowledge)
    generator = random.Random(5)
    for number, state in enumerate(STATES):
        key = (f"item-{number}", 0, 0)
        first = answer(Question(key, state, OPTIONS))
        assert first == answer(Question(key, state, OPTIONS)) == again(Question(key, state, OPTIONS))
        if not isinstance(first, Answer):
            assert first.reason
            continue
        assert type(first.choice_index) is int and 0 <= first.choice_index < len(OPTIONS)
        assert type(first.confidence) is float and 0 <= first.confidence <= 1
        if first.probabilities is not None:
            assert len(first.probabilities) == len(OPTIONS)
            assert all(type(p) is float and 0 <= p <= 1 for p in first.probabilities)
            assert first.confidence == first.probabilities[first.choice_index] == max(first.probabilities)
        if name == "random":
            continue
        for permutation in range(4):
            mixed = generator.sample(OPTIONS, len(OPTIONS))
            other = answer(Question((f"item-{number}", permutation, 0), state, mixed))
            assert mixed[other.choice_index][0] == OPTIONS[first.choice_index][0]
            assert other.confidence == first.confidence


@pytest.mark.parametrize("name", BASELINES)
def test_registration_uses_the_known_words(name):
    baseline = BASELINES[name]
    assert baseline.version >= 1
    assert baseline.needs <= {"prior", "train", "keywords"}
    assert baseline.confidence_kind in {"rule", "native-probability"}


def test_importing_the_registry_loads_no_heavy_library():
    check = "import dmb.baselines, sys; print(sorted({'numpy', 'scipy', 'sklearn', 'onnxruntime'} & set(sys.modules)))"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
