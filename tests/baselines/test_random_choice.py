"""The uniform draw: fair, seeded, and decided by the key."""

from __future__ import annotations

from collections import Counter

from dmb.baselines import BASELINES
from dmb.baselines.question import Knowledge, Question

OPTIONS = [("a", "first"), ("b", "second"), ("c", "third"), ("d", "fourth")]


def draws(seed: int, repeat: int = 0, n: int = 400) -> list[int]:
    answer = BASELINES["random"].open(Knowledge({"seed": seed}))
    return [answer(Question((f"item-{i}", 0, repeat), "state", OPTIONS)).choice_index for i in range(n)]


def test_every_position_is_drawn_about_equally_often():
    counts = Counter(draws(1))
    assert set(counts) == {0, 1, 2, 3}
    assert all(65 <= count <= 135 for count in counts.values()), counts


def test_seed_and_key_decide():
    assert draws(1) == draws(1)
    assert draws(1) != draws(2)
    assert draws(1) != draws(1, repeat=1)


def test_confidence_is_one_in_n():
    answer = BASELINES["random"].open(Knowledge({}))
    assert answer(Question(("x", 0, 0), "state", OPTIONS)).confidence == 0.25
    assert answer(Question(("x", 0, 0), "state", OPTIONS[:1])).choice_index == 0
